// SPDX-License-Identifier: Apache-2.0
// Every element is at most 64 bits, whose low bytes come first: every host of ours is
// little-endian.
#include "core/object/set_element.h"

#include <cstring>

#include "core/base/half.h"
#include "core/object/small_numbers.h"

namespace tern {
namespace {

uint64_t BitsOf(DType dtype, const ElementNumber& number) {
  const auto narrow = static_cast<float>(number.value);
  if (dtype == kF64) return __builtin_bit_cast(uint64_t, number.value);
  if (dtype == kF32) return __builtin_bit_cast(uint32_t, narrow);
  if (dtype == kF16) return F32ToF16(narrow);
  if (dtype == kBf16) return F32ToBf16(narrow);
  if (dtype.is_bool()) return number.value != 0 ? 1 : 0;
  return static_cast<uint64_t>(number.integer);
}

}  // namespace

bool SetElement(const Tensor& tensor, int64_t index, const ElementNumber& number) {
  const DType dtype = tensor.dtype();
  if (IsSmallNumber(dtype)) {
    const uint8_t bits = IsSmallFloat(dtype)
                             ? F32ToSmallFloat(dtype, static_cast<float>(number.value), true)
                             : static_cast<uint8_t>(number.integer);
    SetSmallBits(dtype, tensor.data(), index, bits);
    return true;
  }
  if (dtype.lanes != 1 || !(dtype.is_float() || dtype.is_int() || dtype.is_bool())) return false;
  const uint64_t bits = BitsOf(dtype, number);
  const auto size = static_cast<size_t>(dtype.size());
  std::memcpy(static_cast<uint8_t*>(tensor.data()) + static_cast<size_t>(index) * size, &bits,
              size);
  return true;
}

}  // namespace tern
