// SPDX-License-Identifier: Apache-2.0
// Reduction of [outer, axis, inner] over axis. A function is a map, a combination with its neutral
// element, and a finish. Contiguous rows use four vectors of partial results; columns go down
// strips of two neighbouring vectors, in blocks of rows, so that long sums keep their digits (N.
// Higham, "The Accuracy of Floating Point Summation", 1993).

#include <math.h>

#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = FloatTag;
using V = FloatVector;

constexpr int64_t kReduceGrain = 64 * 1024;
constexpr int64_t kBlock = 256;  // rows of one partial sum

struct Add {
  static constexpr float kNeutral = 0.0f;
  static HWY_INLINE V Apply(V a, V b) { return hn::Add(a, b); }
  static float Scalar(float a, float b) { return a + b; }
};
struct Multiply {
  static constexpr float kNeutral = 1.0f;
  static HWY_INLINE V Apply(V a, V b) { return hn::Mul(a, b); }
  static float Scalar(float a, float b) { return a * b; }
};
// Both keep NaN on either side.
struct Larger {
  static constexpr float kNeutral = -HUGE_VALF;
  static HWY_INLINE V Apply(V a, V b) { return MaxKeepingNaN(a, b); }
  static float Scalar(float a, float b) { return a > b || a != a ? a : b; }
};
struct Smaller {
  static constexpr float kNeutral = HUGE_VALF;
  static HWY_INLINE V Apply(V a, V b) { return MinKeepingNaN(a, b); }
  static float Scalar(float a, float b) { return a < b || a != a ? a : b; }
};

struct Identity {
  static HWY_INLINE V Apply(V x) { return x; }
};
struct Squared {
  static HWY_INLINE V Apply(V x) { return hn::Mul(x, x); }
};
struct Magnitude {
  static HWY_INLINE V Apply(V x) { return hn::Abs(x); }
};

// Combines the lanes by halves. Done in memory, because vectors have no reduction for every
// combination; the number of lanes need not be a power of two.
template <class Combine>
HWY_INLINE float ReduceLanes(V v) {
  const D d;
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, d, lanes);
  size_t count = hn::Lanes(d);
  for (; count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i < count / 2; ++i)
      lanes[i] = Combine::Scalar(lanes[i], lanes[i + (count + 1) / 2]);
  }
  return lanes[0];
}

// One contiguous row. Four partial results, so that additions do not wait for each other.
template <class Map, class Combine>
float ReduceRow(const float* x, int64_t size) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V a0 = hn::Set(d, Combine::kNeutral), a1 = a0, a2 = a0, a3 = a0;
  int64_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    a0 = Combine::Apply(a0, Map::Apply(hn::LoadU(d, x + i)));
    a1 = Combine::Apply(a1, Map::Apply(hn::LoadU(d, x + i + lanes)));
    a2 = Combine::Apply(a2, Map::Apply(hn::LoadU(d, x + i + 2 * lanes)));
    a3 = Combine::Apply(a3, Map::Apply(hn::LoadU(d, x + i + 3 * lanes)));
  }
  for (; i < size; i += lanes) {
    const size_t count = static_cast<size_t>(size - i < lanes ? size - i : lanes);
    const V mapped = Map::Apply(hn::LoadN(d, x + i, count));
    // Lanes behind the end keep what they have: mapping them would not give the neutral element.
    a0 = hn::IfThenElse(hn::FirstN(d, count), Combine::Apply(a0, mapped), a0);
  }
  return ReduceLanes<Combine>(Combine::Apply(Combine::Apply(a0, a1), Combine::Apply(a2, a3)));
}

// count <= 2 * lanes neighbouring columns, rows `stride` apart.
template <class Map, class Combine>
HWY_INLINE void ReduceStrip(const float* x, float* y, int64_t size, int64_t stride, size_t count) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const size_t count0 = count < lanes ? count : lanes, count1 = count - count0;
  V total0 = hn::Set(d, Combine::kNeutral), total1 = total0;
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t end = begin + kBlock < size ? begin + kBlock : size;
    V a0 = hn::Set(d, Combine::kNeutral), a1 = a0;
    if (count == 2 * lanes) {
      for (int64_t i = begin; i < end; ++i) {
        a0 = Combine::Apply(a0, Map::Apply(hn::LoadU(d, x + i * stride)));
        a1 = Combine::Apply(a1, Map::Apply(hn::LoadU(d, x + i * stride + lanes)));
      }
    } else {
      for (int64_t i = begin; i < end; ++i) {
        a0 = Combine::Apply(a0, Map::Apply(hn::LoadN(d, x + i * stride, count0)));
        a1 = Combine::Apply(a1, Map::Apply(hn::LoadN(d, x + i * stride + count0, count1)));
      }
    }
    total0 = Combine::Apply(total0, a0);
    total1 = Combine::Apply(total1, a1);
  }
  hn::StoreN(total0, d, y, count0);
  hn::StoreN(total1, d, y + count0, count1);
}

// Columns [begin, end) of one [axis, inner] matrix.
template <class Map, class Combine>
void ReduceColumns(const TernReduceArgs& args, int64_t outer, int64_t begin, int64_t end) {
  const int64_t step = 2 * static_cast<int64_t>(hn::Lanes(D()));
  const float* x = args.x + outer * args.axis * args.inner;
  float* y = args.y + outer * args.inner;
  for (int64_t i = begin; i < end; i += step) {
    const int64_t count = end - i < step ? end - i : step;
    ReduceStrip<Map, Combine>(x + i, y + i, args.axis, args.inner, static_cast<size_t>(count));
  }
}

