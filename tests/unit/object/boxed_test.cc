// SPDX-License-Identifier: Apache-2.0
// Boxing where an object is asked for, unboxing wherever one goes into a value.
#include "core/object/boxed.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/object/function.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "core/object/tensor.h"
#include "core/object/type_table.h"
#include "tests/unit/object/counting.h"

namespace tern::boxed_test {
namespace {

using BoxedTest = CountedTest;
using BoxedTestBad = CountedTest;

TEST_F(BoxedTest, D21ValuesBecomeObjects) {
  int target = 0;
  const struct {
    Any value;
    TernTypeCode code;
  } kCases[] = {
      {Any(3), TERN_TYPE_BOX_INT},
      {Any(2.5), TERN_TYPE_BOX_FLOAT},
      {Any(true), TERN_TYPE_BOX_BOOL},
      {Any(static_cast<void*>(&target)), TERN_TYPE_BOX_OPAQUE},
      {Any(kBf16), TERN_TYPE_BOX_DTYPE},
      {Any(TernDLDevice{TERN_DEVICE_CPU, 2}), TERN_TYPE_BOX_DEVICE},
      {Any("abc"), TERN_TYPE_STRING},
  };
  for (const auto& [value, code] : kCases) {
    const ObjectPtr<Object> object = ToObject(value);
    EXPECT_EQ(object->type_code(), code);
    EXPECT_EQ(object->ref_count(), 1);
  }
  EXPECT_EQ(ToObject(Any(3))->type_key(), "boxed int");
  EXPECT_EQ(static_cast<BoxInt*>(ToObject(3).get())->value(), 3);
  EXPECT_EQ(ToObject(Any()), nullptr);
  const ShapePtr shape = Shape::Make({1});
  EXPECT_EQ(ToObject(shape).get(), shape.get());
  EXPECT_EQ(SectionOf(ToObject(3)->type_code()), Section::kBoxed);
}

TEST_F(BoxedTest, D21CodeThatWorksOnObjectsSeesABox) {
  const auto describe = Function::FromTyped(
      "describe", [](ObjectPtr<Object> object) { return std::string(object->type_key()); });
  EXPECT_EQ(*describe->Invoke({3})->As<std::string>(), "boxed int");
  EXPECT_EQ(*describe->Invoke({"abc"})->As<std::string>(), "string");
  const auto value_of =
      Function::FromTyped("value_of", [](ObjectPtr<BoxInt> box) { return box->value(); });
  EXPECT_EQ(*value_of->Invoke({3})->As<int64_t>(), 3);
  EXPECT_EQ(*value_of->Invoke({BoxInt::Make(4)})->As<int64_t>(), 4);
}

TEST_F(BoxedTest, D23BoxesAreUndoneOnTheWayIn) {
  EXPECT_EQ(Any(BoxInt::Make(3)).type_code(), TERN_TYPE_INT);
  EXPECT_EQ(Any(BoxFloat::Make(2.5)).TryCast<double>(), 2.5);
  EXPECT_EQ(Any(BoxBool::Make(1)).TryCast<bool>(), true);
  EXPECT_EQ(Any(BoxDType::Make(kF32)).TryCast<DType>(), kF32);
  EXPECT_EQ(Any(BoxDevice::Make({TERN_DEVICE_CPU, 3})).TryCast<TernDLDevice>()->device_id, 3);
  EXPECT_EQ(AnyView(BoxInt::Make(3)).type_code(), TERN_TYPE_INT);
  // Where the static type does not tell, the object is asked.
  const ObjectPtr<Object> object = BoxInt::Make(3);
  EXPECT_EQ(Any(object).type_code(), TERN_TYPE_INT);
  EXPECT_EQ(AnyView(object.get()).type_code(), TERN_TYPE_INT);
  EXPECT_EQ(object->ref_count(), 1);
  EXPECT_TRUE(Any(ObjectPtr<BoxInt>()).is_none());
}

// The example of the design: the caller works on boxes, the callee on ints, neither knows.
int64_t MyIntFunc(Any x) {
  const int64_t xval = *x.TryCast<int64_t>();
  return xval + 1;
}
int64_t Caller(const std::map<String, ObjectPtr<BoxInt>>& dict) {
  const ObjectPtr<BoxInt> x = dict.at("x");
  return MyIntFunc(x);
}

TEST_F(BoxedTest, D23CallerAndMyIntFunc) {
  EXPECT_EQ(Caller({{"x", BoxInt::Make(3)}}), 4);
  const auto my_int_func = Function::FromTyped("my_int_func", [](int64_t x) { return x + 1; });
  EXPECT_EQ(*my_int_func->Invoke({BoxInt::Make(3)})->As<int64_t>(), 4);
  EXPECT_EQ(*my_int_func->CallAs<int64_t>(BoxInt::Make(3)), 4);
}

TEST_F(BoxedTest, D23ForeignCallersMayPassBoxesAsTheyAre) {
  const ObjectPtr<BoxInt> box = BoxInt::Make(3);
  TernAny foreign = {};
  foreign.type_code = TERN_TYPE_BOX_INT;
  foreign.v.object = box->header();
  const AnyView view(foreign);
  EXPECT_EQ(view.TryCast<int64_t>(), 3);
  EXPECT_EQ(view.TryCast<double>(), 3.0);
  EXPECT_EQ(Any(view).type_code(), TERN_TYPE_INT);
  EXPECT_EQ(box->ref_count(), 1);
  const ObjectPtr<BoxBool> yes = BoxBool::Make(1);
  foreign.type_code = TERN_TYPE_BOX_BOOL;
  foreign.v.object = yes->header();
  EXPECT_EQ(AnyView(foreign).TryCast<bool>(), true);
}

TEST_F(BoxedTest, D16ObjectHandlesAreLookedThrough) {
  const ShapePtr shape = Shape::Make({1, 2});
  const AnyView handle(internal::MakePointerAny(TERN_TYPE_OBJECT_HANDLE, shape->header()));
  EXPECT_EQ(handle.TryCast<Shape>(), shape.get());
  EXPECT_EQ(shape->ref_count(), 1);
  const Any owned(handle);
  EXPECT_EQ(owned.type_code(), TERN_TYPE_SHAPE);
  EXPECT_EQ(shape->ref_count(), 2);
  const ObjectPtr<BoxInt> box = BoxInt::Make(3);
  const AnyView boxed(internal::MakePointerAny(TERN_TYPE_OBJECT_HANDLE, box->header()));
  EXPECT_EQ(boxed.TryCast<int64_t>(), 3);
  EXPECT_EQ(Any(boxed).type_code(), TERN_TYPE_INT);
  EXPECT_TRUE(Any(AnyView(internal::MakePointerAny(TERN_TYPE_OBJECT_HANDLE, nullptr))).is_none());
}

TEST_F(BoxedTestBad, WhatIsNoIntIsNoBoxOfOne) {
  EXPECT_EQ(Any("x").As<ObjectPtr<BoxInt>>().status().message(),
            "expected boxed int, got string \"x\"");
  EXPECT_EQ(Any(2.5).As<ObjectPtr<BoxInt>>().status().message(),
            "expected boxed int, got float 2.5");
  EXPECT_EQ(Any().As<ObjectPtr<Object>>().status().message(), "expected an object, got none");
  const auto f = Function::FromTyped("f", [](ObjectPtr<BoxFloat> x) { return x->value(); });
  EXPECT_EQ(f->Invoke({"s"}).status().message(),
            "f: argument 0: expected boxed float, got string \"s\"");
  EXPECT_EQ(live(), 1) << "the function alone";
}

}  // namespace
}  // namespace tern::boxed_test
