// SPDX-License-Identifier: Apache-2.0
// The legacy convention: functions compiled to it called as new ones, and new ones called by it.
#include "core/object/rfc97/legacy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "core/object/boxed.h"
#include "core/object/rfc97/rvalue.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "core/object/tensor.h"
#include "tests/unit/object/counting.h"

namespace tern::legacy_test {
namespace {

using LegacyTest = CountedTest;
using LegacyTestBad = CountedTest;

// As a code generator of that convention writes it: no helper, no header but the layout.
int32_t SumCompiled(const TernLegacyValue* values, const int32_t* type_codes, int32_t num_args,
                    TernLegacyValue* result, int32_t* result_code, void* resource) {
  double sum = *static_cast<double*>(resource);
  for (int32_t i = 0; i < num_args; ++i) {
    if (type_codes[i] == TERN_LEGACY_INT)
      sum += static_cast<double>(values[i].i);
    else if (type_codes[i] == TERN_LEGACY_FLOAT)
      sum += values[i].f;
    else
      return -1;
  }
  result->f = sum;
  *result_code = TERN_LEGACY_FLOAT;
  return 0;
}

// Gives back its argument's type code and, where it is an object, keeps the reference it makes.
int32_t EchoCompiled(const TernLegacyValue* values, const int32_t* type_codes, int32_t,
                     TernLegacyValue* result, int32_t* result_code, void* resource) {
  *static_cast<int32_t*>(resource) = type_codes[0];
  *result = values[0];
  *result_code = type_codes[0];
  const bool object = type_codes[0] == TERN_LEGACY_OBJECT || type_codes[0] == TERN_LEGACY_FUNCTION;
  if (object) ++static_cast<TernObject*>(values[0].p)->ref_count;
  return 0;
}

TEST_F(LegacyTest, D30ALegacyFunctionIsCalledAsANewOne) {
  double base = 10;
  const FunctionPtr sum = FromLegacy("sum", &SumCompiled, &base);
  EXPECT_EQ(*sum->Invoke({1, 2.5, true})->As<double>(), 14.5);
  EXPECT_EQ(*sum->CallAs<double>(), 10);
}

TEST_F(LegacyTest, D30EveryKindThereAndBack) {
  int32_t seen = -1;
  const FunctionPtr echo = FromLegacy("echo", &EchoCompiled, &seen);
  int target = 0;
  const struct {
    Any value;
    int32_t legacy;
  } kCases[] = {
      {Any(), TERN_LEGACY_NULL},
      {Any(5), TERN_LEGACY_INT},
      {Any(2.5), TERN_LEGACY_FLOAT},
      {Any(static_cast<void*>(&target)), TERN_LEGACY_HANDLE},
      {Any(kI16), TERN_LEGACY_DTYPE},
      {Any(TernDLDevice{TERN_DEVICE_CPU, 1}), TERN_LEGACY_DEVICE},
      {Any(Shape::Make({1})), TERN_LEGACY_OBJECT},
      {Any(echo), TERN_LEGACY_FUNCTION},
  };
  for (const auto& [value, legacy] : kCases) {
    const Any back = *echo->Invoke({value});
    EXPECT_EQ(seen, legacy);
    EXPECT_EQ(std::memcmp(&back.c_any(), &value.c_any(), sizeof(TernAny)), 0) << legacy;
  }
  EXPECT_EQ(*echo->Invoke({true})->As<int64_t>(), 1) << "a bool is an int there";
  EXPECT_EQ(*echo->Invoke({"raw text"})->As<std::string>(), "raw text");
  EXPECT_EQ(seen, TERN_LEGACY_STRING);
}

TEST_F(LegacyTest, D30SmallStringsAreBoxed) {
  int32_t seen = -1;
  const FunctionPtr echo = FromLegacy("echo", &EchoCompiled, &seen);
  EXPECT_EQ(*echo->Invoke({Any("abc")})->As<std::string>(), "abc");
  EXPECT_EQ(seen, TERN_LEGACY_OBJECT);
  const AnyPad<1> pad(std::string_view("fifteen letters"));
  EXPECT_EQ(*echo->Invoke({pad})->As<std::string>(), "fifteen letters");
  EXPECT_EQ(seen, TERN_LEGACY_OBJECT);
}

TEST_F(LegacyTest, D30TensorsAreLent) {
  const auto first = [](const TernLegacyValue* values, const int32_t* codes, int32_t,
                        TernLegacyValue* result, int32_t* result_code, void*) -> int32_t {
    if (codes[0] != TERN_LEGACY_DL_TENSOR) return -1;
    const auto* tensor = static_cast<const TernDLTensor*>(values[0].p);
    result->f = double{static_cast<const float*>(tensor->data)[0]};
    *result_code = TERN_LEGACY_FLOAT;
    return 0;
  };
  const FunctionPtr function = FromLegacy("first", first, nullptr);
  const TensorPtr tensor = Tensor::FromValues<float>({7, 8}, {2}).value();
  EXPECT_EQ(*function->Invoke({tensor})->As<double>(), 7);
  EXPECT_EQ(tensor->ref_count(), 1);
}

TEST_F(LegacyTest, D30ANewFunctionIsCalledByALegacyCaller) {
  const auto add = Function::FromTyped("add", [](int64_t a, int64_t b) { return a + b; });
  TernLegacyValue values[2] = {};
  values[0].i = 40;
  values[1].i = 2;
  const int32_t codes[2] = {TERN_LEGACY_INT, TERN_LEGACY_UINT};
  TernLegacyValue result = {};
  int32_t result_code = -1;
  EXPECT_EQ(CallAsLegacy(add.get(), values, codes, 2, &result, &result_code), 0);
  EXPECT_EQ(result_code, TERN_LEGACY_INT);
  EXPECT_EQ(result.i, 42);

  const auto greet =
      Function::FromTyped("greet", [](std::string_view name) { return StrCat("hi ", name); });
  values[0].text = "you";
  const int32_t text_code[1] = {TERN_LEGACY_STRING};
  EXPECT_EQ(CallAsLegacy(greet.get(), values, text_code, 1, &result, &result_code), 0);
  EXPECT_EQ(result_code, TERN_LEGACY_OBJECT) << "a small string is boxed";
  const ObjectPtr<Object> text = ObjectPtr<Object>::Adopt(static_cast<Object*>(result.p));
  EXPECT_EQ(*Any(text).TryCast<std::string_view>(), "hi you");
}

TEST_F(LegacyTest, D30MovedObjectsAreTakenBothWays) {
  const auto take =
      Function::FromTyped("take", [](ObjectPtr<Shape> shape) { return shape->ref_count(); });
  TernObject* slot = Shape::Make({1}).Release()->header();
  TernLegacyValue values[1] = {};
  values[0].p = &slot;
  const int32_t codes[1] = {TERN_LEGACY_RVALUE_REF};
  TernLegacyValue result = {};
  int32_t result_code = -1;
  EXPECT_EQ(CallAsLegacy(take.get(), values, codes, 1, &result, &result_code), 0);
  EXPECT_EQ(result.i, 1);
  EXPECT_EQ(slot, nullptr);

  const auto taker = [](const TernLegacyValue* v, const int32_t* c, int32_t, TernLegacyValue* out,
                        int32_t* out_code, void*) -> int32_t {
    if (c[0] != TERN_LEGACY_RVALUE_REF) return -1;
    auto** object = static_cast<TernObject**>(v[0].p);
    out->p = *object;
    *object = nullptr;
    *out_code = TERN_LEGACY_OBJECT;
    return 0;
  };
  const FunctionPtr legacy = FromLegacy("taker", taker, nullptr);
  Any shape(Shape::Make({1}));
  const Object* object = shape.object();
  const Any back = *legacy->Invoke({Moved(&shape)});
  EXPECT_EQ(back.object(), object);
  EXPECT_EQ(back.object()->ref_count(), 1);
  EXPECT_TRUE(shape.is_none());
}

TEST_F(LegacyTest, D31TheOldNamesStillCompile) {
  const auto body = [](TVMArgs args, TVMRetValue* rv) {
    const TVMArgValue first = args[0];
    *rv = *first.TryCast<int64_t>() + args.size() + args.num_args;
  };
  const auto function = Function::FromPacked("old", [body](AnyArgs args) -> Result<Any> {
    TVMRetValue rv;
    body(TVMArgs(args.data(), static_cast<int32_t>(args.size())), &rv);
    return rv;
  });
  const AnyView args[] = {40, "ignored"};
  TVMRetValue rv;
  ASSERT_TRUE(CallPacked(function.get(), TVMArgs(args, 2), &rv).ok());
  EXPECT_EQ(*rv.TryCast<int64_t>(), 44);
}

TEST_F(LegacyTestBad, FailuresAndUnknownCodes) {
  double base = 0;
  const FunctionPtr sum = FromLegacy("sum", &SumCompiled, &base);
  EXPECT_EQ(sum->Invoke({"x"}).status().message(), "sum: failed with code -1");
  const auto odd = [](const TernLegacyValue*, const int32_t*, int32_t, TernLegacyValue*,
                      int32_t* code, void*) -> int32_t {
    *code = 77;
    return 0;
  };
  EXPECT_EQ(FromLegacy("odd", odd, nullptr)->Invoke({}).status().message(),
            "odd: its result: legacy type code 77 cannot be converted");
  const auto one = Function::FromTyped("one", [](int64_t a) { return a; });
  TernLegacyValue values[1] = {}, result = {};
  for (const int32_t code : {-1, 15, int{TERN_LEGACY_BYTES}}) {
    int32_t result_code = -1;
    EXPECT_NE(CallAsLegacy(one.get(), values, &code, 1, &result, &result_code), 0);
    ASSERT_EQ(result_code, TERN_LEGACY_OBJECT);
    const ObjectPtr<Object> error = ObjectPtr<Object>::Adopt(static_cast<Object*>(result.p));
    EXPECT_EQ(static_cast<Error*>(error.get())->message(),
              StrCat("one: argument 0: legacy type code ", code, " cannot be converted"));
  }
}

TEST_F(LegacyTestBad, ErrorsCrossBothWays) {
  const auto fail = Function::FromTyped("fail", []() -> Status { return Failed("on purpose"); });
  TernLegacyValue result = {};
  int32_t result_code = -1;
  EXPECT_EQ(CallAsLegacy(fail.get(), nullptr, nullptr, 0, &result, &result_code),
            static_cast<int32_t>(StatusCode::kFailed));
  ASSERT_EQ(result_code, TERN_LEGACY_OBJECT);
  // A legacy function that hands on the error object it got.
  struct Pass {
    TernLegacyValue value;
  } pass{result};
  const auto hand_on = [](const TernLegacyValue*, const int32_t*, int32_t, TernLegacyValue* out,
                          int32_t* code, void* resource) -> int32_t {
    *out = static_cast<Pass*>(resource)->value;
    *code = TERN_LEGACY_OBJECT;
    return 11;
  };
  const Result<Any> called = FromLegacy("hand_on", hand_on, &pass)->Invoke({});
  EXPECT_EQ(called.status().message(), "on purpose");
}

}  // namespace
}  // namespace tern::legacy_test
