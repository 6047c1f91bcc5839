// SPDX-License-Identifier: Apache-2.0
// Conversion between element types, in blocks through f64 (from and to floats) or i64 (between
// integers), or at once to f32: three times 13 readers and twice 13 writers instead of 169 pairs.
// Floats to integers truncate and saturate, NaN becomes 0; integers to narrower ones, and
// everything to those below a byte, lose their high bits.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/strings.h"
#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/elementwise.h"
#include "core/kernels/bind/types.h"
#include "core/object/graph/print.h"
#include "core/object/small_numbers.h"

namespace tern::kernels::bind {
namespace {

// Elements that are converted at once: 2 KiB as f64, which the nearest cache holds.
constexpr int64_t kBlock = 256;

template <class W>
void ReadSmall(const Tensor& x, int64_t begin, int64_t count, W* values) {
  for (int64_t i = 0; i < count; ++i) {
    // All numbers of 8 bits and fewer are exact in f32.
    const uint8_t bits = SmallBits(x.dtype(), x.data(), begin + i);
    values[i] = static_cast<W>(SmallToF32(x.dtype(), bits));
  }
}

template <class W>
bool ReadBlock(const Tensor& x, int64_t begin, int64_t count, W* values) {
  if (x.dtype() == kF16 || x.dtype() == kBf16) {
    const uint16_t* from = static_cast<const uint16_t*>(x.data()) + begin;
    const bool brain = x.dtype() == kBf16;
    for (int64_t i = 0; i < count; ++i) {
      values[i] = static_cast<W>(brain ? Bf16ToF32(from[i]) : F16ToF32(from[i]));
    }
    return true;
  }
  if (IsSmallNumber(x.dtype())) {
    ReadSmall(x, begin, count, values);
    return true;
  }
  return DispatchNumber(x.dtype(), [&](auto type) {
    const auto* from = x.data_as<decltype(type)>() + begin;
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<W>(from[i]);
  });
}

template <class T, class W>
T Convert(W value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<W>) {
    return ConvertNumber<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

template <class W>
void WriteSmall(const Tensor& y, int64_t begin, int64_t count, const W* values,
                const ops::CastAttrs& how) {
  const auto power = static_cast<PowerRounding>(how.round_mode);
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t bits =
        IsSmallFloat(y.dtype())
            ? F32ToSmallFloat(y.dtype(), RoundToOdd(static_cast<double>(values[i])), how.saturate,
                              power)
            : static_cast<uint8_t>(Convert<int64_t>(values[i]));
    SetSmallBits(y.dtype(), y.data(), begin + i, bits);
  }
}

template <class W>
bool WriteBlock(const Tensor& y, int64_t begin, int64_t count, const W* values,
                const ops::CastAttrs& how) {
  if (IsSmallNumber(y.dtype())) {
    WriteSmall(y, begin, count, values, how);
    return true;
  }
  if (y.dtype() == kF16 || y.dtype() == kBf16) {
    uint16_t* to = static_cast<uint16_t*>(y.data()) + begin;
    const bool brain = y.dtype() == kBf16;
    for (int64_t i = 0; i < count; ++i) {
      // To odd first: rounding to f32 and then to 16 bits could round twice.
      const float value = RoundToOdd(static_cast<double>(values[i]));
      to[i] = brain ? F32ToBf16(value) : F32ToF16(value);
    }
    return true;
  }
  return DispatchNumber(y.dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = y.data_as<T>() + begin;
    for (int64_t i = 0; i < count; ++i) to[i] = Convert<T>(values[i]);
  });
}

// Elements [begin, end), which may be none; false where no element of such a type is converted.
template <class W>
bool ConvertRange(const Tensor& x, const Tensor& y, const ops::CastAttrs& how, int64_t begin,
                  int64_t end) {
  W values[kBlock];
  do {
    const int64_t count = std::min(end - begin, kBlock);
    if (!ReadBlock(x, begin, count, values) || !WriteBlock(y, begin, count, values, how))
      return false;
    begin += kBlock;
  } while (begin < end);
  return true;
}

bool IsFloat(DType dtype) { return dtype.is_float() || IsSmallFloat(dtype); }

// Every number is rounded to f32 as it is read. Of integers that become integers the low bits
// count, which i64 holds of u64 too.
bool ConvertElements(const Tensor& x, const Tensor& y, const ops::CastAttrs& how, int64_t begin,
                     int64_t end) {
  if (y.dtype() == kF32) return ReadBlock(x, begin, end - begin, y.data_as<float>() + begin);
  if (IsFloat(x.dtype()) || IsFloat(y.dtype())) return ConvertRange<double>(x, y, how, begin, end);
  return ConvertRange<int64_t>(x, y, how, begin, end);
}

// Whether elements of these types are converted, and so all were.
bool ConvertAll(const Call& call, const Tensor& x, const Tensor& y, const ops::CastAttrs& how) {
  constexpr int64_t kGrain = 32 * 1024;
  if (!ConvertElements(x, y, how, 0, 0)) return false;
  call.ForRanges(x.element_count(), kGrain,
                 [&](int64_t begin, int64_t end) { ConvertElements(x, y, how, begin, end); });
  return true;
}

// "1", "2.5", "NaN", "-INF", "1e5" and the like, as the standard has them.
bool ReadNumber(std::string_view text, double* value) {
  const auto is = [&](std::string_view name) {
    return text.size() == name.size() && std::equal(text.begin(), text.end(), name.begin(),
                                                    [](char a, char b) { return (a | 0x20) == b; });
  };
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (is("inf") || is("infinity")) {
    *value = std::numeric_limits<double>::infinity();
  } else if (is("nan")) {
    *value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const std::optional<double> parsed = ParseDouble(text);
    if (!parsed.has_value()) return false;
    *value = *parsed;
  }
  if (negative) *value = -*value;
  return true;
}

// Whole numbers exactly, others through f64.
Status FromTexts(const Tensor& x, const Tensor& y, const ops::CastAttrs& how) {
  for (int64_t i = 0; i < x.element_count(); ++i) {
    const std::string_view text = StrTrim(x.string_at(i));
    // f64 would round whole numbers from 2^53 on.
    const std::optional<int64_t> whole = ParseInt64(text);
    double value = 0;
    if (!whole.has_value() && !ReadNumber(text, &value))
      return InvalidArgument("element ", i, " is no number: '", text.substr(0, 40), "'");
    const bool done =
        whole.has_value() ? WriteBlock(y, i, 1, &*whole, how) : WriteBlock(y, i, 1, &value, how);
    if (!done) return Unsupported("casting ", x.TypeText(), " to ", y.dtype().ToString());
  }
  return OkStatus();
}

Status ToTexts(const Tensor& x, Tensor* y) {
  for (int64_t i = 0; i < x.element_count(); ++i) y->set_string(i, TensorElementText(x, i));
  return OkStatus();
}

}  // namespace

