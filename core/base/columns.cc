// SPDX-License-Identifier: Apache-2.0
#include "core/base/columns.h"

#include <cstdint>

#include "core/base/strings.h"

namespace tern {
namespace {

// `value` in units of which `scale` make one.
uint64_t UnitsOf(double value, uint64_t scale) {
  constexpr double kMost = 9.2e18;
  const double units = value * static_cast<double>(scale) + 0.5;
  if (!(units > 0)) return 0;
  return static_cast<uint64_t>(units < kMost ? units : kMost);
}

std::string RateCell(double amount, double others, int digits, size_t width) {
  return AlignRight(amount > 0 && others > 0 ? FormatFixed(amount / others, digits) : "", width);
}

}  // namespace

std::string AlignRight(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string AlignLeft(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string FormatFixed(double value, int digits) {
  uint64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  const uint64_t units = UnitsOf(value, scale);
  if (digits == 0) return StrCat(units);
  const std::string fraction = StrCat(units % scale);
  const std::string zeros(static_cast<size_t>(digits) - fraction.size(), '0');
  return StrCat(units / scale, ".", zeros, fraction);
}

std::string WorkColumns(const WorkAmounts& row) {
  return StrCat(RateCell(row.operations, row.ns, 2, 9), RateCell(row.bytes, row.ns, 2, 9),
                RateCell(row.operations, row.bytes, 2, 8), RateCell(row.allocated, 1024, 1, 11));
}

}  // namespace tern
