// SPDX-License-Identifier: Apache-2.0
// Between floats and integers with a scale and a zero point: for the whole tensor, for each index
// of an axis, or for blocks along it.

#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/broadcast.h"
#include "core/kernels/bind/elementwise.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/object/containers/adt.h"
#include "core/object/small_numbers.h"

namespace tern::kernels::bind {
namespace {

// Which element of scale (and zero point) belongs to an element of x.
struct ScaleMap {
  AxisView view{1, 1, 1};
  int64_t block = 0;  // 0: one scale per index of the axis
  bool whole = true;

  int64_t operator()(int64_t i) const {
    if (whole) return 0;
    const int64_t k = i / view.inner % view.axis;
    if (block == 0) return k;
    const int64_t blocks = (view.axis + block - 1) / block;
    return (i / view.inner / view.axis * blocks + k / block) * view.inner + i % view.inner;
  }
};

Result<ScaleMap> MapScales(const ops::QuantizeAttrs& attrs, const Tensor& x, const Tensor& scale,
                           const Tensor* zero) {
  // One element may have any rank: models have scalars, [1] and [1, 1] for it.
  const bool singles = zero != nullptr && zero->element_count() == 1 && scale.element_count() == 1;
  if (zero != nullptr && !singles && ExtentsOf(*zero) != ExtentsOf(scale)) {
    return InvalidArgument("zero_point is ", ops::ShapeText(ExtentsOf(*zero)), ", but scale ",
                           ops::ShapeText(ExtentsOf(scale)));
  }
  ScaleMap map;
  if (scale.element_count() == 1) return map;
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x.rank(), &axis));
  map.view = ViewAround(ExtentsOf(x), axis);
  map.block = attrs.block;
  map.whole = false;
  Extents expected{map.view.axis};
  if (attrs.block > 0) {
    expected = ExtentsOf(x);
    expected[axis] = (map.view.axis + attrs.block - 1) / attrs.block;
  }
  if (expected == ExtentsOf(scale)) return map;
  return InvalidArgument("scale is ", ops::ShapeText(ExtentsOf(scale)),
                         ", expected one element or ", ops::ShapeText(expected));
}

// Every number that is quantized is exact in f64, whatever its type.
double ElementOr(const Tensor* tensor, int64_t index, double fallback) {
  double value = fallback;
  if (tensor != nullptr) ReadElement(*tensor, index, &value);
  return value;
}

template <class T>
// In f64, where the bounds of all these types are exact; C++ leaves other conversions undefined.
T Saturate(double value) {
  const double low = static_cast<double>(std::numeric_limits<T>::min());
  const double high = static_cast<double>(std::numeric_limits<T>::max());
  if (std::isnan(value)) return 0;
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

// The integers that values are quantized to; small floats are, too.
bool IsQuantized(DType dtype) {
  return dtype == kU8 || dtype == kI8 || dtype == kU16 || dtype == kI16 ||
         (IsSmallNumber(dtype) && dtype != kF8E8M0);
}

// The quotient in the precision that is asked for: halves round as in the standard's own
// implementations.
double Quotient(double x, double scale, DType precision) {
  if (precision == kF64) return x / scale;
  const float ratio = static_cast<float>(x) / static_cast<float>(scale);
  if (precision == kF16) return static_cast<double>(F16ToF32(F32ToF16(ratio)));
  if (precision == kBf16) return static_cast<double>(Bf16ToF32(F32ToBf16(ratio)));
  return static_cast<double>(ratio);
}

// A small integer of the type, saturated.
uint8_t SaturateSmall(DType dtype, double value) {
  const double most = dtype.is_signed_int() ? (1 << (dtype.bits - 1)) - 1 : (1 << dtype.bits) - 1;
  const double least = dtype.is_signed_int() ? -most - 1 : 0;
  if (std::isnan(value)) return 0;
  return static_cast<uint8_t>(static_cast<int>(value < least  ? least
                                               : value > most ? most
                                                              : value));
}

// ratio(i) and zero(i) of every element; integers are rounded before the zero point is added.
template <class Ratio, class Zero>
void StoreQuantized(const Tensor& y, bool saturate, const Ratio& ratio, const Zero& zero) {
  const DType to = y.dtype();
  const int64_t count = y.element_count();
  if (IsSmallNumber(to)) {
    for (int64_t i = 0; i < count; ++i) {
      const bool is_int = to.is_int();
      const double value = (is_int ? std::nearbyint(ratio(i)) : ratio(i)) + zero(i);
      SetSmallBits(to, y.data(), i,
                   is_int ? SaturateSmall(to, value)
                          : F32ToSmallFloat(to, static_cast<float>(value), saturate));
    }
    return;
  }
  DispatchNumber(to, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>) {
      for (int64_t i = 0; i < count; ++i)
        y.data_as<T>()[i] = Saturate<T>(std::nearbyint(ratio(i)) + zero(i));
    }
  });
}

