// SPDX-License-Identifier: Apache-2.0
// The product with weights of 4 bits, each unpacked where it is needed.

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {
namespace {

// Half `index` of a run of bytes; the low half of a byte comes first.
double HalfAt(const uint8_t* bytes, int64_t index) {
  return index % 2 == 0 ? bytes[index / 2] & 0xF : bytes[index / 2] >> 4;
}

// The weight at row i of a column.
double WeightAt(const TernMatMulBitsArgs& args, int64_t column, int64_t i) {
  const int64_t blocks = (args.k + args.block - 1) / args.block, block = i / args.block;
  const int64_t number = column * blocks + block;  // of the block
  double zero = 8;
  if (args.float_zeros != nullptr) {
    zero = args.float_zeros[number];
  } else if (args.zeros != nullptr) {
    zero = HalfAt(args.zeros + column * ((blocks + 1) / 2), block);
  }
  const uint8_t* bytes = args.b + number * (args.block / 2);
  return (HalfAt(bytes, i % args.block) - zero) * args.scales[number];
}

}  // namespace

int32_t matmul_bits(const TernMatMulBitsArgs* args, const TernKernelContext*) {
  for (int64_t row = 0; row < args->m; ++row) {
    for (int64_t column = 0; column < args->n; ++column) {
      double sum = 0;
      for (int64_t i = 0; i < args->k; ++i)
        sum += args->a[row * args->k + i] * WeightAt(*args, column, i);
      args->c[row * args->n + column] = static_cast<float>(sum);
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
