// SPDX-License-Identifier: Apache-2.0
// Text in columns, and floats by their places.
#include "core/base/columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "core/base/half.h"
#include "core/base/ulp.h"

namespace tern::columns_test {
namespace {

TEST(Columns, AreAsWideAsAskedForOrAsTheirText) {
  EXPECT_EQ(AlignRight("ab", 4), "  ab");
  EXPECT_EQ(AlignLeft("ab", 4), "ab  ");
  EXPECT_EQ(AlignRight("abcde", 4), "abcde");
  EXPECT_EQ(AlignLeft("", 0), "");
}

TEST(Columns, FiguresHaveTheirDecimals) {
  EXPECT_EQ(FormatFixed(3.14159, 3), "3.142");
  EXPECT_EQ(FormatFixed(0.0004, 3), "0.000");
  EXPECT_EQ(FormatFixed(2.5, 0), "3");
  EXPECT_EQ(FormatFixed(0.999, 2), "1.00");
  EXPECT_EQ(FormatFixed(12, 1), "12.0");
}

TEST(Columns, WorkStandsBelowItsHeadings) {
  EXPECT_EQ(WorkColumns({3e9, 1.5e9, 1536, 1e9}), "     3.00     1.50    2.00        1.5");
  EXPECT_EQ(WorkColumns({}).size(), std::string(kWorkHeadings).size());
  EXPECT_EQ(WorkColumns({0, 4, 0, 2}), "              2.00                   ");
}

TEST(ColumnsBad, WhatCannotBeShownIsZeroOrTheMost) {
  EXPECT_EQ(FormatFixed(-1, 2), "0.00");
  EXPECT_EQ(FormatFixed(NAN, 2), "0.00");
  EXPECT_EQ(FormatFixed(HUGE_VAL, 0), "9200000000000000000");
  EXPECT_EQ(FormatFixed(1e300, 9), "9200000000.000000000");
}

TEST(Ulp, NeighboursAreOneApartAndZerosAreOne) {
  const auto of = [](double a, double b) {
    return UlpDistance(__builtin_bit_cast(uint64_t, a), __builtin_bit_cast(uint64_t, b), 8);
  };
  EXPECT_EQ(of(1, 1), 0u);
  EXPECT_EQ(of(1, std::nextafter(1, 2)), 1u);
  EXPECT_EQ(of(-1, std::nextafter(-1.0, 0)), 1u);
  EXPECT_EQ(of(-0.0, 0.0), 0u);
  EXPECT_EQ(of(-4.9e-324, 4.9e-324), 2u);
  EXPECT_EQ(of(-HUGE_VAL, HUGE_VAL), 2 * 0x7ff0000000000000u);
  EXPECT_EQ(UlpDistance(F32ToF16(1.0f), F32ToF16(-1.0f), 2), 2u * 0x3c00);
}

}  // namespace
}  // namespace tern::columns_test