// The bits behind the last element of a packed tensor are zero.
void ClearTail(const Tensor& y) {
  if (y.dtype().bits < 8 && y.byte_size() > 0)
    static_cast<uint8_t*>(y.data())[y.byte_size() - 1] = 0;
}

// One scale, one zero point, f32 and 8 bits: what kernels do.
bool HasKernel(DType floats, DType bytes, const Tensor& scale) {
  return floats == kF32 && scale.dtype() == kF32 && (bytes == kU8 || bytes == kI8) &&
         scale.element_count() == 1;
}

Result<Any> QuantizeByKernel(Call& call, const Tensor& x, float scale, int32_t zero, DType to) {
  TERN_TRY_ASSIGN(TensorPtr y, call.New(to, ExtentsOf(x)));
  const bool is_signed = to == kI8;
  const TernQuantizeArgs args{
      x.element_count(),    x.data_as<float>(),   static_cast<uint8_t*>(y->data()), scale, zero,
      is_signed ? -128 : 0, is_signed ? 127 : 255};
  TERN_TRY(Call::Check(call.kernels().quantize(&args, call.kernel_context())));
  return Any(std::move(y));
}

Result<Any> DequantizeByKernel(Call& call, const Tensor& x, float scale, int32_t zero) {
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(x)));
  const TernDequantizeArgs args{x.element_count(),
                                static_cast<const uint8_t*>(x.data()),
                                y->data_as<float>(),
                                scale,
                                zero,
                                x.dtype() == kI8 ? 1 : 0};
  TERN_TRY(Call::Check(call.kernels().dequantize(&args, call.kernel_context())));
  return Any(std::move(y));
}

}  // namespace

Result<Any> QuantizeLinear(const ops::QuantizeAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *scale = call.InputOfNumbers(1);
  const Tensor* zero = call.Has(2) ? call.InputOfNumbers(2) : nullptr;
  TERN_TRY(call.TakeStatus());
  const DType to = zero != nullptr ? zero->dtype() : attrs.to;
  if (!IsQuantized(to)) return Unsupported("quantizing to ", to.ToString());
  if (!scale->dtype().is_float() && scale->dtype() != kF8E8M0)
    return WrongTensor(call, 1, *scale, "a float element type");
  double ignored = 0;
  // Asked once for the type: the loop below then reads every element.
  if (x->element_count() > 0 && !ReadElement(*x, 0, &ignored))
    return WrongTensor(call, 0, *x, "numbers");
  TERN_TRY_ASSIGN(const ScaleMap map, MapScales(attrs, *x, *scale, zero));
  const bool in_f32 = !attrs.precision.IsKnown() || attrs.precision == kF32;
  if (in_f32 && map.whole && HasKernel(x->dtype(), to, *scale)) {
    return QuantizeByKernel(call, *x, *scale->data_as<float>(),
                            static_cast<int32_t>(ElementOr(zero, 0, 0)), to);
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.New(to, ExtentsOf(*x)));
  ClearTail(*y);
  // The scale says how precise the quotient is, unless the model does.
  const DType precision = attrs.precision.IsKnown() ? attrs.precision : scale->dtype();
  StoreQuantized(
      *y, attrs.saturate,
      [&](int64_t i) {
        return Quotient(ElementOr(x, i, 0), ElementOr(scale, map(i), 1), precision);
      },
      [&](int64_t i) { return ElementOr(zero, map(i), 0); });
  return Any(std::move(y));
}

