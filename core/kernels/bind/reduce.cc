// SPDX-License-Identifier: Apache-2.0
// Reductions over any set of axes: neighbouring axes go to the kernel as they lie, others are moved
// to the end first. f32 uses the kernel; other types plain loops over contiguous rows.

#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/elementwise.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/types.h"
#include "core/kernels/reference/functions.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {
namespace {

TernReduceOp ReduceOpOf(ops::Op op) {
  switch (op) {
#define TERN_CASE(name) \
  case ops::Op::k_reduce_##name: return TERN_REDUCE_##name;
    TERN_REDUCE_LIST(TERN_CASE)
#undef TERN_CASE
    default: return TERN_REDUCE_COUNT;
  }
}

// The reduced axes as one axis of [outer, axis, inner], axes of extent 1 aside; false if others lie
// between.
bool IsOneAxis(const Extents& x, uint32_t mask, AxisView* view) {
  *view = AxisView{1, 1, 1};
  int stage = 0;  // before, within, after the reduced axes
  for (int i = 0; i < x.rank(); ++i) {
    if (x[i] == 1) continue;
    const bool reduced = (mask >> i & 1) != 0;
    if (reduced && stage == 2) return false;
    if (reduced) stage = 1;
    if (!reduced && stage == 1) stage = 2;
    (stage == 0 ? view->outer : stage == 1 ? view->axis : view->inner) *= x[i];
  }
  return true;
}

// Kept axes first, reduced ones last.
Result<TensorPtr> MoveReducedLast(Call& call, const Tensor& x, uint32_t mask, AxisView* view) {
  int perm[ops::kMaxDims];
  int next = 0;
  *view = AxisView{1, 1, 1};
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < x.rank(); ++i) {
      if (static_cast<int>(mask >> i & 1) != pass) continue;
      perm[next++] = i;
      (pass == 0 ? view->outer : view->axis) *= x.dim(i);
    }
  }
  return Permuted(call, x, {perm, static_cast<size_t>(x.rank())});
}

Status ReduceF32(Call& call, const AxisView& view, const Tensor& x, const Tensor& y) {
  const TernReduceArgs args{ReduceOpOf(call.op()), view.outer,        view.axis, view.inner,
                            x.data_as<float>(),    y.data_as<float>()};
  return Call::Check(call.kernels().reduce(&args, call.kernel_context()));
}

// A is the type that totals are kept in, wider than T. Reductions with a root or a logarithm are
// not whole and do not come here.
template <class A, class T>
A ReduceIntegers(TernReduceOp op, const T* x, int64_t size, int64_t stride) {
  using Limits = std::numeric_limits<T>;
  // The extremes of no elements are those of the type, as the standard says of an empty axis.
  A total = op == TERN_REDUCE_prod  ? A{1}
            : op == TERN_REDUCE_max ? static_cast<A>(Limits::lowest())
            : op == TERN_REDUCE_min ? static_cast<A>(Limits::max())
                                    : A{0};
  for (int64_t i = 0; i < size; ++i) {
    const A v = static_cast<A>(x[i * stride]);
    switch (op) {
      case TERN_REDUCE_max: total = v > total ? v : total; break;
      case TERN_REDUCE_min: total = v < total ? v : total; break;
      case TERN_REDUCE_prod: total *= v; break;
      case TERN_REDUCE_sum_square: total += v * v; break;
      case TERN_REDUCE_l1: total += v < 0 ? A{0} - v : v; break;
      case TERN_REDUCE_sum:
      case TERN_REDUCE_mean: total += v; break;
      case TERN_REDUCE_l2:
      case TERN_REDUCE_log_sum:
      case TERN_REDUCE_log_sum_exp:
      case TERN_REDUCE_COUNT: break;
    }
  }
  // Of no elements the mean is 0, as their sum is: integers have no NaN.
  if (op == TERN_REDUCE_mean && size > 0) return static_cast<A>(total / static_cast<A>(size));
  return total;
}

bool IsTranscendental(TernReduceOp op) {
  return op == TERN_REDUCE_l2 || op == TERN_REDUCE_log_sum || op == TERN_REDUCE_log_sum_exp;
}

// Integers add up in 64 bits and wrap around. Floats, and what needs a root or a logarithm, are
// done in f64, by the functions that tests compare the kernels with.
template <class T>
T ReduceOne(TernReduceOp op, const T* column, int64_t size, int64_t stride) {
  if (std::is_floating_point_v<T> || IsTranscendental(op))
    return ConvertNumber<T>(reference::ReduceColumn(op, column, size, stride));
  if constexpr (!std::is_floating_point_v<T>) {
    // Signed overflow is undefined, so sums run in u64; comparisons must not.
    using Ordered = std::conditional_t<sizeof(T) == 8, __int128, int64_t>;
    const bool ordered = op == TERN_REDUCE_max || op == TERN_REDUCE_min || op == TERN_REDUCE_l1 ||
                         op == TERN_REDUCE_mean;
    if (ordered) return static_cast<T>(ReduceIntegers<Ordered>(op, column, size, stride));
    return static_cast<T>(ReduceIntegers<uint64_t>(op, column, size, stride));
  }
  return T{};
}

template <class T>
void ReduceNumbers(TernReduceOp op, const AxisView& view, const T* x, T* y) {
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      const T* column = x + o * view.axis * view.inner + i;
      y[o * view.inner + i] = ReduceOne(op, column, view.axis, view.inner);
    }
  }
}

