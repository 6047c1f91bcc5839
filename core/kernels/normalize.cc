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

// Sum of (x - mean)^power for power 1 (mean = 0) or 2.
template <bool square>
float RowSum(const float* x, int64_t size, float mean) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V center = hn::Set(d, mean);
  V s0 = hn::Zero(d), s1 = s0;
  int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    const V x0 = hn::Sub(hn::LoadU(d, x + i), center),
            x1 = hn::Sub(hn::LoadU(d, x + i + lanes), center);
    s0 = square ? MulAdd(x0, x0, s0) : hn::Add(s0, x0);
    s1 = square ? MulAdd(x1, x1, s1) : hn::Add(s1, x1);
  }
  for (; i < size; i += lanes) {
    // Lanes behind the end are the mean, so they add 0.
    const size_t count = static_cast<size_t>(size - i < lanes ? size - i : lanes);
    const V x0 = hn::Sub(hn::LoadNOr(center, d, x + i, count), center);
    s0 = square ? MulAdd(x0, x0, s0) : hn::Add(s0, x0);
  }
  return hn::ReduceSum(d, hn::Add(s0, s1));
}

struct RowFactors {
  float mean, inverse;
};

// Writes `count` elements from i on. `whole` says while compiling that it is a full vector, so that
// the main loop has no masks.
template <bool whole>
HWY_INLINE void WritePart(const TernNormalizeArgs& args, const float* x, float* y, int64_t i,
                          size_t count, RowFactors factors) {
  const D d;
  const auto load = [=](const float* from) {
    return whole ? hn::LoadU(d, from + i) : hn::LoadN(d, from + i, count);
  };
  V v = hn::Mul(hn::Sub(load(x), hn::Set(d, factors.mean)), hn::Set(d, factors.inverse));
  const V scale = args.scale != nullptr ? load(args.scale) : hn::Set(d, 1.0f);
  v = args.bias != nullptr ? MulAdd(v, scale, load(args.bias)) : hn::Mul(v, scale);
  if (whole)
    hn::StoreU(v, d, y + i);
  else
    hn::StoreN(v, d, y + i, count);
}

void WriteRow(const TernNormalizeArgs& args, const float* x, float* y, RowFactors factors) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= args.axis; i += lanes)
    WritePart<true>(args, x, y, i, static_cast<size_t>(lanes), factors);
  if (i < args.axis) WritePart<false>(args, x, y, i, static_cast<size_t>(args.axis - i), factors);
}

void NormalizeRow(const TernNormalizeArgs& args, int64_t row) {
  const float* x = args.x + row * args.axis;
  const float size = static_cast<float>(args.axis);
  // RMS normalization leaves the mean where it is.
  const float mean = args.rms != 0 ? 0.0f : RowSum<false>(x, args.axis, 0.0f) / size;
  const float variance = RowSum<true>(x, args.axis, mean) / size;
  const float inverse = 1.0f / sqrtf(variance + args.epsilon);
  WriteRow(args, x, args.y + row * args.axis, {mean, inverse});
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
