// SPDX-License-Identifier: Apache-2.0
// How far one tensor is from another (tensor_summary.h).
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/half.h"
#include "core/base/json.h"
#include "core/base/ulp.h"
#include "core/vm/debug/tensor_elements.h"
#include "core/vm/debug/tensor_summary.h"

namespace tern::vm {
namespace {

// Of the element types that have an inspector's view as floats; none for others and where one of
// the two is not finite.
std::optional<double> Ulps(double a, double b, DType dtype) {
  if (!std::isfinite(a) || !std::isfinite(b)) return std::nullopt;
  const auto bits = [dtype](double value) -> uint64_t {
    const auto narrow = static_cast<float>(value);
    if (dtype == kF64) return __builtin_bit_cast(uint64_t, value);
    if (dtype == kF32) return __builtin_bit_cast(uint32_t, narrow);
    return dtype == kF16 ? F32ToF16(narrow) : F32ToBf16(narrow);
  };
  if (dtype != kF64 && dtype != kF32 && dtype != kF16 && dtype != kBf16) return std::nullopt;
  return static_cast<double>(UlpDistance(bits(a), bits(b), dtype.bits / 8));
}

struct Worst {
  double value = 0;
  int64_t index = -1;
  double a = 0, b = 0;

  void Offer(double candidate, int64_t at, double x, double y) {
    if (index < 0 || candidate > value) *this = {candidate, at, x, y};
  }
  void Write(std::string_view name, JsonWriter* json) const {
    json->Key(name);
    if (index < 0) {
      json->Null();
      return;
    }
    json->BeginObject().Field("value", value).Field("index", index);
    json->Field("a", a).Field("b", b).EndObject();
  }
};

struct Comparison {
  int64_t equal = 0, outside = 0, first_outside = -1;
  Worst absolute, relative, ulps;

  void Add(double a, double b, int64_t index, DType dtype, double atol, double rtol) {
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      ++equal;
      return;
    }
    const double difference = std::fabs(a - b);
    // Not <=, so that a NaN is outside.
    if (!(difference <= atol + rtol * std::fabs(b)) && outside++ == 0) first_outside = index;
    const double wide =
        std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    absolute.Offer(wide, index, a, b);
    relative.Offer(b == 0 ? std::numeric_limits<double>::infinity() : wide / std::fabs(b), index, a,
                   b);
    if (const std::optional<double> apart = Ulps(a, b, dtype)) ulps.Offer(*apart, index, a, b);
  }
};

}  // namespace

Result<std::string> CompareTensorsJson(const Tensor& a, const Tensor& b, double atol, double rtol) {
  TERN_TRY(CheckHasNumbers(a));
  TERN_TRY(CheckHasNumbers(b));
  if (a.TypeText() != b.TypeText())
    return TypeError("a ", a.TypeText(), " and a ", b.TypeText(), " cannot be compared");
  if (!(atol >= 0) || !(rtol >= 0))
    return InvalidArgument("tolerances of ", atol, " and ", rtol, ": they must be at least 0");
  Comparison found;
  ForEachBlock(a, [&](const double* values, int64_t count, int64_t at) {
    double others[kElementBlock];
    ReadElements(b, at, 1, count, others);
    for (int64_t i = 0; i < count; ++i)
      found.Add(values[i], others[i], at + i, a.dtype(), atol, rtol);
  });
  JsonWriter json;
  json.BeginObject().Field("count", a.element_count()).Field("equal", found.equal);
  json.Field("outside", found.outside).Field("passed", found.outside == 0);
  json.Field("firstOutside", found.first_outside);
  found.absolute.Write("maxAbsolute", &json);
  found.relative.Write("maxRelative", &json);
  found.ulps.Write("maxUlps", &json);
  json.EndObject();
  return json.Take();
}

}  // namespace tern::vm
