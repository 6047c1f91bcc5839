// SPDX-License-Identifier: Apache-2.0
// Draws a digit as somebody might write it: a skeleton, bent, jittered, slanted, scaled and inked
// with a soft pen into a 28x28 image. Everything is a function of the random state handed in.
#ifndef TERN_TOOLS_DIGITS_DRAW_H_
#define TERN_TOOLS_DIGITS_DRAW_H_

#include <cstdint>

namespace tern::digits {

inline constexpr int kSide = 28;
inline constexpr int kPixels = kSide * kSide;

// SplitMix64: the same numbers with every compiler and library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  float Uniform(float lo, float hi);
  float Normal(float sigma);  // sum of uniforms: bounded tails, no libm
  int Below(int n) { return static_cast<int>(Next() % static_cast<uint64_t>(n)); }
  bool Chance(float p) { return Uniform(0, 1) < p; }

 private:
  uint64_t state_;
};

// How the drawn digit lies in the image.
enum class Framing {
  kCentred,  // as MNIST: 20x20 box, centre of mass in the middle
  kCanvas,   // as drawn by hand on a canvas: any size and place
  kMixed,    // either, by chance
};

struct DrawOptions {
  bool held_out = false;  // which side of the skeleton split
  Framing framing = Framing::kMixed;
};

// Writes whole numbers 0..255, ink bright on black, row by row.
void DrawDigit(int digit, const DrawOptions& options, Random& random, float* image);

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_DRAW_H_