Result<Any> DequantizeLinear(const ops::QuantizeAttrs& attrs, Call& call) {
  const Tensor *x = call.InputOfNumbers(0), *scale = call.InputOfNumbers(1);
  const Tensor* zero = call.Has(2) ? call.InputOfNumbers(2) : nullptr;
  TERN_TRY(call.TakeStatus());
  if (!IsQuantized(x->dtype()) && x->dtype() != kI32)
    return WrongTensor(call, 0, *x, "u8, i8, u16, i16, i32 or elements of fewer bits");
  if (zero != nullptr && zero->dtype() != x->dtype())
    return WrongTensor(call, 2, *zero, StrCat("element type ", x->dtype().ToString()));
  const DType to = attrs.to.is_float() ? attrs.to : scale->dtype();
  if (!to.is_float()) return WrongTensor(call, 1, *scale, "a float element type");
  TERN_TRY_ASSIGN(const ScaleMap map, MapScales(attrs, *x, *scale, zero));
  if (to == kF32 && map.whole && HasKernel(kF32, x->dtype(), *scale)) {
    return DequantizeByKernel(call, *x, *scale->data_as<float>(),
                              static_cast<int32_t>(ElementOr(zero, 0, 0)));
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  float* values = y->data_as<float>();
  for (int64_t i = 0; i < x->element_count(); ++i) {
    const int64_t at = map(i);
    values[i] = static_cast<float>(ElementOr(x, i, 0) - ElementOr(zero, at, 0)) *
                static_cast<float>(ElementOr(scale, at, 1));
  }
  if (to == kF32) return Any(std::move(y));
  TERN_TRY_ASSIGN(TensorPtr other, CastTo(call, *y, to));
  return Any(std::move(other));
}

// An operand's kind for the kernel; the operator has checked it.
int32_t QuantizedTypeOf(const Tensor& x) {
  return x.dtype() == kF32  ? TERN_QUANTIZED_F32
         : x.dtype() == kI8 ? TERN_QUANTIZED_I8
                            : TERN_QUANTIZED_U8;
}

Result<Any> QuantizedBinary(const ops::QuantizedBinaryAttrs& attrs, Call& call) {
  const Tensor *a = call.Input(0), *b = call.Input(1);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(attrs.CheckOperands(a->dtype(), b->dtype()));
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*a), ExtentsOf(*b), &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(attrs.to, out));
  TernQuantizedBinaryArgs args{};
  args.op = call.op() == ops::Op::k_add_quantized ? TERN_BINARY_add : TERN_BINARY_mul;
  SetRows(Broadcast(out, {a, b}), &args);
  args.a = a->data(), args.b = b->data(), args.y = static_cast<uint8_t*>(y->data());
  args.a_type = QuantizedTypeOf(*a), args.b_type = QuantizedTypeOf(*b);
  args.a_scale = attrs.a_scale, args.b_scale = attrs.b_scale, args.scale = attrs.scale;
  args.a_zero = static_cast<int32_t>(attrs.a_zero);
  args.b_zero = static_cast<int32_t>(attrs.b_zero);
  args.zero = static_cast<int32_t>(attrs.zero);
  const bool is_signed = attrs.to == kI8;
  args.low = attrs.relu ? args.zero : is_signed ? -128 : 0;
  args.high = is_signed ? 127 : 255;
  TERN_TRY(Call::Check(call.kernels().quantized_binary(&args, call.kernel_context())));
  return Any(std::move(y));
}

// u8 over the range of x, which is made to contain zero.
Result<Any> DynamicQuantizeLinear(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  // Zero must be exact among the integers: pads and the zeros behind a relu stay zeros.
  float low = 0, high = 0;
  for (float value : x->values<float>()) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  // A range of zero alone would give a scale of 0, by which nothing can be divided.
  const float scale = high > low ? (high - low) / 255.0f : 1.0f;
  const uint8_t zero = Saturate<uint8_t>(std::nearbyint(static_cast<double>(-low / scale)));
  TERN_TRY_ASSIGN(Any y, QuantizeByKernel(call, *x, scale, zero, kU8));
  TERN_TRY_ASSIGN(TensorPtr scale_out, call.NewF32(Extents{}));
  TERN_TRY_ASSIGN(TensorPtr zero_out, call.New(kU8, Extents{}));
  *scale_out->data_as<float>() = scale;
  *zero_out->data_as<uint8_t>() = zero;
  return Any(Adt::Tuple({AnyView(y), AnyView(scale_out), AnyView(zero_out)}));
}

}  // namespace tern::kernels::bind
