// SPDX-License-Identifier: Apache-2.0
// The layouts as C++ sees them, the classes that are views of them, and DLPack's own header beside
// ours.
#include "core/abi/abi.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/function.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "core/object/tensor.h"

#define TERN_ASSERT(condition) static_assert(condition)
#include "tests/abi/abi_layout.h"

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
static_assert(sizeof(DLTensor) == sizeof(TernDLTensor));
static_assert(offsetof(DLTensor, device) == offsetof(TernDLTensor, device));
static_assert(offsetof(DLTensor, ndim) == offsetof(TernDLTensor, ndim));
static_assert(offsetof(DLTensor, dtype) == offsetof(TernDLTensor, dtype));
static_assert(offsetof(DLTensor, shape) == offsetof(TernDLTensor, shape));
static_assert(offsetof(DLTensor, strides) == offsetof(TernDLTensor, strides));
static_assert(offsetof(DLTensor, byte_offset) == offsetof(TernDLTensor, byte_offset));
static_assert(int{kDLCPU} == TERN_DEVICE_CPU);
static_assert(int{kDLInt} == TERN_DTYPE_INT && int{kDLUInt} == TERN_DTYPE_UINT);
static_assert(int{kDLFloat} == TERN_DTYPE_FLOAT && int{kDLBfloat} == TERN_DTYPE_BFLOAT);
static_assert(int{kDLComplex} == TERN_DTYPE_COMPLEX);
#ifdef DLPACK_FLAG_BITMASK_READ_ONLY  // DLPack 1.x
static_assert(int{kDLBool} == TERN_DTYPE_BOOL);
static_assert(sizeof(DLManagedTensorVersioned) == sizeof(TernDLManagedTensorVersioned));
static_assert(offsetof(DLManagedTensorVersioned, manager_ctx) ==
              offsetof(TernDLManagedTensorVersioned, manager_ctx));
static_assert(offsetof(DLManagedTensorVersioned, deleter) ==
              offsetof(TernDLManagedTensorVersioned, deleter));
static_assert(offsetof(DLManagedTensorVersioned, flags) ==
              offsetof(TernDLManagedTensorVersioned, flags));
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) ==
              offsetof(TernDLManagedTensorVersioned, dl_tensor));
static_assert(DLPACK_FLAG_BITMASK_READ_ONLY == TERN_DLPACK_READ_ONLY);
#if DLPACK_MAJOR_VERSION > 1 || DLPACK_MINOR_VERSION >= 1
static_assert(int{kDLFloat8_e4m3fn} == TERN_DTYPE_FLOAT8_E4M3);
static_assert(int{kDLFloat8_e5m2} == TERN_DTYPE_FLOAT8_E5M2);
#endif
#endif
#endif

extern "C" int32_t tern_test_add_in_c(void* self, const TernAny* args, int32_t num_args,
                                      TernAny* result);

namespace tern::abi_test {
namespace {

TEST(Abi, EveryTypeCodeHasAKeyAndASection) {
  const TernTypeCode codes[] = {
#define TERN_TYPE(NAME, key, phrase) TERN_TYPE_##NAME,
#include "core/object/types.def"
#undef TERN_TYPE
  };
  EXPECT_EQ(std::size(codes), 33u);
  for (const TernTypeCode code : codes) {
    EXPECT_NE(TypeKey(code), "unknown type") << code;
    EXPECT_TRUE(code >= TERN_TYPE_S0_LAST && code < TERN_TYPE_S4_FIRST) << code;
  }
  EXPECT_EQ(TypeKey(TERN_TYPE_S4_FIRST), "unknown type");
  EXPECT_EQ(TypeKey(-1000), "unknown type");
}

TEST(Abi, D01ClassesAreViewsOfTheStructs) {
  const TensorPtr tensor = Tensor::FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3}).value();
  const auto* c = reinterpret_cast<const TernTensor*>(tensor.get());
  EXPECT_EQ(c->header.type_code, TERN_TYPE_TENSOR);
  EXPECT_EQ(c->header.ref_count, 1);
  EXPECT_EQ(c->dl.tensor.ndim, 2);
  EXPECT_EQ(c->dl.tensor.shape[1], 3);
  EXPECT_EQ(static_cast<float*>(c->dl.tensor.data)[5], 6.0f);
  EXPECT_EQ(c->owner.object->type_code, TERN_TYPE_STORAGE);
  EXPECT_EQ(c->flags, 0u);

  const ShapePtr shape = Shape::Make({7, 8});
  const auto* cs = reinterpret_cast<const TernShape*>(shape.get());
  EXPECT_EQ(cs->size, 2u);
  EXPECT_EQ(reinterpret_cast<const int64_t*>(cs + 1)[1], 8);

  const auto text = LongString::Make("a long string");
  const auto* ct = reinterpret_cast<const TernString*>(text.get());
  EXPECT_EQ(ct->size, 13u);
  EXPECT_STREQ(reinterpret_cast<const char*>(ct + 1), "a long string");

  const auto adt = Adt::Make(4, AnyArgs());
  EXPECT_EQ(reinterpret_cast<const TernAdt*>(adt.get())->tag, 4);
  const auto tuple = Adt::Tuple({int64_t{5}});
  EXPECT_EQ(
      reinterpret_cast<const TernAny*>(reinterpret_cast<const TernAdt*>(tuple.get()) + 1)->v.i, 5);
  const AnyView captured[] = {1.5};
  const auto closure = Closure::Make(9, captured);
  EXPECT_EQ(reinterpret_cast<const TernClosure*>(closure.get())->function_index, 9u);
}

TEST(Abi, D03PaddingIsZeroSoEqualValuesAreEqualBytes) {
  const auto same = [](const Any& a, const Any& b) {
    return std::memcmp(&a.c_any(), &b.c_any(), sizeof(TernAny)) == 0;
  };
  EXPECT_TRUE(same(Any(true), Any(true)));
  EXPECT_TRUE(same(Any(kF32), Any(kF32)));
  EXPECT_TRUE(same(Any("abc"), Any(std::string("abc"))));
  EXPECT_TRUE(same(Any(), Any(nullptr)));
  const TernAny zeroed = {};
  EXPECT_EQ(std::memcmp(&zeroed, &Any().c_any(), sizeof zeroed), 0);
  EXPECT_FALSE(same(Any("abc"), Any("abd")));
}

TEST(Abi, D29AFunctionWrittenInCIsAFunction) {
  const FunctionPtr add = Function::FromC("add_in_c", &tern_test_add_in_c, nullptr, nullptr);
  EXPECT_EQ(*add->Invoke({1, 2, 39})->As<int64_t>(), 42);
  EXPECT_EQ(add->Invoke({1, 2.5}).status().message(), "add_in_c: failed with code 7");
  // Called as C calls it.
  auto* c = reinterpret_cast<TernFunction*>(add.get());
  TernAny args[2] = {};
  args[0].type_code = args[1].type_code = TERN_TYPE_INT;
  args[0].v.i = 20;
  args[1].v.i = 22;
  TernAny result = {};
  EXPECT_EQ(c->call.pointer(c, args, 2, &result), 0);
  EXPECT_EQ(result.v.i, 42);
}

}  // namespace
}  // namespace tern::abi_test
