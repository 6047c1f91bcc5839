// SPDX-License-Identifier: Apache-2.0
// Between floats and integers with a scale and a zero point: for the whole tensor, for each index
// of an axis, or for blocks along it.

#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/object/containers/adt.h"

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
  const bool singles = zero != nullptr && zero->element_count() == 1 && scale.element_count() == 1;
  if (zero != nullptr && !singles &&
      ops::ShapeText(ExtentsOf(*zero)) != ops::ShapeText(ExtentsOf(scale))) {
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
  if (ops::ShapeText(expected) == ops::ShapeText(ExtentsOf(scale))) return map;
  return InvalidArgument("scale is ", ops::ShapeText(ExtentsOf(scale)),
                         ", expected one element or ", ops::ShapeText(expected));
}

double ElementOr(const Tensor* tensor, int64_t index, double fallback) {
  double value = fallback;
  if (tensor != nullptr) ReadElement(*tensor, index, &value);
  return value;
}

template <class T>
T Saturate(double value) {
  const double low = static_cast<double>(std::numeric_limits<T>::min());
  const double high = static_cast<double>(std::numeric_limits<T>::max());
  if (std::isnan(value)) return 0;
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

bool IsQuantized(DType dtype) {
  return dtype == kU8 || dtype == kI8 || dtype == kU16 || dtype == kI16;
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
  const Tensor *x = call.Input(0), *scale = call.Input(1);
  const Tensor* zero = call.Has(2) ? call.Input(2) : nullptr;
  TERN_TRY(call.TakeStatus());
  const DType to = zero != nullptr ? zero->dtype() : attrs.to;
  if (!IsQuantized(to)) return Unsupported("quantizing to ", to.ToString());
  if (!scale->dtype().is_float()) return WrongTensor(call, 1, *scale, "a float element type");
  double ignored = 0;
  if (x->element_count() > 0 && !ReadElement(*x, 0, &ignored))
    return WrongTensor(call, 0, *x, "numbers");
  TERN_TRY_ASSIGN(const ScaleMap map, MapScales(attrs, *x, *scale, zero));
  if (map.whole && HasKernel(x->dtype(), to, *scale)) {
    return QuantizeByKernel(call, *x, *scale->data_as<float>(),
                            static_cast<int32_t>(ElementOr(zero, 0, 0)), to);
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.New(to, ExtentsOf(*x)));
  DispatchNumber(to, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T>) {
      for (int64_t i = 0; i < x->element_count(); ++i) {
        // Divided in f32, as the standard's own implementations do: halves round alike.
        const int64_t at = map(i);
        const float ratio =
            static_cast<float>(ElementOr(x, i, 0)) / static_cast<float>(ElementOr(scale, at, 1));
        const double rounded = static_cast<double>(std::nearbyint(ratio));
        y->data_as<T>()[i] = Saturate<T>(rounded + ElementOr(zero, at, 0));
      }
    }
  });
  return Any(std::move(y));
}

Result<Any> DequantizeLinear(const ops::QuantizeAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *scale = call.F32(1);
  TERN_TRY(call.TakeStatus());
  const Tensor* zero = call.Optional(2, x->dtype());
  TERN_TRY(call.TakeStatus());
  if (!IsQuantized(x->dtype()) && x->dtype() != kI32)
    return WrongTensor(call, 0, *x, "u8, i8, u16, i16 or i32");
  TERN_TRY_ASSIGN(const ScaleMap map, MapScales(attrs, *x, *scale, zero));
  if (map.whole && HasKernel(kF32, x->dtype(), *scale)) {
    return DequantizeByKernel(call, *x, *scale->data_as<float>(),
                              static_cast<int32_t>(ElementOr(zero, 0, 0)));
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(*x)));
  float* to = y->data_as<float>();
  DispatchNumber(x->dtype(), [&](auto type) {
    using T = decltype(type);
    const T* from = x->data_as<T>();
    for (int64_t i = 0; i < x->element_count(); ++i) {
      const int64_t at = map(i);
      const T center = zero != nullptr ? zero->data_as<T>()[at] : T{0};
      to[i] = static_cast<float>(static_cast<double>(from[i]) - static_cast<double>(center)) *
              scale->data_as<float>()[at];
    }
  });
  return Any(std::move(y));
}

// u8 over the range of x, which is made to contain zero.
Result<Any> DynamicQuantizeLinear(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  float low = 0, high = 0;
  for (float value : x->values<float>()) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
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
