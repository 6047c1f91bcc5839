// SPDX-License-Identifier: Apache-2.0
// Random numbers by a seed: those of the Mersenne Twister in the order in which the standard's own
// implementation, NumPy's legacy generator, draws them. They do not depend on the target, on
// threads or on what ran before.

#include <cmath>
#include <cstdint>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/ops/shape_rules.h"

namespace tern::kernels::bind {
namespace {

// MT19937 of Matsumoto and Nishimura.
class Twister {
 public:
  explicit Twister(uint32_t seed) {
    for (uint32_t i = 0; i < kSize; ++i) {
      state_[i] = seed;
      seed = 1812433253u * (seed ^ (seed >> 30)) + i + 1;
    }
  }

  uint32_t Next() {
    if (at_ == kSize) Refill();
    uint32_t y = state_[at_++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ (y >> 18);
  }

  // From 0 to 1 - 2^-53.
  double NextUniform() {
    const uint32_t high = Next() >> 5, low = Next() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }

  // Marsaglia's polar method gives two numbers at a time.
  double NextNormal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double x = 0, y = 0, square = 0;
    do {
      x = 2 * NextUniform() - 1;
      y = 2 * NextUniform() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare_ = factor * x;
    has_spare_ = true;
    return factor * y;
  }

 private:
  static constexpr uint32_t kSize = 624, kShift = 397;

  void Refill() {
    for (uint32_t i = 0; i < kSize; ++i) {
      const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kSize] & 0x7FFFFFFFu);
      state_[i] = state_[(i + kShift) % kSize] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908B0DFu : 0);
    }
    at_ = 0;
  }

  uint32_t state_[kSize];
  uint32_t at_ = kSize;
  double spare_ = 0;
  bool has_spare_ = false;
};

// Rounding to a float must not make it 1.
float UniformOf(double value) {
  const auto rounded = static_cast<float>(value);
  return rounded < 1 ? rounded : 0x1.fffffep-1f;
}

}  // namespace

Result<Any> Random(const ops::RandomAttrs& attrs, Call& call) {
  Ints shape;
  call.ReadInts(0, &shape);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::ShapeFromValues<int64_t>(shape, &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  Twister twister(static_cast<uint32_t>(attrs.seed));
  float* const to = y->data_as<float>();
  const bool normal = call.op() == ops::Op::k_random_normal;
  for (int64_t i = 0; i < y->element_count(); ++i)
    to[i] = normal ? static_cast<float>(twister.NextNormal()) : UniformOf(twister.NextUniform());
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
