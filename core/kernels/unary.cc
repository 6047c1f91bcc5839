// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one f32 argument: one functor per function, one loop for all.

#include "core/kernels/activate.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// The coefficients of the operators that have some (alpha and beta in ONNX).
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

// A costly one is hundreds of bytes of code, so it stands there once: a second round computes what
// is left over, in a vector of its own.
template <class Op>
void CostlyRange(const Parameters& parameters, const float* x, float* y, size_t size) {
  const D d;
  const size_t lanes = hn::Lanes(d), left = size % lanes;
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)];
  const float* from = x;
  float* to = y;
  size_t end = size - left;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
  for (;;) {
    for (size_t i = 0; i < end; i += lanes) {
      hn::StoreU(Op::Apply(d, hn::LoadU(d, from + i), parameters), d, to + i);
    }
    if (left == 0 || from == rest) break;
    hn::Store(hn::LoadN(d, x + size - left, left), d, rest);
    from = to = rest;
    end = lanes;
  }
  if (left != 0) hn::StoreN(hn::Load(d, rest), d, y + size - left, left);
}

// About 20 us of work: what a core reads and writes, or computes, in that time.
// Which loop an operator gets follows from its grain (KernelOf).
constexpr int64_t kCheapGrain = 64 * 1024, kCostlyGrain = 16 * 1024;

// x + bias below -limit, x - bias above limit, zero between (NaN stays).
HWY_INLINE V Shrink(D, V x, V limit, V bias) {
  return hn::IfThenZeroElse(hn::Le(hn::Abs(x), limit), hn::Sub(x, hn::CopySign(bias, x)));
}

#define TERN_UNARY(name, types, formula, Cost, kernel, reference, phrase)                        \
  struct Unary_##name {                                                                          \
    static constexpr int64_t kGrain = k##Cost##Grain;                                            \
    static HWY_INLINE V Apply([[maybe_unused]] D d, V x, [[maybe_unused]] const Parameters& p) { \
      return kernel;                                                                             \
    }                                                                                            \
  };
#include "core/kernels/unary.def"

struct UnaryKernel {
  UnaryRange* run;
  int64_t grain;
};

template <class Op>
constexpr UnaryRange* LoopOf() {
  return Op::kGrain == kCheapGrain ? &CheapRange<Op> : &CostlyRange<Op>;
}

template <class Op>
constexpr UnaryKernel KernelOf() {
  return {LoopOf<Op>(), Op::kGrain};
}

}  // namespace

void Activate(const TernEpilogue& epilogue, const float* x, float* y, int64_t size) {
  static constexpr UnaryRange* kLoops[] = {
      LoopOf<Unary_leaky_relu>(),    // TERN_ACT_LEAKY_RELU
      LoopOf<Unary_sigmoid>(),       // TERN_ACT_SIGMOID
      LoopOf<Unary_silu>(),          // TERN_ACT_SILU
      LoopOf<Unary_tanh>(),          // TERN_ACT_TANH
      LoopOf<Unary_gelu>(),          // TERN_ACT_GELU
      LoopOf<Unary_gelu_tanh>(),     // TERN_ACT_GELU_TANH
      LoopOf<Unary_hard_sigmoid>(),  // TERN_ACT_HARD_SIGMOID
      LoopOf<Unary_hard_swish>(),    // TERN_ACT_HARD_SWISH
      LoopOf<Unary_elu>(),           // TERN_ACT_ELU
  };
  static_assert(sizeof(kLoops) / sizeof(*kLoops) == TERN_ACT_ELU - TERN_ACT_LEAKY_RELU + 1);
  const Parameters parameters{epilogue.alpha, epilogue.beta};
  kLoops[epilogue.activation - TERN_ACT_LEAKY_RELU](parameters, x, y, static_cast<size_t>(size));
}

int32_t unary(const TernUnaryArgs* args, const TernKernelContext* context) {
  static constexpr UnaryKernel kKernels[] = {
#define TERN_UNARY(name, ...) KernelOf<Unary_##name>(),
#include "core/kernels/unary.def"
  };
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
