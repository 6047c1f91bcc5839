// SPDX-License-Identifier: Apache-2.0
// Attribute structs: text in, struct, the canonical text out; bad text is refused with the key's
// name.
#include <gtest/gtest.h>

#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::ops::attrs_test {
namespace {

template <class A>
std::string RoundTrip(std::string_view text) {
  Result<Attrs> attrs = Attrs::Parse(text);
  EXPECT_TRUE(attrs.ok()) << text;
  Result<A> read = A::From(*attrs, "op");
  EXPECT_TRUE(read.ok()) << text;
  return read.ok() ? read->ToAttrs().ToText() : "";
}

template <class A>
std::string ErrorOf(std::string_view text) {
  Result<Attrs> attrs = Attrs::Parse(text);
  EXPECT_TRUE(attrs.ok()) << text;
  Result<A> read = A::From(*attrs, "op");
  EXPECT_FALSE(read.ok()) << text;
  return read.ok() ? "" : std::string(read.status().message());
}

TEST(Attrs, CanonicalText) {
  EXPECT_EQ(RoundTrip<ConvAttrs>(""), "");
  EXPECT_EQ(RoundTrip<ConvAttrs>("groups=2 strides=2,2"), "strides=2,2 groups=2");
  EXPECT_EQ(RoundTrip<ConvAttrs>("groups=1 layout=nchw"), "");
  EXPECT_EQ(RoundTrip<ConvAttrs>("activation=clamp act_beta=6"), "activation=clamp act_beta=6");
  EXPECT_EQ(RoundTrip<MatMulAttrs>("alpha=0.1 trans_b=1"), "trans_b=1 alpha=0.1");
  EXPECT_EQ(RoundTrip<CastAttrs>("to=i64"), "to=i64");
  EXPECT_EQ(RoundTrip<ResizeAttrs>("scales=1,1,2,2.5 mode=linear"), "mode=linear scales=1,1,2,2.5");
  EXPECT_EQ(RoundTrip<SliceAttrs>("starts=0 ends=9223372036854775807"),
            "starts=0 ends=9223372036854775807");
  EXPECT_EQ(RoundTrip<EinsumAttrs>("equation=ij,jk->ik"), "equation=ij,jk->ik");
  EXPECT_EQ(RoundTrip<UnaryAttrs>("alpha=-inf"), "alpha=-inf");
}

TEST(Attrs, BadTextNamesTheKey) {
  EXPECT_NE(ErrorOf<ConvAttrs>("stride=2").find("'stride'"), std::string::npos);
  EXPECT_NE(ErrorOf<ConvAttrs>("strides=0,1").find("strides"), std::string::npos);
  EXPECT_NE(ErrorOf<ConvAttrs>("groups=x").find("groups"), std::string::npos);
  EXPECT_NE(ErrorOf<ConvAttrs>("layout=chwn").find("layout"), std::string::npos);
  EXPECT_NE(ErrorOf<ConvAttrs>("pads=1,1,1").find("pads"), std::string::npos);
  EXPECT_NE(ErrorOf<ConvAttrs>("packed=1").find("kernel"), std::string::npos);
  for (const char* unfit : {"winograd=1", "packed=1 channels=4 kernel=3,1 winograd=1",
                            "packed=1 channels=4 kernel=3 winograd=1",
                            "packed=1 channels=4 kernel=3,3 strides=2,1 winograd=1",
                            "packed=1 channels=4 kernel=3,3 dilations=1,2 winograd=1",
                            "packed=1 channels=4 kernel=3,3 groups=2 winograd=1"}) {
    EXPECT_NE(ErrorOf<ConvAttrs>(unfit).find("'winograd'"), std::string::npos) << unfit;
  }
  EXPECT_NE(ErrorOf<CastAttrs>("to=f33").find("to"), std::string::npos);
  EXPECT_NE(ErrorOf<CastAttrs>("").find("to"), std::string::npos);
  EXPECT_NE(ErrorOf<SliceAttrs>("starts=0 ends=1 steps=0").find("steps"), std::string::npos);
  EXPECT_NE(ErrorOf<SplitAttrs>("").find("parts"), std::string::npos);
  EXPECT_NE(ErrorOf<PoolAttrs>("").find("kernel"), std::string::npos);
  EXPECT_NE(ErrorOf<ReshapeAttrs>("shape=-2").find("shape"), std::string::npos);
}

TEST(Attrs, ActivationsAreUnaryOperators) {
  EXPECT_EQ(ActivationOf("relu"), Activation::kRelu);
  EXPECT_EQ(ActivationOf("hard_swish"), Activation::kHardSwish);
  EXPECT_EQ(ActivationOf("exp"), Activation::kNone);
  EXPECT_EQ(ActivationOf("none"), Activation::kNone);
}

}  // namespace
}  // namespace tern::ops::attrs_test
