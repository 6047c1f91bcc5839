// SPDX-License-Identifier: Apache-2.0
// Shape, Adt, Closure, Error.
#include <gtest/gtest.h>

#include <vector>

#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/error.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "tests/unit/object/counting.h"

namespace tern::containers_test {
namespace {

using ContainersTest = CountedTest;
using ContainersTestBad = CountedTest;

TEST_F(ContainersTest, Shape) {
  const ShapePtr shape = Shape::Make({2, 3, 5});
  EXPECT_EQ(shape->size(), 3u);
  EXPECT_EQ((*shape)[2], 5);
  EXPECT_EQ(shape->ToString(), "[2, 3, 5]");
  EXPECT_EQ(Shape::Make(Dims())->size(), 0u);
}

TEST_F(ContainersTest, ElementCount) {
  const auto count = [](std::initializer_list<int64_t> dims) {
    return ElementCount(Dims(dims.begin(), dims.size()));
  };
  EXPECT_EQ(count({}), 1);
  EXPECT_EQ(count({2, 3}), 6);
  EXPECT_EQ(count({INT64_MAX, INT64_MAX, 0}), 0);
  EXPECT_EQ(count({INT64_MAX, 1}), INT64_MAX);
  EXPECT_EQ(count({INT64_MAX, 2}), std::nullopt);
  EXPECT_EQ(count({-1}), std::nullopt);
  EXPECT_EQ(count({0, -1}), std::nullopt);
}

TEST_F(ContainersTest, AdtSharesItsFields) {
  const ShapePtr shape = Shape::Make({1});
  {
    const auto cons = Adt::Make(1, std::vector<AnyView>{AnyView(1), AnyView(shape)});
    EXPECT_EQ(cons->tag(), 1);
    EXPECT_EQ(shape->ref_count(), 2);
    EXPECT_EQ(cons->Field(1)->TryCast<Shape>(), shape.get());
    EXPECT_FALSE(cons->is_tuple());
  }
  EXPECT_EQ(shape->ref_count(), 1);
}

TEST_F(ContainersTest, AdtNestsDeeply) {
  auto list = Adt::Make(0, std::span<const AnyView>());
  for (int i = 0; i < 1000; ++i)
    list = Adt::Make(1, std::vector<AnyView>{AnyView(i), AnyView(list)});
  int length = 0;
  for (const Adt* at = list.get(); at->tag() == 1; at = (*at)[1].TryCast<Adt>()) ++length;
  EXPECT_EQ(length, 1000);
}

TEST_F(ContainersTest, AdtOwnsBorrowedText) {
  ObjectPtr<Adt> tuple;
  {
    char text[] = "a text that goes away";
    tuple = Adt::Tuple({AnyView(static_cast<const char*>(text))});
    text[0] = 'X';
  }
  EXPECT_EQ(*(*tuple)[0].TryCast<std::string_view>(), "a text that goes away");
}

TEST_F(ContainersTestBad, FieldOutsideNamesIndexAndArity) {
  EXPECT_EQ(Adt::Tuple({1, 2})->Field(2).status().message(), "field 2 of a tuple of 2 fields");
  EXPECT_EQ(Adt::Make(7, std::span<const AnyView>())->Field(0).status().message(),
            "field 0 of an adt with tag 7 of 0 fields");
  EXPECT_FALSE(Adt::Tuple({1})->Field(-1).ok());
}

TEST_F(ContainersTest, ClosureKeepsItsVariables) {
  const ShapePtr shape = Shape::Make({1});
  {
    const AnyView captured[] = {shape, 2};
    const auto closure = Closure::Make(3, captured);
    EXPECT_EQ(closure->function_index(), 3u);
    ASSERT_EQ(closure->free_variables().size(), 2u);
    EXPECT_EQ(shape->ref_count(), 2);
    EXPECT_EQ(*closure->free_variables()[1].TryCast<int64_t>(), 2);
  }
  EXPECT_EQ(shape->ref_count(), 1);
}

TEST_F(ContainersTest, ErrorCarriesStatusAndFrames) {
  const auto error = Error::Make(NotFound("no such thing").AddNote("look elsewhere"));
  error->AddFrame({"inner", 4});
  error->AddFrame({"main", -1});
  EXPECT_EQ(error->kind(), "not found");
  EXPECT_EQ(error->ToStatus().ToString(),
            "not found: no such thing\n  note: look elsewhere\n  note: in inner at pc 4\n  note: "
            "in main");
  EXPECT_EQ(error->status().notes().size(), 1u);
}

}  // namespace
}  // namespace tern::containers_test
