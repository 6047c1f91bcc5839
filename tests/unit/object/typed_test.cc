// SPDX-License-Identifier: Apache-2.0
// Typed views: what the compiler refuses to insert, what a cast from untyped checks.
#include <gtest/gtest.h>

#include <string>

#include "core/object/containers/array.h"
#include "core/object/containers/list.h"
#include "core/object/containers/map.h"
#include "core/object/containers/tuple.h"
#include "core/object/function.h"
#include "core/object/graph/print.h"
#include "core/object/rfc97/dict.h"
#include "core/object/shape.h"
#include "tests/unit/object/counting.h"

namespace tern::typed_test {
namespace {

using TypedTest = CountedTest;
using TypedTestBad = CountedTest;

template <typename F, typename U>
concept Takes = requires(F view, U value) {
  view.PushBack(value);
};
template <typename F, typename U, typename W>
concept TakesEntry = requires(F view, U key, W value) {
  view.Set(key, value);
};

// D27: a wrong-type insert is a compile error.
static_assert(Takes<List<int64_t>, int64_t> && Takes<List<int64_t>, int> &&
              Takes<List<int64_t>, uint8_t>);
static_assert(!Takes<List<int64_t>, double> && !Takes<List<int64_t>, const char*> &&
              !Takes<List<int64_t>, bool> && !Takes<List<int64_t>, uint64_t>);
static_assert(!Takes<List<int64_t>, Any> && !Takes<List<int64_t>, AnyView> &&
              !Takes<List<int64_t>, std::nullptr_t>);
static_assert(!Takes<List<int32_t>, int64_t> && Takes<List<int32_t>, int16_t>);
static_assert(Takes<List<double>, int> && Takes<List<double>, float> &&
              !Takes<List<double>, int64_t> && !Takes<List<float>, double>);
static_assert(Takes<List<bool>, bool> && !Takes<List<bool>, int>);
static_assert(Takes<List<String>, const char*> && Takes<List<String>, std::string_view> &&
              Takes<List<String>, std::string> && !Takes<List<String>, int>);
static_assert(Takes<Array<ShapePtr>, ShapePtr> && !Takes<Array<ShapePtr>, ObjectPtr<Table>> &&
              Takes<Array<ObjectPtr<Object>>, ShapePtr>);
static_assert(Takes<List<List<int64_t>>, List<int64_t>> && !Takes<List<List<int64_t>>, List<bool>>);
static_assert(Takes<List<>, int> && Takes<List<>, const char*> && Takes<List<>, ShapePtr> &&
              Takes<List<>, Any> && Takes<List<>, AnyView> && Takes<List<>, List<bool>>);
static_assert(TakesEntry<Map<String, int64_t>, const char*, int> &&
              !TakesEntry<Map<String, int64_t>, int, int> &&
              !TakesEntry<Map<String, int64_t>, const char*, const char*>);
static_assert(TakesEntry<Dict<>, int, const char*>);
static_assert(std::constructible_from<Tuple<int64_t, String>, int, const char*> &&
              !std::constructible_from<Tuple<int64_t, String>, const char*, const char*> &&
              !std::constructible_from<Tuple<int64_t, String>, int>);

template <typename T>
std::string WhyNot(const AnyView& value) {
  return std::string(internal::Mismatch<T>(value.c_any()).message());
}

TEST_F(TypedTest, D27TypedListsReadAndWrite) {
  List<String> names = {"a", "b"};
  names.PushBack(std::string("c"));
  names.Insert(0, "first");
  names.Erase(1);
  EXPECT_EQ(names[0], String("first"));
  EXPECT_EQ(names.PopBack(), String("c"));
  List<List<int64_t>> nested;
  nested.PushBack(List<int64_t>{1, 2});
  nested[0].PushBack(3);
  EXPECT_EQ(PrintValue(nested), "list[list[1, 2, 3]]");
  List<double> floats = {0.1, 2};
  floats.PushBack(3);
  EXPECT_EQ(floats[2], 3.0);
  EXPECT_EQ(PrintValue(floats), "list[0.1, 2, 3]");
  Array<bool> flags = {true, false};
  EXPECT_FALSE(flags[1]);
}

TEST_F(TypedTest, D27FromUntypedSharesTheSameStorage) {
  const List<> mixed = {1, 2, 3};
  List<int64_t> ints = AnyView(mixed).As<List<int64_t>>().value();
  EXPECT_EQ(ints.object(), mixed.object());
  int64_t sum = 0;
  for (const int64_t x : ints) sum += x;
  EXPECT_EQ(sum, 6);
  const Map<> table = {{"x", 1}};
  const auto typed = AnyView(table).As<Map<String, int64_t>>().value();
  EXPECT_EQ(typed.object(), table.object());
  EXPECT_EQ(typed["x"], 1);
  EXPECT_EQ(typed.Find("y"), std::nullopt);
}

TEST_F(TypedTestBad, D22FromUntypedNamesIndexAndBothTypes) {
  EXPECT_EQ(WhyNot<Array<int64_t>>(Array<>{1, "a"}),
            R"(expected array<int>: item 1: expected int, got string "a")");
  EXPECT_EQ(WhyNot<List<List<int64_t>>>(List<>{List<>{1}, List<>{2, 2.5}}),
            "expected list<list<int>>: item 1: expected list<int>: item 1: expected int, got "
            "float 2.5");
  EXPECT_EQ(WhyNot<List<int64_t>>(5), "expected list<int>, got int 5");
  EXPECT_EQ(WhyNot<List<>>("text"), "expected list, got string \"text\"");
  EXPECT_EQ(WhyNot<List<ShapePtr>>(List<>{1}),
            "expected list<shape>: item 0: expected shape, got int 1");
  EXPECT_EQ(WhyNot<List<int8_t>>(List<>{1, 300}),
            "expected list<i8>: item 1: expected i8, got int 300");
}

TEST_F(TypedTestBad, D22MapsAndTuplesNameKeyAndField) {
  EXPECT_EQ((WhyNot<Map<String, int64_t>>(Map<>{{"x", 1}, {"y", "z"}})),
            R"(expected map<string, int>: value of "y": expected int, got string "z")");
  EXPECT_EQ((WhyNot<Dict<String, Any>>(Map<>{{3, 1}})),
            "expected dict<string, anything>: key 3: expected string, got int 3");
  EXPECT_EQ((WhyNot<Tuple<int64_t, String>>(Adt::Tuple({1, 2}))),
            "expected tuple<int, string>: field 1: expected string, got int 2");
  EXPECT_EQ((WhyNot<Tuple<int64_t>>(Adt::Tuple({1, 2}))),
            "expected tuple<int>, got a tuple of 2 fields");
  EXPECT_EQ((WhyNot<Tuple<int64_t>>(Shape::Make({1}))), "expected tuple<int>, got shape");
}

TEST_F(TypedTestBad, D27AtChecksWhatAnotherFaceWrote) {
  List<> mixed = {1, 2};
  const List<int64_t> ints = AnyView(mixed).As<List<int64_t>>().value();
  mixed.Set(1, "two");
  EXPECT_EQ(ints.At(0).value(), 1);
  EXPECT_EQ(ints.At(1).status().message(), "expected int, got string \"two\"");
  EXPECT_EQ(ints.At(2).status().code(), StatusCode::kOutOfRange);
  const Map<String, int64_t> map = {{"a", 1}};
  EXPECT_EQ(map.At("b").status().message(), "no key \"b\" in a map of 1 entry");
}

TEST_F(TypedTest, TuplesKnowTheirFields) {
  const Tuple<int64_t, String, ShapePtr> tuple(1, "two", Shape::Make({3}));
  EXPECT_EQ(tuple.Get<0>(), 1);
  EXPECT_EQ(tuple.Get<1>(), String("two"));
  EXPECT_EQ(tuple.Get<2>()->size(), 1u);
  static_assert(std::same_as<decltype(tuple.Get<2>()), ShapePtr>);
  const Any any = tuple;
  EXPECT_TRUE((any.Is<Tuple<int64_t, String, ShapePtr>>()));
  EXPECT_FALSE((any.Is<Tuple<int64_t, int64_t, ShapePtr>>()));
  EXPECT_EQ(PrintValue(any), R"((1, "two", [3]))");
}

}  // namespace
}  // namespace tern::typed_test
