// SPDX-License-Identifier: Apache-2.0
#include "core/base/product.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tern::product_test {
namespace {

constexpr int64_t kLeast = INT64_MIN, kMost = INT64_MAX, kFirstLong = int64_t{1} << 31;

TEST(MultiplyChecked, GivesProductsThatFit) {
  for (const auto& [a, b, expected] : {std::array<int64_t, 3>{3, 4, 12},
                                       {-3, 4, -12},
                                       {0, kLeast, 0},
                                       {1, kMost, kMost},
                                       {kFirstLong - 1, kFirstLong - 1, 4611686014132420609},
                                       {kFirstLong, kFirstLong, 4611686018427387904},
                                       {-1, kMost, -kMost}}) {
    int64_t product = 0;
    EXPECT_TRUE(MultiplyChecked(a, b, &product)) << a << " * " << b;
    EXPECT_EQ(product, expected);
  }
}

TEST(MultiplyChecked, TellsAnOverflow) {
  for (const auto& [a, b] : {std::array<int64_t, 2>{kMost, 2},
                             {kLeast, -1},
                             {kLeast, 2},
                             {kFirstLong, 4 * kFirstLong},
                             {-2, kMost}}) {
    int64_t product = 0;
    EXPECT_FALSE(MultiplyChecked(a, b, &product)) << a << " * " << b;
  }
}

}  // namespace
}  // namespace tern::product_test
