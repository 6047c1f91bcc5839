// SPDX-License-Identifier: Apache-2.0
// Unary operators, clip and where. f32 goes to the kernels, 16-bit floats through f32, f64 through
// the C library, integers through plain loops where the function means something for them.

#include "core/kernels/bind/elementwise.h"

#include <cmath>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/broadcast.h"
#include "core/kernels/bind/types.h"
#include "core/kernels/reference/functions.h"

namespace tern::kernels::bind {

Result<TensorPtr> Widen(Call& call, const Tensor& x) {
  TERN_TRY_ASSIGN(TensorPtr wide, call.NewF32(ExtentsOf(x)));
  // Both kinds of 16 bits: the type says which, the memory does not.
  const uint16_t* from = static_cast<const uint16_t*>(x.data());
  float* to = wide->data_as<float>();
  const bool brain = x.dtype() == kBf16;
  for (int64_t i = 0; i < x.element_count(); ++i)
    to[i] = brain ? Bf16ToF32(from[i]) : F16ToF32(from[i]);
  return wide;
}

Result<TensorPtr> Narrow(Call& call, const Tensor& x, DType dtype) {
  TERN_TRY_ASSIGN(TensorPtr narrow, call.New(dtype, ExtentsOf(x)));
  const float* from = x.data_as<float>();
  uint16_t* to = static_cast<uint16_t*>(narrow->data());
  const bool brain = dtype == kBf16;
  for (int64_t i = 0; i < x.element_count(); ++i)
    to[i] = brain ? F32ToBf16(from[i]) : F32ToF16(from[i]);
  return narrow;
}

namespace {

// Operators and kernels are rows of one table, so their numbers need no list here.
TernUnaryOp UnaryOpOf(ops::Op op) {
#define TERN_UNARY(name, ...) \
  case ops::Op::k_##name: return TERN_UNARY_##name;
  switch (op) {
#include "core/kernels/unary.def"
    default: return TERN_UNARY_COUNT;
  }
}

// The least number wraps to itself.
template <class T>
T Negated(T x) {
  return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(x));
}

// What integers know: sign and size; rounding leaves them alone.
template <class T>
bool UnaryOfIntegers(TernUnaryOp op, const T* x, T* y, int64_t size) {
  switch (op) {
    case TERN_UNARY_abs:
      for (int64_t i = 0; i < size; ++i) y[i] = x[i] < 0 ? Negated(x[i]) : x[i];
      return true;
    case TERN_UNARY_neg:
      for (int64_t i = 0; i < size; ++i) y[i] = Negated(x[i]);
      return true;
    case TERN_UNARY_sign:
      for (int64_t i = 0; i < size; ++i) y[i] = static_cast<T>((x[i] > 0) - (x[i] < 0));
      return true;
    case TERN_UNARY_relu:
      for (int64_t i = 0; i < size; ++i) y[i] = x[i] < 0 ? T{0} : x[i];
      return true;
    default: return false;
  }
}

// The result is narrowed where x was widened: to f16 or bf16, rounded once.
Result<Any> UnaryF32(Call& call, const Tensor& x, const ops::UnaryAttrs& attrs, DType to) {
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(ExtentsOf(x)));
  const TernUnaryArgs args{UnaryOpOf(call.op()), attrs.alpha,        attrs.beta,
                           x.element_count(),    x.data_as<float>(), y->data_as<float>()};
  TERN_TRY(Call::Check(call.kernels().unary(&args, call.kernel_context())));
  if (to == kF32) return Any(std::move(y));
  TERN_TRY_ASSIGN(TensorPtr narrow, Narrow(call, *y, to));
  return Any(std::move(narrow));
}

// f64 is rare in models and has no kernels of vectors. The plain functions that tests compare the
// kernels with serve.
void UnaryF64(TernUnaryOp op, const ops::UnaryAttrs& attrs, const Tensor& x, const Tensor& y) {
  const double alpha = static_cast<double>(attrs.alpha), beta = static_cast<double>(attrs.beta);
  for (int64_t i = 0; i < x.element_count(); ++i) {
    y.data_as<double>()[i] = reference::EvaluateUnary(op, x.data_as<double>()[i], alpha, beta);
  }
}

bool IsWidened(DType dtype) { return dtype == kF16 || dtype == kBf16; }

}  // namespace

Result<Any> Unary(const ops::UnaryAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  if (x->dtype() == kF32) return UnaryF32(call, *x, attrs, kF32);
  if (IsWidened(x->dtype())) {
    TERN_TRY_ASSIGN(TensorPtr wide, Widen(call, *x));
    return UnaryF32(call, *wide, attrs, x->dtype());
  }
  const TernUnaryOp op = UnaryOpOf(call.op());
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), ExtentsOf(*x)));
  if (x->dtype() == kF64) {
    UnaryF64(op, attrs, *x, *y);
    return Any(std::move(y));
  }
  bool done = false;
  DispatchNumber(x->dtype(), [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      done = UnaryOfIntegers(op, x->data_as<T>(), y->data_as<T>(), x->element_count());
    }
  });
  if (!done) return WrongTensor(call, 0, *x, "a float element type");
  return Any(std::move(y));
}

Result<Any> Identity(const ops::NoAttrs&, Call& call) {
  TERN_TRY(call.TakeStatus());
  return call.Share(0);
}

Result<Any> IsNaN(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kBool, ExtentsOf(*x)));
  if (!x->dtype().is_float()) return WrongTensor(call, 0, *x, "a float element type");
  for (int64_t i = 0; i < x->element_count(); ++i) {
    double value = 0;
    ReadElement(*x, i, &value);
    // Every float type is exact in f64, what is no number included.
    y->data_as<bool>()[i] = std::isnan(value);
  }
  return Any(std::move(y));
}

