// SPDX-License-Identifier: Apache-2.0
// From element types at run time to C++ types: DispatchNumber(dtype, f) calls f(T{}) for the C++
// type of a number type. The 16-bit floats have none: they are widened (WidenToF32) or, where only
// bits move, treated by size.

#ifndef TERN_CORE_KERNELS_BIND_TYPES_H_
#define TERN_CORE_KERNELS_BIND_TYPES_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/half.h"
#include "core/object/small_numbers.h"
#include "core/object/tensor.h"

namespace tern::kernels::bind {

// f(T{}) for integers, bool and f32, f64; false for any other type.
template <class F>
bool DispatchNumber(DType dtype, const F& f) {
  if (dtype == kF32) return f(float{}), true;
  if (dtype == kI64) return f(int64_t{}), true;
  if (dtype == kI32) return f(int32_t{}), true;
  if (dtype == kBool) return f(bool{}), true;
  if (dtype == kF64) return f(double{}), true;
  if (dtype == kU8) return f(uint8_t{}), true;
  if (dtype == kI8) return f(int8_t{}), true;
  if (dtype == kI16) return f(int16_t{}), true;
  if (dtype == kU16) return f(uint16_t{}), true;
  if (dtype == kU32) return f(uint32_t{}), true;
  if (dtype == kU64) return f(uint64_t{}), true;
  return false;
}

// The integers and bool, by width: what only moves or compares bits needs no more.
template <class F>
bool DispatchSize(int64_t size, const F& f) {
  if (size == 4) return f(uint32_t{}), true;
  if (size == 8) return f(uint64_t{}), true;
  if (size == 1) return f(uint8_t{}), true;
  if (size == 2) return f(uint16_t{}), true;
  return false;
}

// A number as T: integers saturate, NaN becomes 0.
template <class T>
T ConvertNumber(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (std::isnan(value)) return 0;
    // The largest integer may round up to a float that does not fit.
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    if (value <= static_cast<double>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

// Element `index` of a tensor of numbers (16-bit floats and small numbers included).
inline bool ReadElement(const Tensor& tensor, int64_t index, double* value) {
  if (tensor.dtype() == kF16) {
    *value = static_cast<double>(F16ToF32(static_cast<const uint16_t*>(tensor.data())[index]));
    return true;
  }
  if (tensor.dtype() == kBf16) {
    *value = static_cast<double>(Bf16ToF32(static_cast<const uint16_t*>(tensor.data())[index]));
    return true;
  }
  if (IsSmallNumber(tensor.dtype())) {
    const uint8_t bits = SmallBits(tensor.dtype(), tensor.data(), index);
    *value = static_cast<double>(SmallToF32(tensor.dtype(), bits));
    return true;
  }
  return DispatchNumber(tensor.dtype(), [&](auto type) {
    *value = static_cast<double>(tensor.data_as<decltype(type)>()[index]);
  });
}

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_TYPES_H_
