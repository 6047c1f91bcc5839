// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one f32 argument: one functor per function, one loop for all.

#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// What a functor may need besides x.
struct Parameters {
  float alpha, beta;
};

using UnaryRange = void(const Parameters& parameters, const float* x, float* y, size_t size);

// A cheap function waits for loads, so two vectors are under way at once.
template <class Op>
void CheapRange(const Parameters& parameters, const float* x, float* y, size_t size) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    const V y0 = Op::Apply(d, hn::LoadU(d, x + i), parameters);
    const V y1 = Op::Apply(d, hn::LoadU(d, x + i + lanes), parameters);
    hn::StoreU(y0, d, y + i);
    hn::StoreU(y1, d, y + i + lanes);
  }
  for (; i < size; i += lanes) {
    const size_t count = size - i < lanes ? size - i : lanes;
    hn::StoreN(Op::Apply(d, hn::LoadN(d, x + i, count), parameters), d, y + i, count);
  }
}

// A costly one is hundreds of bytes of code, so it stands there once, the tail included.
template <class Op>
void CostlyRange(const Parameters& parameters, const float* x, float* y, size_t size) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < size; i += lanes) {
    const size_t left = size - i;
    const V value = left >= lanes ? hn::LoadU(d, x + i) : hn::LoadN(d, x + i, left);
    const V result = Op::Apply(d, value, parameters);
    if (left >= lanes) {
      hn::StoreU(result, d, y + i);
    } else {
      hn::StoreN(result, d, y + i, left);
    }
  }
}

// About 20 us of work: what a core reads and writes, or computes, in that time.
constexpr int64_t kCheapGrain = 64 * 1024, kCostlyGrain = 16 * 1024;

#define TERN_UNARY_FUNCTION(name, grain, expression)                            \
  struct Unary_##name {                                                         \
    static constexpr int64_t kGrain = grain;                                    \
    static HWY_INLINE V Apply(D d, V x, [[maybe_unused]] const Parameters& p) { \
      return expression;                                                        \
    }                                                                           \
  };
TERN_UNARY_FUNCTION(abs, kCheapGrain, (static_cast<void>(d), hn::Abs(x)))
TERN_UNARY_FUNCTION(neg, kCheapGrain, (static_cast<void>(d), hn::Neg(x)))
TERN_UNARY_FUNCTION(sign, kCheapGrain,
                    hn::IfThenElse(hn::Gt(hn::Abs(x), hn::Zero(d)),
                                   hn::CopySign(hn::Set(d, 1.0f), x), x))