Status ReduceTensor(Call& call, const AxisView& view, const Tensor& x, const Tensor& y) {
  if (x.dtype() == kF32) return ReduceF32(call, view, x, y);
  const TernReduceOp op = ReduceOpOf(call.op());
  const bool known = DispatchNumber(x.dtype(), [&](auto type) {
    // Bools are counted as the bytes that they are: max is any, min is all.
    using T = std::conditional_t<std::is_same_v<decltype(type), bool>, uint8_t, decltype(type)>;
    ReduceNumbers(op, view, static_cast<const T*>(x.data()), static_cast<T*>(y.data()));
  });
  return known ? OkStatus() : WrongTensor(call, 0, x, "numbers");
}

Result<TensorPtr> ReduceAxes(Call& call, const Tensor& x, uint32_t mask, const Extents& out) {
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x.dtype(), out));
  AxisView view;
  if (IsOneAxis(ExtentsOf(x), mask, &view)) {
    TERN_TRY(ReduceTensor(call, view, x, *y));
    return y;
  }
  TERN_TRY_ASSIGN(TensorPtr moved, MoveReducedLast(call, x, mask, &view));
  TERN_TRY(ReduceTensor(call, view, *moved, *y));
  return y;
}

}  // namespace

Result<Any> Reduce(const ops::ReduceAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  Ints storage;
  if (call.Has(1)) call.ReadInts(1, &storage);
  TERN_TRY(call.TakeStatus());
  const Ints& axes = call.Has(1) ? storage : attrs.axes;
  uint32_t mask = 0;
  TERN_TRY(ops::ReducedAxes(axes, attrs.noop_if_empty, x->rank(), &mask));
  const Extents out = ops::ReducedShape(ExtentsOf(*x), mask, attrs.keep_dims);
  if (x->dtype() != kF16 && x->dtype() != kBf16) {
    TERN_TRY_ASSIGN(TensorPtr y, ReduceAxes(call, *x, mask, out));
    return Any(std::move(y));
  }
  // Sums of 16-bit floats are kept in f32 and rounded once.
  TERN_TRY_ASSIGN(TensorPtr wide, Widen(call, *x));
  TERN_TRY_ASSIGN(TensorPtr wide_y, ReduceAxes(call, *wide, mask, out));
  TERN_TRY_ASSIGN(TensorPtr y, Narrow(call, *wide_y, x->dtype()));
  return Any(std::move(y));
}

// ---- arg max, cumulative sum

namespace {

// Comparisons with NaN are false, so that NaN is chosen only where it comes first.
template <class T>
int64_t BestIndex(const T* x, int64_t size, int64_t stride, bool largest, bool last) {
  int64_t best = 0;
  for (int64_t i = 1; i < size; ++i) {
    const T a = x[i * stride], b = x[best * stride];
    if ((largest ? a > b : a < b) || (last && a == b)) best = i;
  }
  return best;
}

}  // namespace

Result<Any> ArgReduce(const ops::ArgReduceAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::ArgReduceShape(attrs, ExtentsOf(*x), &out));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const AxisView view = ViewAround(ExtentsOf(*x), axis);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(kI64, out));
  TensorPtr wide;
  if (x->dtype() == kF16 || x->dtype() == kBf16) {
    TERN_TRY_ASSIGN(wide, Widen(call, *x));
    x = wide.get();
  }
  const bool largest = call.op() == ops::Op::k_argmax;
  const bool known = DispatchNumber(x->dtype(), [&](auto type) {
    const auto* from = x->data_as<decltype(type)>();
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        y->data_as<int64_t>()[o * view.inner + i] = BestIndex(
            from + o * view.axis * view.inner + i, view.axis, view.inner, largest, attrs.last);
      }
    }
  });
  if (!known) return WrongTensor(call, 0, *x, "numbers");
  return Any(std::move(y));
}

namespace {

template <class T, class Fold>
void CumulateColumn(const ops::CumulateAttrs& attrs, T start, Fold fold, const T* x, T* y,
                    int64_t size, int64_t stride) {
  // Integers wrap around, which only unsigned ones may.
  using Total = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  Total total = static_cast<Total>(start);
  for (int64_t k = 0; k < size; ++k) {
    // Backwards only the order changes in which places are visited.
    const int64_t at = (attrs.reverse ? size - 1 - k : k) * stride;
    const Total before = total;
    total = fold(total, static_cast<Total>(x[at]));
    y[at] = static_cast<T>(attrs.exclusive ? before : total);
  }
}

}  // namespace

Result<Any> Cumulate(const ops::CumulateAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const AxisView view = ViewAround(ExtentsOf(*x), axis);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), ExtentsOf(*x)));
  const bool product = call.op() == ops::Op::k_cumprod;
  const bool known = DispatchNumber(x->dtype(), [&](auto type) {
    using T = decltype(type);
    for (int64_t column = 0; column < view.outer * view.inner; ++column) {
      const int64_t at = column / view.inner * view.axis * view.inner + column % view.inner;
      const T* from = x->data_as<T>() + at;
      T* to = y->data_as<T>() + at;
      if (product) {
        CumulateColumn(attrs, T{1}, std::multiplies<>(), from, to, view.axis, view.inner);
      } else {
        CumulateColumn(attrs, T{0}, std::plus<>(), from, to, view.axis, view.inner);
      }
    }
  });
  if (!known || x->dtype().is_bool()) return WrongTensor(call, 0, *x, "f32, f64 or integers");
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
