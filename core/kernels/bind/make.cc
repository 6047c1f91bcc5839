// SPDX-License-Identifier: Apache-2.0
// Tensors made from shapes and numbers, and the data-dependent ones: one_hot, non_zero, compress,
// trilu.

#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/strings.h"
#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/object/small_numbers.h"
#include "core/ops/shape_rules.h"

namespace tern::kernels::bind {

Result<Any> ShapeOf(const ops::ShapeOfAttrs& attrs, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  TERN_TRY(call.TakeStatus());
  int begin = 0, end = 0;
  ops::ShapeOfRange(attrs, x->rank(), &begin, &end);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kI64, Extents{end - begin}));
  for (int i = begin; i < end; ++i) y->data_as<int64_t>()[i - begin] = x->dim(i);
  return Any(std::move(y));
}

Result<Any> SizeOf(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kI64, Extents{}));
  *y->data_as<int64_t>() = x->element_count();
  return Any(std::move(y));
}

namespace {

const Tensor* ScalarInput(Call& call, int index, DType dtype) {
  const Tensor* x = call.Input(index, dtype);
  if (x == nullptr || x->element_count() == 1) return x;
  call.Fail(WrongTensor(call, index, *x, "one element"));
  return nullptr;
}

// Counted as ONNX counts: ceil((limit - start) / delta), nothing where that is negative. Integers
// are counted exactly, since a double would round large ones.
template <class T>
Result<TensorPtr> MakeRange(Call& call, T start, T limit, T delta) {
  if (delta == 0) return InvalidArgument("the step of range is 0");
  double count = 0;
  if constexpr (std::is_floating_point_v<T>) {
    count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                      static_cast<double>(delta));
  } else {
    int64_t elements = 0;
    TERN_TRY(ops::RangeCount<int64_t>(static_cast<int64_t>(start), static_cast<int64_t>(limit),
                                      static_cast<int64_t>(delta), &elements));
    count = static_cast<double>(elements);
  }
  // Also refuses NaN, which no comparison holds for.
  if (!(count < 1e15)) return OutOfRange("range has too many elements");
  const int64_t size = count > 0 ? static_cast<int64_t>(count) : 0;
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kDTypeOf<T>, Extents{size}));
  // Integers wrap around, which is what is left of a step that leads beyond the limit.
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  for (int64_t i = 0; i < size; ++i) {
    y->data_as<T>()[i] =
        static_cast<T>(static_cast<Sum>(start) + static_cast<Sum>(i) * static_cast<Sum>(delta));
  }
  return y;
}

}  // namespace

Result<Any> Range(const ops::NoAttrs&, Call& call) {
  const Tensor* start = call.Input(0);
  TERN_TRY(call.TakeStatus());
  start = ScalarInput(call, 0, start->dtype());
  const Tensor* limit = start != nullptr ? ScalarInput(call, 1, start->dtype()) : nullptr;
  const Tensor* delta = limit != nullptr ? ScalarInput(call, 2, start->dtype()) : nullptr;
  TERN_TRY(call.TakeStatus());
  Result<TensorPtr> y = WrongTensor(call, 0, *start, "f32, f64, i64, i32 or i16");
  DispatchNumber(start->dtype(), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_signed_v<T>) {
      y = MakeRange(call, *start->data_as<T>(), *limit->data_as<T>(), *delta->data_as<T>());
    }
  });
  if (!y.ok()) return std::move(y).status();
  return Any(*std::move(y));
}

namespace {

// Elements of 2 or 4 bits: one byte that holds as many as fit is repeated. The bits that are left
// over in the last byte are never read.
Result<Any> SmallConstant(Tensor& y, double value) {
  const DType dtype = y.dtype();
  const uint8_t bits = IsSmallFloat(dtype) ? F32ToSmallFloat(dtype, static_cast<float>(value), true)
                                           : static_cast<uint8_t>(ConvertNumber<int64_t>(value));
  uint8_t byte = 0;
  for (int64_t i = 0; i < 8 / dtype.bits; ++i) SetSmallBits(dtype, &byte, i, bits);
  if (y.byte_size() > 0) memset(y.data(), byte, y.byte_size());
  return Any(TensorPtr(&y));
}

}  // namespace

