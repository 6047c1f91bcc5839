// SPDX-License-Identifier: Apache-2.0
// Names of element types, and the sizes of elements in memory.
#include "core/object/dtype.h"

#include <iterator>
#include <vector>

#include "core/base/product.h"
#include "core/base/strings.h"
#include "core/object/small_numbers.h"

namespace tern {
namespace {

// Short names are ours; long ones are those of NumPy and ml_dtypes, which importers and users
// write.
struct Name {
  DType dtype;
  std::string_view name;
  std::string_view long_name;
};

constexpr Name kNames[] = {
    {kF64, "f64", "float64"},
    {kF32, "f32", "float32"},
    {kF16, "f16", "float16"},
    {kBf16, "bf16", "bfloat16"},
    {kI64, "i64", "int64"},
    {kI32, "i32", "int32"},
    {kI16, "i16", "int16"},
    {kI8, "i8", "int8"},
    {kU64, "u64", "uint64"},
    {kU32, "u32", "uint32"},
    {kU16, "u16", "uint16"},
    {kU8, "u8", "uint8"},
    {kBool, "bool", "bool"},
    {kI4, "i4", "int4"},
    {kU4, "u4", "uint4"},
    {kI2, "i2", "int2"},
    {kU2, "u2", "uint2"},
    {kF8E4M3, "f8e4m3", "float8_e4m3fn"},
    {kF8E5M2, "f8e5m2", "float8_e5m2"},
    {kF8E4M3Fnuz, "f8e4m3fnuz", "float8_e4m3fnuz"},
    {kF8E5M2Fnuz, "f8e5m2fnuz", "float8_e5m2fnuz"},
    {kF8E8M0, "f8e8m0", "float8_e8m0fnu"},
    {kF4E2M1, "f4e2m1", "float4_e2m1fn"},
    {kString, "string", "string"},
    {kC64, "c64", "complex64"},
    {kC128, "c128", "complex128"},
};

// Lanes are left out because every scalar type exists as a vector too.
const Name* FindName(DType dtype) {
  dtype.lanes = 1;
  for (const Name& name : kNames) {
    if (name.dtype == dtype) return &name;
  }
  return nullptr;
}

const Name* FindName(std::string_view text) {
  for (const Name& name : kNames) {
    if (name.name == text || name.long_name == text) return &name;
  }
  return nullptr;
}

Status Unknown(std::string_view text) {
  std::vector<std::string_view> names;
  for (const Name& name : kNames) names.push_back(name.name);
  Status status = TypeError("unknown dtype ", text);
  return std::move(status).AddNote(StrCat("known: ", StrJoin(names, " ")));
}

}  // namespace

std::string DType::ToString() const {
  const Name* name = FindName(*this);
  std::string out =
      name != nullptr ? std::string(name->name) : StrCat("dtype(code ", code, ", ", bits, " bits)");
  if (lanes != 1) StrAppend(&out, "x", lanes);
  return out;
}

Result<DType> DType::Parse(std::string_view text) {
  // Names first, because "complex64" has an 'x' that splits no lanes off.
  if (const Name* name = FindName(text); name != nullptr) return name->dtype;
  // The last 'x' splits lanes from the name. One lane is written without a suffix, so "f32x1" is
  // refused: each type has one spelling.
  const size_t x = text.rfind('x');
  if (x == std::string_view::npos) return Unknown(StrCat("'", text, "'"));
  const std::optional<uint64_t> lanes = ParseUint64(text.substr(x + 1));
  const Name* name = FindName(text.substr(0, x));
  // A vector of strings has no layout: an element is a pointer with a count.
  if (!lanes.has_value() || *lanes < 2 || *lanes > UINT16_MAX || name == nullptr ||
      name->dtype.is_string())
    return Unknown(StrCat("'", text, "'"));
  return DType(name->dtype.code, name->dtype.bits, static_cast<uint16_t>(*lanes));
}

std::optional<DType> DType::FromWord(uint32_t word) {
  const DType dtype(static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8),
                    static_cast<uint16_t>(word >> 16));
  if (!dtype.IsKnown()) return std::nullopt;
  return dtype;
}

bool DType::IsKnown() const {
  return lanes >= 1 && FindName(*this) != nullptr && !(is_string() && lanes != 1);
}

std::optional<int64_t> DType::bytes_for(int64_t count) const {
  int64_t total_bits = 0;
  // Counted in bytes where elements are whole bytes, because a count in bits would overflow from
  // 2^60 bytes on. The bits of packed types are rounded up to a byte for the whole tensor, not for
  // each row.
  const int64_t element_bits = int64_t{bits} * lanes;
  if (element_bits % 8 == 0) {
    if (!MultiplyChecked(count, element_bits / 8, &total_bits)) return std::nullopt;
    return total_bits;
  }
  if (!MultiplyChecked(count, element_bits, &total_bits)) return std::nullopt;
  return total_bits / 8 + (total_bits % 8 != 0 ? 1 : 0);
}

}  // namespace tern