// One large matrix is cut along its columns, at cache lines; several are cut among each other.
template <class Map, class Combine>
void Reduce(const TernReduceArgs& args, const TernKernelContext* context) {
  const int64_t each = args.axis * args.inner;
  if (args.outer == 1 && args.inner > 1) {
    ParallelFor(context, args.inner, kReduceGrain / (args.axis + 1) + 1, 64,
                [&](int64_t begin, int64_t end, int32_t) {
                  ReduceColumns<Map, Combine>(args, 0, begin, end);
                });
    return;
  }
  ParallelFor(context, args.outer, kReduceGrain / (each + 1) + 1, 1,
              [&](int64_t begin, int64_t end, int32_t) {
                for (int64_t o = begin; o < end; ++o) {
                  if (args.inner == 1)
                    args.y[o] = ReduceRow<Map, Combine>(args.x + o * each, args.axis);
                  else
                    ReduceColumns<Map, Combine>(args, o, 0, args.inner);
                }
              });
}

// Applied to all results in place at the end; they are few beside what was reduced.
template <class Function>
void Finish(const TernReduceArgs& args, const Function& function) {
  const D d;
  const int64_t size = args.outer * args.inner, lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < size; i += lanes) {
    const size_t count = static_cast<size_t>(size - i < lanes ? size - i : lanes);
    hn::StoreN(function(hn::LoadN(d, args.y + i, count)), d, args.y + i, count);
  }
}

// log(sum(exp(x - m))) + m for one set of columns; m is in y already. Subtracting the maximum keeps
// the exponentials at most 1. Infinite maxima are left as they are: inf - inf would be NaN.
void LogSumExpStrip(const float* x, float* y, int64_t size, int64_t stride, size_t count) {
  const D d;
  const V maximum = hn::LoadN(d, y, count);
  V total = hn::Zero(d);
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t end = begin + kBlock < size ? begin + kBlock : size;
    V sum = hn::Zero(d);
    for (int64_t i = begin; i < end; ++i) {
      sum = hn::Add(sum, ExpOfNegative(d, hn::Sub(hn::LoadN(d, x + i * stride, count), maximum)));
    }
    total = hn::Add(total, sum);
  }
  const auto finite = hn::Lt(hn::Abs(maximum), hn::Set(d, HUGE_VALF));
  hn::StoreN(hn::IfThenElse(finite, hn::Add(maximum, Log(d, total)), maximum), d, y, count);
}

// The same for one contiguous row.
float LogSumExpRow(const float* x, int64_t size, float maximum) {
  const D d;
  if (!(fabsf(maximum) < HUGE_VALF)) return maximum;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V offset = hn::Set(d, maximum);
  V sum = hn::Zero(d);
  for (int64_t i = 0; i < size; i += lanes) {
    const size_t count = static_cast<size_t>(size - i < lanes ? size - i : lanes);
    const V e = ExpOfNegative(d, hn::Sub(hn::LoadN(d, x + i, count), offset));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, count), e));
  }
  return maximum + logf(hn::ReduceSum(d, sum));
}

// The maxima are computed into y first, then replaced.
void LogSumExp(const TernReduceArgs& args, const TernKernelContext* context) {
  Reduce<Identity, Larger>(args, context);
  const int64_t each = args.axis * args.inner, lanes = static_cast<int64_t>(hn::Lanes(D()));
  ParallelFor(context, args.outer, kReduceGrain / 4 / (each + 1) + 1, 1,
              [&](int64_t begin, int64_t end, int32_t) {
                for (int64_t o = begin; o < end; ++o) {
                  const float* x = args.x + o * each;
                  float* y = args.y + o * args.inner;
                  if (args.inner == 1) *y = LogSumExpRow(x, args.axis, *y);
                  for (int64_t i = 0; args.inner > 1 && i < args.inner; i += lanes) {
                    const int64_t count = args.inner - i < lanes ? args.inner - i : lanes;
                    LogSumExpStrip(x + i, y + i, args.axis, args.inner, static_cast<size_t>(count));
                  }
                }
              });
}

}  // namespace

int32_t reduce(const TernReduceArgs* args, const TernKernelContext* context) {
  const D d;
  switch (static_cast<TernReduceOp>(args->op)) {
    case TERN_REDUCE_sum: Reduce<Identity, Add>(*args, context); break;
    case TERN_REDUCE_mean:
      Reduce<Identity, Add>(*args, context);
      Finish(*args, [&](V y) { return hn::Div(y, hn::Set(d, static_cast<float>(args->axis))); });
      break;
    case TERN_REDUCE_max: Reduce<Identity, Larger>(*args, context); break;
    case TERN_REDUCE_min: Reduce<Identity, Smaller>(*args, context); break;
    case TERN_REDUCE_prod: Reduce<Identity, Multiply>(*args, context); break;
    case TERN_REDUCE_sum_square: Reduce<Squared, Add>(*args, context); break;
    case TERN_REDUCE_l1: Reduce<Magnitude, Add>(*args, context); break;
    case TERN_REDUCE_l2:
      Reduce<Squared, Add>(*args, context);
      Finish(*args, [&](V y) { return hn::Sqrt(y); });
      break;
    case TERN_REDUCE_log_sum:
      Reduce<Identity, Add>(*args, context);
      Finish(*args, [&](V y) { return Log(d, y); });
      break;
    case TERN_REDUCE_log_sum_exp: LogSumExp(*args, context); break;
    case TERN_REDUCE_COUNT: break;
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