Result<Any> ConstantOfShape(const ops::ConstantOfShapeAttrs& attrs, Call& call) {
  Ints shape;
  call.ReadInts(0, &shape);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::ShapeFromValues<int64_t>(shape, &out));
  // The value is kept as text, so that an int64 keeps all its digits.
  const std::string_view text = attrs.value.empty() ? "0" : std::string_view(attrs.value);
  const std::optional<int64_t> integer = ParseInt64(text);
  const std::optional<double> number = ParseDouble(text);
  if (!integer.has_value() && !number.has_value())
    return InvalidArgument("value '", text, "' is not a number");
  TERN_TRY_ASSIGN(TensorPtr y, call.New(attrs.dtype, out));
  uint64_t element = 0;
  bool known = DispatchNumber(attrs.dtype, [&](auto type) {
    using T = decltype(type);
    const T value =
        integer.has_value() ? static_cast<T>(*integer) : ConvertNumber<T>(number.value_or(0));
    memcpy(&element, &value, sizeof(value));
  });
  if (attrs.dtype == kF16 || attrs.dtype == kBf16) {
    const float value = static_cast<float>(number.value_or(0));
    const uint16_t bits = attrs.dtype == kF16 ? F32ToF16(value) : F32ToBf16(value);
    memcpy(&element, &bits, sizeof(bits));
    known = true;
  }
  if (IsSmallNumber(attrs.dtype)) return SmallConstant(*y, number.value_or(0));
  if (!known) return Unsupported("constant_of_shape of ", attrs.dtype.ToString());
  TERN_TRY(Fill(call, attrs.dtype.size(), &element, y->element_count(), y->data()));
  return Any(std::move(y));
}

Result<Any> EyeLike(const ops::EyeLikeAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(ops::CheckRank("x", x->rank(), 2, 2));
  const DType dtype = attrs.dtype.IsKnown() ? attrs.dtype : x->dtype();
  TERN_TRY_ASSIGN(TensorPtr y, call.New(dtype, ExtentsOf(*x)));
  const int64_t rows = x->dim(0), columns = x->dim(1);
  // Column minus row is the number of the diagonal.
  const auto fill = [&](auto* to, auto one) {
    for (int64_t i = 0; i < rows * columns; ++i)
      to[i] = i % columns - i / columns == attrs.k ? one : decltype(one){0};
  };
  const bool known = DispatchNumber(dtype, [&](auto type) {
    using T = decltype(type);
    fill(y->data_as<T>(), static_cast<T>(1));
  });
  const bool is_half = dtype == kF16 || dtype == kBf16;
  if (is_half) fill(y->data_as<uint16_t>(), dtype == kF16 ? F32ToF16(1) : F32ToBf16(1));
  if (!known && !is_half) return Unsupported("eye_like of ", dtype.ToString());
  return Any(std::move(y));
}