TERN_UNARY_FUNCTION(floor, kCheapGrain, (static_cast<void>(d), hn::Floor(x)))
TERN_UNARY_FUNCTION(ceil, kCheapGrain, (static_cast<void>(d), hn::Ceil(x)))
TERN_UNARY_FUNCTION(round, kCheapGrain, (static_cast<void>(d), hn::Round(x)))
TERN_UNARY_FUNCTION(sqrt, kCheapGrain, (static_cast<void>(d), hn::Sqrt(x)))
TERN_UNARY_FUNCTION(rsqrt, kCheapGrain, hn::Div(hn::Set(d, 1.0f), hn::Sqrt(x)))
TERN_UNARY_FUNCTION(reciprocal, kCheapGrain, hn::Div(hn::Set(d, 1.0f), x))
TERN_UNARY_FUNCTION(exp, kCostlyGrain, Exp(d, x))
TERN_UNARY_FUNCTION(log, kCostlyGrain, Log(d, x))
TERN_UNARY_FUNCTION(sin, kCostlyGrain, Sin(d, x))
TERN_UNARY_FUNCTION(cos, kCostlyGrain, Cos(d, x))
TERN_UNARY_FUNCTION(tan, kCostlyGrain, Tan(d, x))
TERN_UNARY_FUNCTION(asin, kCostlyGrain, Asin(d, x))
TERN_UNARY_FUNCTION(acos, kCostlyGrain, Acos(d, x))
TERN_UNARY_FUNCTION(atan, kCostlyGrain, Atan(d, x))
TERN_UNARY_FUNCTION(sinh, kCostlyGrain, Sinh(d, x))
TERN_UNARY_FUNCTION(cosh, kCostlyGrain, Cosh(d, x))
TERN_UNARY_FUNCTION(asinh, kCostlyGrain, Asinh(d, x))
TERN_UNARY_FUNCTION(acosh, kCostlyGrain, Acosh(d, x))
TERN_UNARY_FUNCTION(atanh, kCostlyGrain, Atanh(d, x))
TERN_UNARY_FUNCTION(tanh, kCostlyGrain, Tanh(d, x))
TERN_UNARY_FUNCTION(erf, kCostlyGrain, Erf(d, x))
TERN_UNARY_FUNCTION(sigmoid, kCostlyGrain, Sigmoid(d, x))
TERN_UNARY_FUNCTION(relu, kCheapGrain, Relu(d, x))
TERN_UNARY_FUNCTION(silu, kCostlyGrain, Silu(d, x))
TERN_UNARY_FUNCTION(gelu, kCostlyGrain, Gelu(d, x))
TERN_UNARY_FUNCTION(gelu_tanh, kCostlyGrain, GeluTanh(d, x))
TERN_UNARY_FUNCTION(softplus, kCostlyGrain, Softplus(d, x))
TERN_UNARY_FUNCTION(softsign, kCheapGrain, hn::Div(x, hn::Add(hn::Set(d, 1.0f), hn::Abs(x))))
TERN_UNARY_FUNCTION(mish, kCostlyGrain, Mish(d, x))
TERN_UNARY_FUNCTION(hard_swish, kCheapGrain, HardSwish(d, x))
TERN_UNARY_FUNCTION(leaky_relu, kCheapGrain, LeakyRelu(d, x, hn::Set(d, p.alpha)))
TERN_UNARY_FUNCTION(elu, kCostlyGrain, Elu(d, x, hn::Set(d, p.alpha)))
TERN_UNARY_FUNCTION(selu, kCostlyGrain, hn::Mul(hn::Set(d, p.beta), Elu(d, x, hn::Set(d, p.alpha))))
TERN_UNARY_FUNCTION(
    celu, kCostlyGrain,
    hn::IfThenElse(hn::Lt(x, hn::Zero(d)),
                   hn::Mul(hn::Set(d, p.alpha), Expm1(d, hn::Div(x, hn::Set(d, p.alpha)))), x))
TERN_UNARY_FUNCTION(hard_sigmoid, kCheapGrain,
                    HardSigmoid(d, x, hn::Set(d, p.alpha), hn::Set(d, p.beta)))
TERN_UNARY_FUNCTION(thresholded_relu, kCheapGrain,
                    hn::IfThenZeroElse(hn::Le(x, hn::Set(d, p.alpha)), x))
TERN_UNARY_FUNCTION(clamp, kCheapGrain, Clamp(d, x, hn::Set(d, p.alpha), hn::Set(d, p.beta)))
#undef TERN_UNARY_FUNCTION

// x + beta below -alpha, x - beta above alpha, zero between (NaN stays).
struct Unary_shrink {
  static constexpr int64_t kGrain = kCheapGrain;
  static HWY_INLINE V Apply(D d, V x, const Parameters& p) {
    const V limit = hn::Set(d, p.alpha);
    const V moved = hn::Sub(x, hn::CopySign(hn::Set(d, p.beta), x));
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), limit), moved);
  }
};

struct UnaryKernel {
  UnaryRange* run;
  int64_t grain;
};

template <class Op>
constexpr UnaryKernel KernelOf() {
  return {Op::kGrain == kCheapGrain ? CheapRange<Op> : CostlyRange<Op>, Op::kGrain};
}

}  // namespace

int32_t unary(const TernUnaryArgs* args, const TernKernelContext* context) {
#define TERN_UNARY_KERNEL(name) KernelOf<Unary_##name>(),
  static constexpr UnaryKernel kKernels[] = {TERN_UNARY_LIST(TERN_UNARY_KERNEL)};
#undef TERN_UNARY_KERNEL
  if (args->op < 0 || args->op >= TERN_UNARY_COUNT) return TERN_KERNEL_OK;
  const UnaryKernel& kernel = kKernels[args->op];
  const Parameters parameters{args->alpha, args->beta};
  ParallelFor(context, args->size, kernel.grain, 64, [&](int64_t begin, int64_t end, int32_t) {
    kernel.run(parameters, args->x + begin, args->y + begin, static_cast<size_t>(end - begin));
  });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
