// SPDX-License-Identifier: Apache-2.0
// DType: the element type of a tensor, bit for bit DLPack's {code, bits, lanes}.
//
// Names: f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 bool; as data i4 u4 (packed two per byte,
// the low half first), f8e4m3 f8e5m2 (base/float8.h); string (elements are strings of our own;
// never exported), c64 c128. Vectors append xN: "f32x4".
#ifndef TERN_CORE_OBJECT_DTYPE_H_
#define TERN_CORE_OBJECT_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/abi/abi.h"
#include "core/base/result.h"

namespace tern {

struct DType {
  uint8_t code = TERN_DTYPE_FLOAT;
  uint8_t bits = 32;
  uint16_t lanes = 1;

  constexpr DType() = default;
  constexpr DType(uint8_t code_, uint8_t bits_, uint16_t lanes_ = 1)
      : code(code_), bits(bits_), lanes(lanes_) {}
  constexpr DType(TernDLDataType dl) : code(dl.code), bits(dl.bits), lanes(dl.lanes) {}  // NOLINT
  constexpr operator TernDLDataType() const { return {code, bits, lanes}; }              // NOLINT

  // "f32".
  std::string ToString() const;
  // Also accepts the long names "float32", "int64", "uint8", "bfloat16".
  static Result<DType> Parse(std::string_view text);

  // code, bits and lanes in one word, for files and tables; FromWord checks that the word names a
  // known type.
  constexpr uint32_t ToWord() const {
    return uint32_t{code} | uint32_t{bits} << 8 | uint32_t{lanes} << 16;
  }
  static std::optional<DType> FromWord(uint32_t word);
  // One of the types named above.
  bool IsKnown() const;

  constexpr bool is_float() const { return code == TERN_DTYPE_FLOAT || code == TERN_DTYPE_BFLOAT; }
  constexpr bool is_int() const { return code == TERN_DTYPE_INT || code == TERN_DTYPE_UINT; }
  constexpr bool is_signed_int() const { return code == TERN_DTYPE_INT; }
  constexpr bool is_bool() const { return code == TERN_DTYPE_BOOL; }
  constexpr bool is_string() const { return code == TERN_DTYPE_STRING; }

  // Bytes of one element; not for sub-byte types (bytes_for serves all).
  constexpr int64_t size() const { return (int64_t{bits} * lanes + 7) / 8; }
  // Bytes of `count` >= 0 elements, sub-byte ones packed; nullopt on overflow of int64.
  std::optional<int64_t> bytes_for(int64_t count) const;

  // As one word: the comparison that the compiler makes of three fields is a call where code is
  // compiled for size.
  [[gnu::always_inline]] friend constexpr bool operator==(const DType& a, const DType& b) {
    return a.ToWord() == b.ToWord();
  }
};
static_assert(sizeof(DType) == sizeof(TernDLDataType));

inline constexpr DType kF64{TERN_DTYPE_FLOAT, 64}, kF32{TERN_DTYPE_FLOAT, 32},
    kF16{TERN_DTYPE_FLOAT, 16};
inline constexpr DType kBf16{TERN_DTYPE_BFLOAT, 16};
inline constexpr DType kF8E4M3{TERN_DTYPE_FLOAT8_E4M3, 8}, kF8E5M2{TERN_DTYPE_FLOAT8_E5M2, 8};
inline constexpr DType kI64{TERN_DTYPE_INT, 64}, kI32{TERN_DTYPE_INT, 32}, kI16{TERN_DTYPE_INT, 16};
inline constexpr DType kI8{TERN_DTYPE_INT, 8}, kI4{TERN_DTYPE_INT, 4};
inline constexpr DType kU64{TERN_DTYPE_UINT, 64}, kU32{TERN_DTYPE_UINT, 32},
    kU16{TERN_DTYPE_UINT, 16};
inline constexpr DType kU8{TERN_DTYPE_UINT, 8}, kU4{TERN_DTYPE_UINT, 4};
inline constexpr DType kBool{TERN_DTYPE_BOOL, 8};
inline constexpr DType kString{TERN_DTYPE_STRING, 128};
inline constexpr DType kC64{TERN_DTYPE_COMPLEX, 64}, kC128{TERN_DTYPE_COMPLEX, 128};

// DTypeOf<float> is kF32, and so on for C++ number types and bool. (16-bit floats have no C++
// type.)
template <typename T>
inline constexpr DType kDTypeOf = DType(0, 0, 0);
template <>
inline constexpr DType kDTypeOf<double> = kF64;
template <>
inline constexpr DType kDTypeOf<float> = kF32;
template <>
inline constexpr DType kDTypeOf<int64_t> = kI64;
template <>
inline constexpr DType kDTypeOf<int32_t> = kI32;
template <>
inline constexpr DType kDTypeOf<int16_t> = kI16;
template <>
inline constexpr DType kDTypeOf<int8_t> = kI8;
template <>
inline constexpr DType kDTypeOf<uint64_t> = kU64;
template <>
inline constexpr DType kDTypeOf<uint32_t> = kU32;
template <>
inline constexpr DType kDTypeOf<uint16_t> = kU16;
template <>
inline constexpr DType kDTypeOf<uint8_t> = kU8;
template <>
inline constexpr DType kDTypeOf<bool> = kBool;

}  // namespace tern

#endif  // TERN_CORE_OBJECT_DTYPE_H_
