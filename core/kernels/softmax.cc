// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm. Along contiguous rows: maximum, exponentials with their sum, scale.
// Across columns (inner > 1) the same with a vector of neighbouring columns. Very short rows are
// transposed into columns.

#include <math.h>

#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = FloatTag;
using V = FloatVector;

constexpr int64_t kSoftmaxGrain = 16 * 1024;
// Rows this short would leave most of a vector idle.
constexpr int64_t kShortRow = 8, kRowsAtOnce = 64;

HWY_INLINE V LoadPart(const float* x, int64_t count, float other) {
  const D d;
  return hn::LoadNOr(hn::Set(d, other), d, x, static_cast<size_t>(count));
}

float RowMaximum(const float* x, int64_t size) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V m0 = hn::Set(d, -HUGE_VALF), m1 = m0;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    m0 = hn::Max(m0, hn::LoadU(d, x + i));
    m1 = hn::Max(m1, hn::LoadU(d, x + i + lanes));
  }
  for (; i < size; i += lanes) {
    const int64_t left = size - i;
    m0 = hn::Max(m0, left >= lanes ? hn::LoadU(d, x + i) : LoadPart(x + i, left, -HUGE_VALF));
  }
  return hn::ReduceMax(d, hn::Max(m0, m1));
}

// Sum of exp(x - maximum); the exponentials are written to y unless it is null.
template <bool store>
float RowExponentials(const float* x, float* y, int64_t size, float maximum) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  // x - maximum is at most 0, which ExpOfNegative relies on.
  const V offset = hn::Set(d, maximum);
  V s0 = hn::Zero(d), s1 = s0;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    const V e0 = ExpOfNegative(d, hn::Sub(hn::LoadU(d, x + i), offset));
    const V e1 = ExpOfNegative(d, hn::Sub(hn::LoadU(d, x + i + lanes), offset));
    s0 = hn::Add(s0, e0);
    s1 = hn::Add(s1, e1);
    if (store) hn::StoreU(e0, d, y + i);
    if (store) hn::StoreU(e1, d, y + i + lanes);
  }
  for (; i < size; i += lanes) {
    const size_t count = static_cast<size_t>(size - i < lanes ? size - i : lanes);
    // Lanes behind the end are the maximum, so nothing overflows in them; they are left out of the
    // sum.
    const V e = ExpOfNegative(d, hn::Sub(LoadPart(x + i, size - i, maximum), offset));
    if (store) hn::StoreN(e, d, y + i, count);
    s0 = hn::Add(s0, hn::IfThenElseZero(hn::FirstN(d, count), e));
  }
  return hn::ReduceSum(d, hn::Add(s0, s1));
}

// The last step of a row: x - first - second for a logarithm, x * first otherwise.
template <bool log>
HWY_INLINE V LastStep(V x, V first, V second) {
  if constexpr (log) return hn::Sub(hn::Sub(x, first), second);
  return hn::Mul(x, first);
}

template <bool log>
void WriteSoftmaxRow(const float* x, float* y, int64_t size, float first, float second) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V f = hn::Set(d, first), s = hn::Set(d, second);
  int64_t i = 0;
  HWY_UNROLL(2)
  for (; i + lanes <= size; i += lanes)
    hn::StoreU(LastStep<log>(hn::LoadU(d, x + i), f, s), d, y + i);
  if (i == size) return;
  const size_t count = static_cast<size_t>(size - i);
  hn::StoreN(LastStep<log>(hn::LoadN(d, x + i, count), f, s), d, y + i, count);
}

// The logarithm needs only the sum of the exponentials and is computed from x, because the
// logarithm of a tiny quotient would lose digits.
void SoftmaxRow(bool log, const float* x, float* y, int64_t size) {
  const float maximum = RowMaximum(x, size);
  if (log) {
    const float sum = RowExponentials<false>(x, nullptr, size, maximum);
    WriteSoftmaxRow<true>(x, y, size, maximum, logf(sum));
  } else {
    const float sum = RowExponentials<true>(x, y, size, maximum);
    WriteSoftmaxRow<false>(y, y, size, 1.0f / sum, 0.0f);
  }
}

// `count` <= lanes neighbouring columns, elements `stride` apart.
void SoftmaxColumns(bool log, const float* x, float* y, int64_t size, int64_t stride,
                    size_t count) {
  const D d;
  V maximum = hn::LoadN(d, x, count);
  for (int64_t i = 1; i < size; ++i)
    maximum = hn::Max(maximum, hn::LoadN(d, x + i * stride, count));
  V sum = hn::Zero(d);
  // Each column has its own maximum, and all lanes do the same, so there is no reduction across
  // lanes.
  for (int64_t i = 0; i < size; ++i) {
    const V e = ExpOfNegative(d, hn::Sub(hn::LoadN(d, x + i * stride, count), maximum));
    sum = hn::Add(sum, e);
    if (!log) hn::StoreN(e, d, y + i * stride, count);
  }
  const V last = log ? Log(d, sum) : hn::Div(hn::Set(d, 1.0f), sum);
  for (int64_t i = 0; i < size; ++i) {
    float* to = y + i * stride;
    const V v = log ? hn::Sub(hn::Sub(hn::LoadN(d, x + i * stride, count), maximum), last)
                    : hn::Mul(hn::LoadN(d, to, count), last);
    hn::StoreN(v, d, to, count);
  }
}

void SoftmaxAcross(bool log, const float* x, float* y, int64_t size, int64_t columns) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  for (int64_t i = 0; i < columns; i += lanes) {
    const int64_t count = columns - i < lanes ? columns - i : lanes;
    SoftmaxColumns(log, x + i, y + i, size, columns, static_cast<size_t>(count));
  }
}

// Rows of at most kShortRow elements, many at once, as columns of a small array in the first-level
// cache.
void SoftmaxShortRows(bool log, const float* x, float* y, int64_t rows, int64_t size) {
  HWY_ALIGN float tile[kShortRow * kRowsAtOnce];
  for (int64_t begin = 0; begin < rows; begin += kRowsAtOnce) {
    const int64_t count = rows - begin < kRowsAtOnce ? rows - begin : kRowsAtOnce;
    const float* from = x + begin * size;
    float* to = y + begin * size;
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < size; ++i) tile[i * count + r] = from[r * size + i];
    }
    SoftmaxAcross(log, tile, tile, size, count);
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t i = 0; i < size; ++i) to[r * size + i] = tile[i * count + r];
    }
  }
}

void SoftmaxOuter(const TernSoftmaxArgs& args, int64_t begin, int64_t end) {
  const int64_t step = args.axis * args.inner;
  const bool log = args.log != 0;
  if (args.inner == 1 && args.axis <= kShortRow) {
    SoftmaxShortRows(log, args.x + begin * step, args.y + begin * step, end - begin, args.axis);
    return;
  }
  for (int64_t o = begin; o < end; ++o) {
    if (args.inner == 1)
      SoftmaxRow(log, args.x + o * step, args.y + o * step, args.axis);
    else
      SoftmaxAcross(log, args.x + o * step, args.y + o * step, args.axis, args.inner);
  }
}

}  // namespace

int32_t softmax(const TernSoftmaxArgs* args, const TernKernelContext* context) {
  const int64_t step = args->axis * args->inner;
  if (step == 0) return TERN_KERNEL_OK;
  ParallelFor(context, args->outer, kSoftmaxGrain / step + 1, 1,
              [args](int64_t begin, int64_t end, int32_t) { SoftmaxOuter(*args, begin, end); });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
