// SPDX-License-Identifier: Apache-2.0
// Attributes: text both ways, typed reading, primitive names.
#include "core/object/attrs.h"

#include <gtest/gtest.h>

namespace tern::attrs_test {
namespace {

TEST(AttrsTest, TextRoundTrips) {
  for (const char* text :
       {"", "a=1", "strides=2,2 pads=1,1,1,1 activation=relu", "alpha=0.01 axes=[]",
        "x=-1e-5,inf,nan", "keep_dims=0 mode=half_pixel"}) {
    const Result<Attrs> attrs = Attrs::Parse(text);
    ASSERT_TRUE(attrs.ok()) << text;
    EXPECT_EQ(attrs->ToText(), text);
  }
}

TEST(AttrsTestBad, Malformed) {
  for (const char* text : {"a", "=1", "a=", "1a=1", "a=1 a=2", "a=1,", "a=,1", "a=1,,2", "a={1}",
                           "a=b=c", "a=[1]", "a-b=1", "a=\"x\"", "a=1\tb=2"}) {
    EXPECT_FALSE(Attrs::Parse(text).ok()) << text;
  }
  EXPECT_EQ(Attrs::Parse("strides=1 strides=2").status().message(),
            "attribute 'strides' is given twice");
  EXPECT_EQ(Attrs::Parse("a=x=y").status().message(), "attribute 'a': bad value 'x=y'");
}

TEST(AttrsTest, GettersAndSetters) {
  Attrs attrs;
  attrs.SetInts("strides", std::vector<int64_t>{2, 1});
  attrs.SetInts("none", {});
  attrs.SetFloat("epsilon", 1e-5);
  attrs.SetFloat32("alpha", 0.1f);
  attrs.SetString("mode", "linear");
  attrs.SetInt("group", -3);
  attrs.SetFloats("scales", std::vector<float>{0.5f, 2});
  EXPECT_EQ(attrs.ToText(),
            "strides=2,1 none=[] epsilon=0.00001 alpha=0.1 mode=linear group=-3 scales=0.5,2");
  EXPECT_EQ(attrs.GetInts("strides", {}), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(attrs.GetInts("none", {7}), std::vector<int64_t>());
  EXPECT_EQ(attrs.GetInts("absent", {7}), std::vector<int64_t>{7});
  EXPECT_EQ(attrs.GetFloat("epsilon", 0), 1e-5);
  EXPECT_EQ(attrs.GetInt("group", 0), -3);
  EXPECT_EQ(attrs.GetInt("mode", 9), 9);
  EXPECT_EQ(attrs.GetString("mode", "x"), "linear");
  attrs.SetInt("group", 4);
  attrs.Remove("strides");
  EXPECT_FALSE(attrs.Has("strides"));
  EXPECT_TRUE(attrs.ToText().starts_with("none=[] "));
  EXPECT_EQ(Attrs::Parse(attrs.ToText()).value(), attrs);
}

TEST(AttrsTest, PrimitiveNames) {
  const PrimitiveName plain = ParsePrimitiveName("vm.copy").value();
  EXPECT_EQ(plain.op, "vm.copy");
  EXPECT_TRUE(plain.attrs.empty());
  const char* const name = "conv2d{strides=2,2 activation=relu}";
  const PrimitiveName conv = ParsePrimitiveName(name).value();
  EXPECT_EQ(conv.op, "conv2d");
  EXPECT_EQ(MakePrimitiveName(conv.op, conv.attrs), name);
  EXPECT_EQ(MakePrimitiveName("relu", {}), "relu");
  EXPECT_TRUE(ParsePrimitiveName("relu{}").value().attrs.empty());
}

TEST(AttrsTestBad, PrimitiveNames) {
  for (const char* name :
       {"", "{a=1}", "conv2d{", "conv2d{a=1", "conv2d}", "conv 2d", "2conv", "a{b=1}c", "a{b}"}) {
    EXPECT_FALSE(ParsePrimitiveName(name).ok()) << name;
  }
  EXPECT_EQ(ParsePrimitiveName("relu{x}").status().message(), "relu: expected key=value, got 'x'");
}

TEST(AttrReaderTest, ReadsTypesAndDefaults) {
  const Attrs attrs =
      Attrs::Parse("strides=2,2 group=4 alpha=0.5 keep=1 mode=same scales=1,0.5").value();
  AttrReader reader("op", attrs);
  EXPECT_EQ(reader.Ints("strides", {1, 1}), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(reader.Int("group", 1), 4);
  EXPECT_EQ(reader.Float("alpha", 0), 0.5);
  EXPECT_TRUE(reader.Bool("keep", false));
  EXPECT_EQ(reader.Choice("mode", {"valid", "same"}, 0), 1);
  EXPECT_EQ(reader.Floats("scales", {}), (std::vector<float>{1, 0.5f}));
  EXPECT_EQ(reader.Int("absent", 7), 7);
  EXPECT_EQ(reader.String("other", "x"), "x");
  EXPECT_TRUE(reader.Finish().ok());
}

TEST(AttrReaderTestBad, WrongTypesAreNamedAndTheFirstIsKept) {
  const Attrs attrs = Attrs::Parse("strides=2,x group=1.5 keep=2 mode=odd").value();
  const auto fail = [&attrs](auto read) {
    AttrReader reader("conv2d", attrs);
    read(reader);
    reader.Fail("later", "second");
    return std::string(reader.Finish().message());
  };
  EXPECT_EQ(fail([](AttrReader& r) { r.Ints("strides", {}); }),
            "conv2d: attribute 'strides': expected integers, got '2,x'");
  EXPECT_EQ(fail([](AttrReader& r) { r.Int("group", 1); }),
            "conv2d: attribute 'group': expected an integer, got '1.5'");
  EXPECT_EQ(fail([](AttrReader& r) { r.Bool("keep", true); }),
            "conv2d: attribute 'keep': expected 0 or 1, got '2'");
  EXPECT_EQ(fail([](AttrReader& r) { r.Float("mode", 1); }),
            "conv2d: attribute 'mode': expected a number, got 'odd'");
  EXPECT_EQ(fail([](AttrReader& r) {
              r.Choice("mode", {"valid", "same"}, 0);
            }),
            "conv2d: attribute 'mode': expected one of valid, same, got 'odd'");
}

TEST(AttrReaderTestBad, UnknownKeysAreReported) {
  const Attrs attrs = Attrs::Parse("stride=2").value();
  AttrReader reader("conv2d", attrs);
  reader.Ints("strides", {});
  const Status status = reader.Finish();
  EXPECT_EQ(status.message(), "conv2d: unknown attribute 'stride'");
  EXPECT_EQ(status.notes()[0], "did you mean 'strides'?");
}

}  // namespace
}  // namespace tern::attrs_test