Result<Any> IsInf(const ops::IsInfAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  if (!x->dtype().is_float()) return WrongTensor(call, 0, *x, "a float element type");
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kBool, ExtentsOf(*x)));
  for (int64_t i = 0; i < x->element_count(); ++i) {
    double value = 0;
    ReadElement(*x, i, &value);
    y->data_as<bool>()[i] = std::isinf(value) && (value > 0 ? attrs.positive : attrs.negative);
  }
  return Any(std::move(y));
}

Result<Any> Not(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.Input(0, kBool);
  TERN_TRY(call.TakeStatus());
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kBool, ExtentsOf(*x)));
  for (int64_t i = 0; i < x->element_count(); ++i) y->data_as<bool>()[i] = !x->data_as<bool>()[i];
  return Any(std::move(y));
}

Result<Any> BitwiseNot(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  if (!x->dtype().is_int()) return WrongTensor(call, 0, *x, "an integer element type");
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), ExtentsOf(*x)));
  const uint8_t* from = static_cast<const uint8_t*>(x->data());
  uint8_t* to = static_cast<uint8_t*>(y->data());
  // By bytes, whatever the type.
  for (size_t i = 0; i < x->byte_size(); ++i) to[i] = static_cast<uint8_t>(~from[i]);
  return Any(std::move(y));
}

// ---- clip

namespace {

// Both bounds as tensors of one element of x's type, or null.
template <class T>
void ClipNumbers(const Tensor& x, const Tensor* low, const Tensor* high, T* y) {
  const T* from = x.data_as<T>();
  for (int64_t i = 0; i < x.element_count(); ++i) {
    T value = from[i];
    // Bounds that are the wrong way round give the upper one, as the standard has it. NaN stays,
    // because it compares with nothing.
    if (low != nullptr && value < *low->data_as<T>()) value = *low->data_as<T>();
    if (high != nullptr && value > *high->data_as<T>()) value = *high->data_as<T>();
    y[i] = value;
  }
}

const Tensor* ClipBound(Call& call, int index, DType dtype) {
  const Tensor* bound = call.Optional(index, dtype);
  if (bound != nullptr && bound->element_count() != 1)
    call.Fail(WrongTensor(call, index, *bound, "one element"));
  return bound;
}

}  // namespace

Result<Any> Clip(const ops::NoAttrs&, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  const Tensor* low = ClipBound(call, 1, x->dtype());
  const Tensor* high = ClipBound(call, 2, x->dtype());
  TERN_TRY(call.TakeStatus());
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), ExtentsOf(*x)));
  if (x->dtype() == kF32) {
    // A bound that is missing is an infinity, so that one kernel does for all.
    const float least = low != nullptr ? *low->data_as<float>() : -HUGE_VALF;
    const float most = high != nullptr ? *high->data_as<float>() : HUGE_VALF;
    const TernUnaryArgs args{
        TERN_UNARY_clamp,   least, most, x->element_count(), x->data_as<float>(),
        y->data_as<float>()};
    TERN_TRY(Call::Check(call.kernels().unary(&args, call.kernel_context())));
    return Any(std::move(y));
  }
  const bool known = DispatchNumber(
      x->dtype(), [&](auto type) { ClipNumbers(*x, low, high, y->data_as<decltype(type)>()); });
  if (!known) return WrongTensor(call, 0, *x, "f32, f64 or an integer element type");
  return Any(std::move(y));
}

// ---- where

namespace {

template <class T>
void Select(const Broadcast& b, const bool* condition, const T* first, const T* second, T* out) {
  const int last = b.rank - 1;
  const int64_t size = b.inner(), s0 = b.strides[0][last], s1 = b.strides[1][last],
                s2 = b.strides[2][last];
  ForEachRow(b, [&](const int64_t* at) {
    for (int64_t i = 0; i < size; ++i) {
      out[i] = condition[at[0] + i * s0] ? first[at[1] + i * s1] : second[at[2] + i * s2];
    }
    out += size;
  });
}

void SelectTexts(const Broadcast& b, const bool* condition, const Tensor& first,
                 const Tensor& second, Tensor* out) {
  const int last = b.rank - 1;
  int64_t to = 0;
  ForEachRow(b, [&](const int64_t* at) {
    for (int64_t i = 0; i < b.inner(); ++i) {
      const bool holds = condition[at[0] + i * b.strides[0][last]];
      out->set_string(to++, holds ? first.string_at(at[1] + i * b.strides[1][last])
                                  : second.string_at(at[2] + i * b.strides[2][last]));
    }
  });
}

}  // namespace

Result<Any> Where(const ops::NoAttrs&, Call& call) {
  const Tensor* condition = call.Input(0, kBool);
  const Tensor* a = call.Input(1);
  TERN_TRY(call.TakeStatus());
  const Tensor* b = call.Input(2, a->dtype());
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*a), ExtentsOf(*b), &out));
  // All three broadcast together, the condition, too.
  TERN_TRY(ops::BroadcastShape(ExtentsOf(*condition), out, &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(a->dtype(), out));
  const Broadcast broadcast(out, {condition, a, b});
  if (a->dtype().is_string()) {
    if (y->element_count() > 0) SelectTexts(broadcast, condition->data_as<bool>(), *a, *b, y.get());
    return Any(std::move(y));
  }
  // To choose is to copy: what the bits mean does not matter, so one loop serves all types of a
  // size.
  const bool known = DispatchSize(a->dtype().size(), [&](auto type) {
    using T = decltype(type);
    Select(broadcast, condition->data_as<bool>(), static_cast<const T*>(a->data()),
           static_cast<const T*>(b->data()), static_cast<T*>(y->data()));
  });
  if (!known) return WrongTensor(call, 1, *a, "numbers");
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
