// SPDX-License-Identifier: Apache-2.0
// What the kernel benchmark computes, and who computes it: each case is a problem in plain layouts,
// and each side (a target of Tern, a rival) makes of it what it likes to read before it is timed.

#ifndef TERN_TOOLS_BENCH_KERNELS_PROBLEM_H_
#define TERN_TOOLS_BENCH_KERNELS_PROBLEM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/kernels/kernel.h"

namespace tern::kernels {

// Aligned memory.
using Floats = std::shared_ptr<float[]>;
Floats MakeFloats(int64_t count);    // zeros
Floats RandomFloats(int64_t count);  // the same for each count

enum class ProductKind {
  kPacked,      // b is weights: packed before
  kPlain,       // b is computed, [k][n]
  kTransposed,  // b is computed, [n][k]
};

struct ProductCase {
  int64_t m, n, k;
  ProductKind kind;
};

// kWinograd: a full one, which Tern computes by Winograd's algorithm.
enum class ConvKind { kFull, kWinograd, kDepthwise, kTransposed };

struct ConvCase {
  const char* name;
  int64_t height, width, in_c, out_c, kernel, stride, pad;
  int32_t activation = TERN_ACT_RELU;
};

// c = a * b.
struct Product {
  int64_t m, n, k;
  ProductKind kind;
  Floats a, b;  // b as its kind says; packed ones are [k][n] here

  int64_t outputs() const { return m * n; }
};

// A channels-last image; weights are [out_c][kernel][kernel][in_c], depthwise ones
// [kernel][kernel][in_c].
struct Convolution {
  int64_t height, width, out_height, out_width, in_c, out_c, kernel, stride, pad;
  int32_t activation;
  ConvKind kind;
  Floats input, weights, bias;

  int64_t outputs() const { return out_height * out_width * out_c; }
};

Product MakeProduct(const ProductCase& shape);
Convolution MakeConvolution(const ConvCase& shape, ConvKind kind);

// One who computes a problem, which outlives it.
struct Side {
  std::string name;
  std::function<void()> run;
  // The result of the last run in the plain layout, which all sides of a problem must agree on.
  std::function<Floats()> result;
};

}  // namespace tern::kernels

#endif  // TERN_TOOLS_BENCH_KERNELS_PROBLEM_H_
