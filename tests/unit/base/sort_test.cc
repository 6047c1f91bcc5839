// SPDX-License-Identifier: Apache-2.0
#include "core/base/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace tern::sort_test {
namespace {

TEST(Sort, AgreesWithTheLibrary) {
  uint32_t state = 1;
  for (size_t count = 0; count < 200; ++count) {
    std::vector<uint32_t> items(count);
    for (uint32_t& item : items) item = (state = state * 1664525 + 1013904223) >> 20;
    std::vector<uint32_t> expected = items;
    std::sort(expected.begin(), expected.end());
    Sort(&items);
    EXPECT_EQ(items, expected) << count;
  }
}

TEST(Sort, TakesAnOrderAndWhatCanOnlyBeMoved) {
  std::vector<std::unique_ptr<int>> items;
  for (int i : {3, 1, 2, 5, 4}) items.push_back(std::make_unique<int>(i));
  Sort(&items, [](const auto& a, const auto& b) { return *a > *b; });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(*items[static_cast<size_t>(i)], 5 - i);
}

TEST(Sort, LeavesEqualAndSortedOnes) {
  std::vector<std::string> same(9, "x"), sorted = {"a", "b", "c"}, one = {"a"}, none;
  Sort(&same);
  EXPECT_EQ(same, std::vector<std::string>(9, "x"));
  Sort(&sorted);
  EXPECT_EQ(sorted, (std::vector<std::string>{"a", "b", "c"}));
  Sort(&one);
  Sort(&none);
  EXPECT_EQ(one.size() + none.size(), 1u);
}

// An order that contradicts itself gives some order, and ends.
TEST(Sort, EndsForAnOrderThatIsNone) {
  std::vector<double> items = {1, 0.0 / 0.0, 2, 0.0 / 0.0, -1};
  Sort(&items);
  Sort(&items, [](double, double) { return true; });
  EXPECT_EQ(items.size(), 5u);
}

}  // namespace
}  // namespace tern::sort_test
