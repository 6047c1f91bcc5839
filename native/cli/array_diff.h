// SPDX-License-Identifier: Apache-2.0
// Compares two arrays element by element, and says how far apart they are in units in the last
// place. `tern diff` uses it; --expect of `tern run` compares by its own tolerances (outputs.h).
#ifndef TERN_NATIVE_CLI_ARRAY_DIFF_H_
#define TERN_NATIVE_CLI_ARRAY_DIFF_H_

#include <cstdint>
#include <string>

#include "core/base/json.h"
#include "native/cli/array.h"

namespace tern::cli {

// What counts as equal. With all three 0 elements must have the same bits, but a NaN is equal to
// every NaN.
struct DiffTolerance {
  double rtol = 0;  // |a-b| <= atol + rtol * |b|
  double atol = 0;
  uint64_t max_ulp = 0;  // floats between which there are less than so many others
};

struct ArrayDifference {
  std::string types;    // "f32[2] against f32[3]"; the rest is unset then
  size_t elements = 0;  // of the array
  size_t wrong = 0;     // elements that differ
  size_t first = 0;     // the first of them, row-major
  size_t worst = 0;     // the one that is farthest off, in ulp, or in value where there are none
  uint64_t worst_ulp = 0;
  bool has_ulp = false;  // floats, and none of the two is a NaN
  std::string a, b;      // the worst element

  bool equal() const { return types.empty() && wrong == 0; }
};

ArrayDifference CompareArrays(const Array& a, const Array& b, const DiffTolerance& tolerance);

// "3 of 64 elements differ, first [5], worst [7] = 1 against 1.0000001 (1 ulp)"
std::string DifferenceText(const ArrayDifference& difference, const Array& a);
// Writes the members "elements", "different", "first", "worst": {"index", "a", "b", "ulp"}, or
// "types", into an object that is open.
void WriteDifference(const ArrayDifference& difference, const Array& a, JsonWriter* json);

// The element as it would be written: shortest for its dtype, integers exact.
std::string ElementText(const Array& array, size_t i);
// "[1, 2]": a flat index by axes, the last fastest.
std::string IndexText(size_t flat, std::span<const int64_t> shape);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_ARRAY_DIFF_H_
