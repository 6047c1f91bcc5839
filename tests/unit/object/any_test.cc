// SPDX-License-Identifier: Apache-2.0
// Any and AnyView: kinds, conversions allowed and refused, ownership.
#include "core/object/any.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "core/object/containers/sequence.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "core/object/tensor.h"
#include "tests/unit/object/counting.h"

namespace tern::any_test {
namespace {

using AnyTest = CountedTest;
using ObjectPtrTest = CountedTest;

TEST_F(AnyTest, NoneByDefault) {
  const Any any;
  EXPECT_TRUE(any.is_none());
  EXPECT_EQ(any.type_name(), "none");
  EXPECT_FALSE(any.Is<int64_t>());
  EXPECT_FALSE(any.Is<Tensor>());
}

TEST_F(AnyTest, ValuesOfEveryInPlaceKind) {
  EXPECT_EQ(Any(7).TryCast<int64_t>(), 7);
  EXPECT_EQ(Any(INT64_MIN).TryCast<int64_t>(), INT64_MIN);
  EXPECT_EQ(Any(2.5).TryCast<double>(), 2.5);
  EXPECT_EQ(Any(0.5f).TryCast<float>(), 0.5f);
  EXPECT_EQ(Any(true).TryCast<bool>(), true);
  EXPECT_EQ(Any(kBf16).TryCast<DType>(), kBf16);
  int target = 0;
  EXPECT_EQ(Any(static_cast<void*>(&target)).TryCast<void*>(), &target);
  EXPECT_EQ(Any("abc").TryCast<std::string_view>(), "abc");
  EXPECT_EQ(live(), 0) << "in-place kinds allocate nothing";
}

// Which kinds convert to which: rows are values, columns what they are read as.
TEST_F(AnyTest, TableOfConversions) {
  const Any values[] = {Any(1), Any(1.5), Any(true), Any("1"), Any(kF32), Any()};
  const bool to_int[] = {true, false, true, false, false, false};
  const bool to_float[] = {true, true, true, false, false, false};
  const bool to_bool[] = {false, false, true, false, false, false};
  const bool to_text[] = {false, false, false, true, false, false};
  for (size_t i = 0; i < std::size(values); ++i) {
    EXPECT_EQ(values[i].Is<int64_t>(), to_int[i]) << i;
    EXPECT_EQ(values[i].TryCast<double>().has_value(), to_float[i]) << i;
    EXPECT_EQ(values[i].TryCast<bool>().has_value(), to_bool[i]) << i;
    EXPECT_EQ(values[i].TryCast<std::string_view>().has_value(), to_text[i]) << i;
    EXPECT_EQ(values[i].TryCast<String>().has_value(), to_text[i]) << i;
  }
}

TEST_F(AnyTest, NarrowIntegersMustHoldTheValue) {
  EXPECT_EQ(Any(255).TryCast<uint8_t>(), 255);
  EXPECT_FALSE(Any(256).TryCast<uint8_t>().has_value());
  EXPECT_FALSE(Any(-1).TryCast<uint64_t>().has_value());
  EXPECT_EQ(Any(-1).As<uint64_t>().status().message(),
            "expected u64, an int of at least 0, got int -1");
  EXPECT_EQ(Any(int64_t{1} << 40).As<int32_t>().status().message(),
            "expected i32, got int 1099511627776");
}

TEST_F(AnyTest, ErrorsNameExpectedAndActual) {
  const TensorPtr tensor = Tensor::FromValues<float>({1, 2}, {2}).value();
  EXPECT_EQ(Any(tensor).As<int64_t>().status().message(), "expected int, got tensor f32[2]");
  EXPECT_EQ(Any(3).As<Tensor>().status().message(), "expected tensor, got int 3");
  EXPECT_EQ(Any("x").As<double>().status().message(), "expected float, got string \"x\"");
  EXPECT_EQ(Any(2.5).As<int64_t>().status().message(), "expected int, got float 2.5");
  EXPECT_EQ(Any().As<TensorPtr>().status().message(), "expected tensor, got none");
  EXPECT_EQ(Any(kF32).As<Shape>().status().message(), "expected shape, got dtype");
  EXPECT_EQ(Any(std::string(100, 'a')).As<bool>().status().message(), "expected bool, got string");
  EXPECT_EQ(Any(1).As<bool>().status().code(), StatusCode::kTypeError);
}

TEST_F(AnyTest, CountsReferences) {
  const ShapePtr shape = Shape::Make({1, 2});
  {
    const Any a(shape);
    EXPECT_EQ(shape->ref_count(), 2);
    Any b = a;
    EXPECT_EQ(shape->ref_count(), 3);
    const Any c = std::move(b);
    EXPECT_EQ(shape->ref_count(), 3);
    EXPECT_TRUE(b.is_none());  // NOLINT: the point
    b = c;
    b = Any(5);
    EXPECT_EQ(shape->ref_count(), 3);
    EXPECT_EQ(*b.TryCast<int64_t>(), 5);
  }
  EXPECT_EQ(shape->ref_count(), 1);
}

TEST_F(AnyTest, SelfAssignmentIsHarmless) {
  Any a(Shape::Make({1}));
  Any& same = a;
  a = same;
  EXPECT_EQ(a.object()->ref_count(), 1);
  a = std::move(same);
  EXPECT_EQ(a.TryCast<Shape>()->size(), 1u);
}

TEST_F(AnyTest, ViewsDoNotCount) {
  const ShapePtr shape = Shape::Make({1, 2});
  const AnyView view = shape;
  const AnyView copy = view;
  const AnyView of_pointer = shape.get();
  EXPECT_EQ(shape->ref_count(), 1);
  EXPECT_EQ(copy.TryCast<Shape>(), shape.get());
  EXPECT_EQ(of_pointer.TryCast<Shape>(), shape.get());
  EXPECT_EQ(view.As<ShapePtr>()->get()->ref_count(), 1 + 1) << "taking a pointer counts";
}

TEST_F(AnyTest, OwningAViewOutlivesItsSource) {
  Any kept_text, kept_object;
  {
    std::vector<char> buffer(32, 'x');
    buffer[20] = '\0';
    kept_text = Any(AnyView(buffer.data()));
    const ShapePtr shape = Shape::Make({3});
    kept_object = Any(AnyView(shape));
    buffer.assign(32, 'y');
  }
  EXPECT_EQ(kept_text.TryCast<std::string_view>(), std::string(20, 'x'));
  EXPECT_EQ((*kept_object.TryCast<Shape>())[0], 3);
}

TEST_F(AnyTest, ReleaseAndAdoptMoveTheReference) {
  const ShapePtr shape = Shape::Make({1});
  Any a(shape);
  const TernAny raw = a.Release();
  EXPECT_TRUE(a.is_none());
  EXPECT_EQ(shape->ref_count(), 2);
  { const Any b = Any::Adopt(raw); }
  EXPECT_EQ(shape->ref_count(), 1);
}

TEST_F(AnyTest, NullPointersAreNone) {
  EXPECT_TRUE(Any(ShapePtr()).is_none());
  EXPECT_TRUE(AnyView(static_cast<Shape*>(nullptr)).is_none());
}

TEST_F(AnyTest, CastToTheBaseTakesAnyObject) {
  const Any any(Shape::Make({1}));
  EXPECT_NE(any.TryCast<Object>(), nullptr);
  EXPECT_EQ(any.TryCast<Sequence>(), nullptr);
  EXPECT_EQ(Any(1).As<Object>().status().message(), "expected an object, got int 1");
}

TEST_F(AnyTest, CountsSurviveThreads) {
#ifndef TERN_SINGLE_THREADED
  const Any shared(Shape::Make({1}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&shared] {
      for (int i = 0; i < 10000; ++i) {
        Any copy = shared;
        const Any moved = std::move(copy);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.object()->ref_count(), 1);
#endif
}

TEST_F(ObjectPtrTest, CopyMoveAndAdopt) {
  ShapePtr a = Shape::Make({1});
  ShapePtr b = a;
  EXPECT_EQ(a->ref_count(), 2);
  ShapePtr c = std::move(b);
  EXPECT_EQ(b, nullptr);  // NOLINT: the point
  EXPECT_FALSE(a->unique());
  c = nullptr;
  EXPECT_TRUE(a->unique());
  Shape* raw = a.Release();
  EXPECT_EQ(raw->ref_count(), 1);
  const ObjectPtr<Object> base = ShapePtr::Adopt(raw);
  EXPECT_TRUE(base->IsInstance<Shape>());
  EXPECT_FALSE(base->IsInstance<Sequence>());
}

}  // namespace
}  // namespace tern::any_test
