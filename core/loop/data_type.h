// SPDX-License-Identifier: Apache-2.0
// DataType: the type of a value in the loop IR, an element type and how many lanes.
//
// A scalable vector has vscale times as many lanes as it says; vscale is the machine's, unknown
// when the program is written. So it has no lanes() at all, only vscale_factor(). Texts are
// spelled as TVM spells them: "float32", "int8x16", "float32xvscalex4".
#ifndef TERN_CORE_LOOP_DATA_TYPE_H_
#define TERN_CORE_LOOP_DATA_TYPE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/base/result.h"
#include "core/object/dtype.h"

namespace tern::loop {

inline constexpr int64_t kMaxVScale = 16;  // 2048 bits in units of 128
inline constexpr int kVectorUnitBits = 128;
inline constexpr int kMaxLanes = 1024;

// How many lanes: count, or vscale * count.
struct Lanes {
  int32_t count = 1;
  bool scalable = false;

  constexpr bool is_scalar() const { return count == 1 && !scalable; }
  constexpr int64_t At(int64_t vscale) const { return scalable ? count * vscale : count; }
  std::string ToString() const;  // "4", "vscale * 4"
  friend constexpr bool operator==(const Lanes&, const Lanes&) = default;
};

class DataType {
 public:
  constexpr DataType() = default;  // float32
  constexpr DataType(int code, int bits, int lanes, bool is_scalable = false)
      : element_(static_cast<uint8_t>(code), static_cast<uint8_t>(bits)),
        lanes_{lanes, is_scalable} {}
  constexpr DataType(DType element, Lanes lanes = {})  // NOLINT: an element is a scalar's type
      : element_(element.code, element.bits), lanes_(lanes) {}

  constexpr int code() const { return element_.code; }
  constexpr int bits() const { return element_.bits; }
  constexpr bool is_scalable() const { return lanes_.scalable; }
  constexpr bool is_scalar() const { return lanes_.is_scalar(); }
  constexpr bool is_vector() const { return !is_scalar(); }
  // Of a fixed vector or a scalar; asking a scalable vector is a bug.
  int lanes() const {
    TERN_CHECK(!lanes_.scalable, "a scalable vector has no number of lanes");
    return lanes_.count;
  }
  int vscale_factor() const {
    TERN_CHECK(lanes_.scalable, "not a scalable vector");
    return lanes_.count;
  }
  constexpr Lanes lane_count() const { return lanes_; }
  constexpr DType element() const { return element_; }
  constexpr DataType With(Lanes lanes) const { return DataType(element_, lanes); }
  constexpr DataType WithElement(DType element) const { return DataType(element, lanes_); }
  // As memory holds it: a bool is a byte.
  constexpr DataType InMemory() const { return is_bool() ? WithElement(kU8) : *this; }
  constexpr DataType Scalar() const { return DataType(element_); }

  constexpr bool is_float() const { return element_.is_float(); }
  constexpr bool is_int() const { return element_.is_int(); }
  constexpr bool is_signed() const { return element_.is_signed_int(); }
  constexpr bool is_bool() const { return element_.is_bool(); }
  constexpr int64_t element_bytes() const { return element_.size(); }

  std::string ToString() const;
  // Also short names ("f32xvscalex4").
  static Result<DataType> Parse(std::string_view text);
  // The element types that loops compute with: bool, (u)int8 … 64, float16, bfloat16, float32,
  // float64.
  static bool IsSupported(DType element);

  friend constexpr bool operator==(const DataType&, const DataType&) = default;

 private:
  DType element_;
  Lanes lanes_;
};

inline constexpr DataType kIndexType{kI64};  // of sizes, loop variables, vscale, indices
inline constexpr DataType kBoolType{kBool};

// "float32"; "bool".
std::string_view ElementName(DType element);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_DATA_TYPE_H_