Result<Any> OneHot(const ops::OneHotAttrs& attrs, Call& call) {
  const Tensor* indices = call.Input(0);
  const int64_t depth = call.Has(1) ? ConvertNumber<int64_t>(call.ReadNumber(1)) : attrs.depth;
  const Tensor* values = call.Input(2);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 2, *values));
  if (values->element_count() != 2)
    return WrongTensor(call, 2, *values, "two elements, off and on");
  Extents out;
  TERN_TRY(ops::OneHotShape(attrs, ExtentsOf(*indices), depth, &out));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, out.rank(), &axis));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(values->dtype(), out));
  const int64_t size = values->dtype().size();
  TERN_TRY(Fill(call, size, values->data(), y->element_count(), y->data()));
  const AxisView view = ViewAround(out, axis);
  for (int64_t i = 0; i < indices->element_count(); ++i) {
    double index = 0;
    if (!ReadElement(*indices, i, &index)) return WrongTensor(call, 0, *indices, "numbers");
    // Indices that are out of range, NaN among them, give a row of off values, as ONNX demands.
    if (!(index >= -1e15 && index <= 1e15)) continue;
    const int64_t hot = static_cast<int64_t>(index) + (index < 0 ? depth : 0);
    if (hot < 0 || hot >= depth) continue;
    // The index stands at (outer, inner) of the tensor of indices; the axis of `depth` goes between
    // them.
    const int64_t at = (i / view.inner * depth + hot) * view.inner + i % view.inner;
    memcpy(static_cast<uint8_t*>(y->data()) + at * size,
           static_cast<const uint8_t*>(values->data()) + size, static_cast<size_t>(size));
  }
  return Any(std::move(y));
}

Result<Any> NonZero(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  // How many there are is known only at the end, and the result is as wide as that. So the places
  // are noted first.
  TERN_TRY_ASSIGN(TensorPtr table, call.NewTable(x->element_count()));
  int64_t* places = table->data_as<int64_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < x->element_count(); ++i) {
    double value = 0;
    if (!ReadElement(*x, i, &value)) return WrongTensor(call, 0, *x, "numbers or bools");
    if (value != 0) places[count++] = i;
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kI64, Extents{x->rank(), count}));
  for (int64_t j = 0; j < count; ++j) {
    int64_t rest = places[j];
    for (int i = x->rank() - 1; i >= 0; --i) {
      y->data_as<int64_t>()[i * count + j] = rest % x->dim(i);
      rest /= x->dim(i);
    }
  }
  return Any(std::move(y));
}

Result<Any> Compress(const ops::OptionalAxisAttrs& attrs, Call& call) {
  const Tensor *x = call.Input(0), *condition = call.Input(1, kBool);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  // Without an axis, the elements are one row. Conditions that are too short mean false for the
  // rest.
  Extents shape = attrs.has_axis ? ExtentsOf(*x) : Extents{x->element_count()};
  int axis = 0;
  if (attrs.has_axis) TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const AxisView view = ViewAround(shape, axis);
  if (condition->rank() != 1 || condition->element_count() > view.axis) {
    return WrongTensor(call, 1, *condition, StrCat("at most ", view.axis, " elements of rank 1"));
  }
  TERN_TRY_ASSIGN(TensorPtr table, call.NewTable(condition->element_count()));
  int64_t* kept = table->data_as<int64_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < condition->element_count(); ++i) {
    if (condition->data_as<bool>()[i]) kept[count++] = i;
  }
  shape[axis] = count;
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), shape));
  TERN_TRY(GatherAxis(call, view, x->dtype().size(), {kept, static_cast<size_t>(count)}, x->data(),
                      y->data()));
  return Any(std::move(y));
}

Result<Any> Trilu(const ops::TriluAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(ops::CheckRank("x", x->rank(), 2, ops::kMaxDims));
  const int64_t rows = x->dim(x->rank() - 2), columns = x->dim(x->rank() - 1);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), ExtentsOf(*x)));
  const bool known = !x->dtype().is_string() && DispatchSize(x->dtype().size(), [&](auto type) {
    using T = decltype(type);
    const T* from = static_cast<const T*>(x->data());
    T* to = static_cast<T*>(y->data());
    for (int64_t i = 0; i < x->element_count(); ++i) {
      // Distance above the main diagonal, compared without overflow for any k.
      const int64_t above = i % columns - i / columns % rows;
      to[i] = (attrs.upper ? above >= attrs.k : above <= attrs.k) ? from[i] : T{0};
    }
  });
  if (!known) return WrongTensor(call, 0, *x, "numbers or bools");
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
