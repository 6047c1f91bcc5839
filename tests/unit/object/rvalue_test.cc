// SPDX-License-Identifier: Apache-2.0
// Moved arguments: who takes, who looks, and what a second look finds.
#include "core/object/rfc97/rvalue.h"

#include <gtest/gtest.h>

#include "core/object/containers/sequence.h"
#include "core/object/function.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "core/object/tensor.h"
#include "tests/unit/object/counting.h"

namespace tern::rvalue_test {
namespace {

using RvalueTest = CountedTest;
using RvalueTestBad = CountedTest;

SequencePtr CopyOf(const Sequence& list) { return list.Copy(); }
// Appends in place where nobody else holds the list; tells the address it worked on.
FunctionPtr MakeAppend(const Object** worked_on) {
  return Function::FromTyped("append", [worked_on](SequencePtr list, int64_t item) {
    list = Unshare(std::move(list), CopyOf);
    list->PushInt(item);
    *worked_on = list.get();
    return list;
  });
}

TEST_F(RvalueTest, D17AnUnsharedListIsChangedInPlace) {
  const Object* worked_on = nullptr;
  const FunctionPtr append = MakeAppend(&worked_on);
  Any list(Sequence::Make());
  const Object* address = list.object();
  const Any result = *append->Invoke({Moved(&list), 4});
  EXPECT_EQ(worked_on, address);
  EXPECT_TRUE(list.is_none()) << "it was taken";
  EXPECT_EQ(result.TryCast<Sequence>()->size(), 1u);
  EXPECT_EQ(result.object()->ref_count(), 1);
}

TEST_F(RvalueTest, D17ASharedListIsCopied) {
  const Object* worked_on = nullptr;
  const FunctionPtr append = MakeAppend(&worked_on);
  Any list(Sequence::Make());
  const Any other = list;
  const Any result = *append->Invoke({Moved(&list), 4});
  EXPECT_NE(worked_on, other.object());
  EXPECT_EQ(other.TryCast<Sequence>()->size(), 0u);
  // Without moving, the caller's own reference makes it shared.
  Any kept(Sequence::Make());
  const Any appended = *append->Invoke({kept, 4});
  EXPECT_NE(worked_on, kept.object());
  EXPECT_EQ(kept.TryCast<Sequence>()->size(), 0u);
}

TEST_F(RvalueTest, D17TakingChangesNoCount) {
  Any shape(Shape::Make({1}));
  Object* object = shape.object();
  int32_t seen = 0;
  const auto take = Function::FromTyped("take", [&seen](ObjectPtr<Shape> s) {
    seen = s->ref_count();
    return s;
  });
  const Any back = *take->Invoke({Moved(&shape)});
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(back.object(), object);
  EXPECT_EQ(back.object()->ref_count(), 1);
}

TEST_F(RvalueTest, D17LookingDoesNotTake) {
  Any shape(Shape::Make({1, 2, 3}));
  const auto rank = Function::FromTyped("rank", [](const Shape& s) { return s.size(); });
  EXPECT_EQ(*rank->Invoke({Moved(&shape)})->As<int64_t>(), 3);
  EXPECT_FALSE(shape.is_none());
  const auto kind =
      Function::FromTyped("kind", [](AnyView v) { return std::string(v.type_name()); });
  EXPECT_EQ(*kind->Invoke({Moved(&shape)})->As<std::string>(), "shape");
  EXPECT_EQ(shape.object()->ref_count(), 1);
  // A wrong kind is not taken either.
  const auto tensor = Function::FromTyped("tensor", [](TensorPtr t) { return t; });
  EXPECT_EQ(tensor->Invoke({Moved(&shape)}).status().message(),
            "tensor: argument 0: expected tensor, got moved shape");
  EXPECT_FALSE(shape.is_none());
}

TEST_F(RvalueTest, D19MakingAnAnyTakes) {
  Any shape(Shape::Make({1}));
  const Any taken(Moved(&shape));
  EXPECT_TRUE(shape.is_none());
  EXPECT_EQ(taken.object()->ref_count(), 1);
  Any number(5), text("abc");
  EXPECT_EQ(Any(Moved(&number)).TryCast<int64_t>(), 5) << "values in place are just passed";
  EXPECT_EQ(Moved(&text).type_code(), TERN_TYPE_SMALL_STRING);
  EXPECT_EQ(number.TryCast<int64_t>(), 5);
}

TEST_F(RvalueTest, D19AViewsSourceMayDieOnceItIsOwned) {
  Any text, tensor, object;
  {
    const std::string source(40, 'x');
    text = Any(AnyView(source.c_str()));
    float values[] = {1, 2, 3, 4, 5, 6};
    int64_t dims[] = {3}, strides[] = {2};
    const TernDLTensor borrowed{values, {TERN_DEVICE_CPU, 0}, 1, kF32, dims, strides, 0};
    const TernDLTensor* pointer = &borrowed;
    const AnyView view(pointer);
    EXPECT_EQ(view.type_code(), TERN_TYPE_DL_TENSOR);
    EXPECT_EQ(*view.TryCast<const TernDLTensor*>(), pointer);
    tensor = Any(view);
    object = Any(AnyView(Shape::Make({7})));
    values[0] = 100;
  }
  EXPECT_EQ(*text.TryCast<std::string_view>(), std::string(40, 'x'));
  EXPECT_EQ(tensor.TryCast<Tensor>()->values<float>()[0], 1);
  EXPECT_EQ(tensor.TryCast<Tensor>()->values<float>()[2], 5);
  EXPECT_EQ((*object.TryCast<Shape>())[0], 7);
}

TEST_F(RvalueTestBad, D17ASecondUseNamesFunctionAndArgument) {
  Any shape(Shape::Make({1}));
  const auto both = Function::FromTyped(
      "both", [](ObjectPtr<Shape> a, ObjectPtr<Shape> b) { return a->size() + b->size(); });
  EXPECT_EQ(both->Invoke({Moved(&shape), Moved(&shape)}).status().message(),
            "both: argument 1: expected shape, got a moved value that was taken before");
  EXPECT_TRUE(shape.is_none());
  Any other(Shape::Make({1}));
  const AnyView moved = Moved(&other);
  const auto take = Function::FromTyped("take", [](Any value) { return value; });
  EXPECT_TRUE(take->Invoke({moved}).ok());
  EXPECT_EQ(take->Invoke({moved}).status().message(),
            "take: argument 0: expected anything, got a moved value that was taken before");
  const auto look = Function::FromTyped("look", [](AnyView value) { return value.is_none(); });
  EXPECT_EQ(look->Invoke({moved}).status().message(),
            "look: argument 0: expected anything, got a moved value that was taken before");
}

TEST_F(RvalueTestBad, D19WhatCannotBeOwnedIsAnErrorObject) {
  int64_t dims[] = {2};
  const TernDLTensor elsewhere{nullptr, {2, 0}, 1, kF32, dims, nullptr, 0};
  const Any any{AnyView(&elsewhere)};
  EXPECT_EQ(any.TryCast<Error>()->message(), "a DLPack tensor on device type 2: expected 1 (CPU)");
}

}  // namespace
}  // namespace tern::rvalue_test
