// SPDX-License-Identifier: Apache-2.0
#include "native/cli/array_diff.h"

#include <string.h>

#include <cmath>

#include "core/base/half.h"
#include "core/base/strings.h"
#include "core/base/ulp.h"

namespace tern::cli {
namespace {

bool IsFloat(std::string_view dtype) {
  return dtype == "f32" || dtype == "f64" || dtype == "f16" || dtype == "bf16";
}

uint64_t BitsOf(const Array& array, size_t i) {
  const size_t size = ElementSize(array.dtype);
  uint64_t bits = 0;
  memcpy(&bits, array.bytes.data() + i * size, size);
  return bits;
}

bool IsWithin(double a, double b, const DiffTolerance& tolerance) {
  return std::fabs(a - b) <= tolerance.atol + tolerance.rtol * std::fabs(b);
}

// How one pair of elements differs.
struct Pair {
  bool differs = false;
  bool has_ulp = false;
  uint64_t ulp = 0;
  double distance = 0;  // infinite where it cannot be told
};

Pair ComparePair(const Array& a, const Array& b, size_t i, const DiffTolerance& tolerance) {
  const uint64_t bits_a = BitsOf(a, i), bits_b = BitsOf(b, i);
  Pair pair;
  // Equal bits are equal, whatever they mean; nearly all pairs end here.
  if (bits_a == bits_b) return pair;
  const double x = ElementAsDouble(a, i), y = ElementAsDouble(b, i);
  // Two that are no numbers are alike, also if their bits are not.
  if (std::isnan(x) && std::isnan(y)) return pair;
  const bool is_nan = std::isnan(x) || std::isnan(y);
  pair.distance = is_nan ? HUGE_VAL : std::fabs(x - y);
  if (IsFloat(a.dtype) && !is_nan) {
    pair.has_ulp = true;
    pair.ulp = UlpDistance(bits_a, bits_b, ElementSize(a.dtype));
  }
  const bool is_loose = tolerance.rtol > 0 || tolerance.atol > 0;
  // Either tolerance lets a pair through.
  const bool is_near = tolerance.max_ulp > 0 && pair.has_ulp && pair.ulp <= tolerance.max_ulp;
  pair.differs = !(is_loose && IsWithin(x, y, tolerance)) && !is_near;
  return pair;
}

// A NaN on one side is farther off than any number.
bool IsWorse(const Pair& pair, const Pair& than) {
  if (pair.has_ulp && than.has_ulp) return pair.ulp > than.ulp;
  return pair.distance > than.distance;
}

}  // namespace

std::string IndexText(size_t flat, std::span<const int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = static_cast<size_t>(shape[axis]);
    index[axis] = static_cast<int64_t>(flat % extent);
    flat /= extent;
  }
  return FormatDims(index);
}

std::string ElementText(const Array& array, size_t i) {
  if (array.dtype == "f64") return FormatDouble(ElementAsDouble(array, i));
  if (IsFloat(array.dtype)) return FormatFloat(static_cast<float>(ElementAsDouble(array, i)));
  const uint64_t bits = BitsOf(array, i);
  if (array.dtype == "bool") return bits != 0 ? "true" : "false";
  // Integers as they are: a double would round those of 64 bits.
  if (array.dtype[0] == 'u') return StrCat(bits);
  // Up and down again, which fills in the sign.
  const size_t unused = 64 - 8 * ElementSize(array.dtype);
  return StrCat(static_cast<int64_t>(bits << unused) >> unused);
}

ArrayDifference CompareArrays(const Array& a, const Array& b, const DiffTolerance& tolerance) {
  ArrayDifference result;
  if (a.dtype != b.dtype || a.shape != b.shape) {
    result.types = StrCat(TypeText(a.dtype, a.shape), " against ", TypeText(b.dtype, b.shape));
    return result;
  }
  result.elements = a.bytes.size() / ElementSize(a.dtype);
  Pair worst;
  for (size_t i = 0; i < result.elements; ++i) {
    const Pair pair = ComparePair(a, b, i, tolerance);
    if (!pair.differs) continue;
    if (result.wrong++ == 0) result.first = i;
    // Of equally bad ones the first is shown.
    if (result.wrong > 1 && !IsWorse(pair, worst)) continue;
    worst = pair;
    result.worst = i;
  }
  if (result.wrong == 0) return result;
  result.has_ulp = worst.has_ulp;
  result.worst_ulp = worst.ulp;
  result.a = ElementText(a, result.worst);
  result.b = ElementText(b, result.worst);
  return result;
}

std::string DifferenceText(const ArrayDifference& difference, const Array& a) {
  if (!difference.types.empty()) return difference.types;
  std::string text =
      StrCat(difference.wrong, " of ", difference.elements, " elements differ, first ",
             IndexText(difference.first, a.shape), ", worst ", IndexText(difference.worst, a.shape),
             " = ", difference.a, " against ", difference.b);
  if (difference.has_ulp) StrAppend(&text, " (", difference.worst_ulp, " ulp)");
  return text;
}

void WriteDifference(const ArrayDifference& difference, const Array& a, JsonWriter* json) {
  if (!difference.types.empty()) {
    json->Field("types", difference.types);
    return;
  }
  json->Field("elements", difference.elements).Field("different", difference.wrong);
  if (difference.wrong == 0) return;
  json->Field("first", IndexText(difference.first, a.shape)).Key("worst").BeginObject();
  json->Field("index", IndexText(difference.worst, a.shape));
  json->Field("a", difference.a).Field("b", difference.b);
  if (difference.has_ulp) json->Field("ulp", difference.worst_ulp);
  json->EndObject();
}

}  // namespace tern::cli
