// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of rows in three passes over a row in cache: mean, variance about the
// mean, scale. Two passes for the moments lose fewer digits than the sum of squares in one.

#include <math.h>

#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = FloatTag;
using V = FloatVector;

constexpr int64_t kNormalizeGrain = 24 * 1024;

// sum + x, or sum + (x - center)^2.
template <bool square>
HWY_INLINE V AddTerm(V sum, V x, V center) {
  if constexpr (!square) return hn::Add(sum, x);
  const V from_center = hn::Sub(x, center);
  return MulAdd(from_center, from_center, sum);
}

// Sum of x, with a mean of 0, or of (x - mean)^2.
template <bool square>
float RowSum(const float* x, int64_t size, float mean) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V center = hn::Set(d, mean);
  V s0 = hn::Zero(d), s1 = s0;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    s0 = AddTerm<square>(s0, hn::LoadU(d, x + i), center);
    s1 = AddTerm<square>(s1, hn::LoadU(d, x + i + lanes), center);
  }
  for (; i < size; i += lanes) {
    // Lanes behind the end are the mean, so they add 0.
    const size_t count = static_cast<size_t>(size - i < lanes ? size - i : lanes);
    s0 = AddTerm<square>(s0, hn::LoadNOr(center, d, x + i, count), center);
  }
  return hn::ReduceSum(d, hn::Add(s0, s1));
}

// y = (x - mean) * inverse * scale + bias, of which scale and bias may be null. A copy of its own
// in registers: what is stored could be anything in memory for all that a compiler knows.
struct RowFactors {
  float mean, inverse;
  const float* scale;
  const float* bias;
};

template <bool biased>
HWY_INLINE V NormalizeVector(const RowFactors row, V x, V scale, V bias) {
  const D d;
  const V v = hn::Mul(hn::Sub(x, hn::Set(d, row.mean)), hn::Set(d, row.inverse));
  return biased ? MulAdd(v, scale, bias) : hn::Mul(v, scale);
}

// The whole vectors of a row with a scale; returns where they end.
template <bool biased>
int64_t WriteVectors(const RowFactors row, const float* x, float* y, int64_t size) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  HWY_UNROLL(2)
  for (; i + lanes <= size; i += lanes) {
    const V scale = hn::LoadU(d, row.scale + i), bias = biased ? hn::LoadU(d, row.bias + i) : scale;
    hn::StoreU(NormalizeVector<biased>(row, hn::LoadU(d, x + i), scale, bias), d, y + i);
  }
  return i;
}

void WriteRow(const RowFactors row, const float* x, float* y, int64_t size) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const bool biased = row.bias != nullptr;
  int64_t i = 0;
  if (row.scale != nullptr)
    i = biased ? WriteVectors<true>(row, x, y, size) : WriteVectors<false>(row, x, y, size);
  for (; i < size; i += lanes) {
    const size_t count = static_cast<size_t>(size - i < lanes ? size - i : lanes);
    const V scale = row.scale == nullptr ? hn::Set(d, 1.0f) : hn::LoadN(d, row.scale + i, count);
    const V v = hn::LoadN(d, x + i, count);
    hn::StoreN(biased ? NormalizeVector<true>(row, v, scale, hn::LoadN(d, row.bias + i, count))
                      : NormalizeVector<false>(row, v, scale, scale),
               d, y + i, count);
  }
}

void NormalizeRow(const TernNormalizeArgs& args, int64_t row) {
  const float* x = args.x + row * args.axis;
  const float size = static_cast<float>(args.axis);
  // RMS normalization leaves the mean where it is.
  const float mean = args.rms != 0 ? 0.0f : RowSum<false>(x, args.axis, 0.0f) / size;
  const float variance = RowSum<true>(x, args.axis, mean) / size;
  const float inverse = 1.0f / sqrtf(variance + args.epsilon);
  WriteRow({mean, inverse, args.scale, args.bias}, x, args.y + row * args.axis, args.axis);
  if (args.mean_out != nullptr) args.mean_out[row] = mean;
  if (args.inv_std_out != nullptr) args.inv_std_out[row] = inverse;
}

}  // namespace

int32_t normalize(const TernNormalizeArgs* args, const TernKernelContext* context) {
  ParallelFor(context, args->outer, kNormalizeGrain / (args->axis + 1) + 1, 1,
              [args](int64_t begin, int64_t end, int32_t) {
                for (int64_t row = begin; row < end; ++row) NormalizeRow(*args, row);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