namespace {

Result<TensorPtr> CastAs(Call& call, const Tensor& x, const ops::CastAttrs& how) {
  const DType to = how.to;
  TERN_TRY_ASSIGN(TensorPtr y, call.New(to, ExtentsOf(x)));
  // The bits behind the last element of a packed tensor are zero.
  if (to.bits < 8 && y->byte_size() > 0) static_cast<uint8_t*>(y->data())[y->byte_size() - 1] = 0;
  if (x.dtype().is_string() || to.is_string()) {
    TERN_TRY(to.is_string() ? ToTexts(x, y.get()) : FromTexts(x, *y, how));
    return y;
  }
  if (ConvertAll(call, x, *y, how)) return y;
  return Unsupported("casting ", x.TypeText(), " to ", to.ToString());
}

}  // namespace

Result<TensorPtr> CastTo(Call& call, const Tensor& x, DType to) {
  ops::CastAttrs how;
  how.to = to;
  return CastAs(call, x, how);
}

Result<Any> Cast(const ops::CastAttrs& attrs, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  TERN_TRY(call.TakeStatus());
  if (x->dtype() == attrs.to) return call.Share(0);
  // An element of several lanes is no number that has a value to convert.
  if (x->dtype().lanes != 1 || attrs.to.lanes != 1)
    return WrongTensor(call, 0, *x, "elements of one number");
  TERN_TRY_ASSIGN(TensorPtr y, CastAs(call, *x, attrs));
  return Any(std::move(y));
}

Result<Any> BitCast(const ops::BitCastAttrs& attrs, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(ops::CheckBitCast(x->dtype(), attrs.to));
  if (x->dtype() == attrs.to) return call.Share(0);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(attrs.to, ExtentsOf(*x)));
  const std::optional<int64_t> bytes = attrs.to.bytes_for(x->element_count());
  TERN_CHECK(bytes.has_value());
  if (*bytes > 0) std::memcpy(y->data(), x->data(), static_cast<size_t>(*bytes));
  if (!attrs.to.is_bool()) return Any(std::move(y));
  // C++ knows bools of 0 and 1 alone; other bytes become true.
  uint8_t* truths = static_cast<uint8_t*>(y->data());
  for (int64_t i = 0; i < *bytes; ++i) truths[i] = truths[i] != 0 ? 1 : 0;
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
