// SPDX-License-Identifier: Apache-2.0
// Products with weights of 4 bits: depths and blocks around every lane count, zero points of all
// kinds, few rows and many.

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

enum class Zeros { kNone, kPacked, kFloats };

struct BitsCase {
  int64_t m, n, k, block;
  Zeros zeros = Zeros::kNone;
  int workers = 0;
};

std::string Name(const BitsCase& c) {
  return "m,n,k,block,zeros,workers " + std::to_string(c.m) + " " + std::to_string(c.n) + " " +
         std::to_string(c.k) + " " + std::to_string(c.block) + " " +
         std::to_string(static_cast<int>(c.zeros)) + " " + std::to_string(c.workers);
}

// What a case reads; bytes lie anywhere.
struct BitsOperands {
  explicit BitsOperands(const BitsCase& c)
      : blocks((c.k + c.block - 1) / c.block),
        a(c.m * c.k, 1),
        b(c.n * blocks * c.block / 2, 1),
        scales(c.n * blocks, 3),
        zeros(c.n * ((blocks + 1) / 2), 1),
        float_zeros(c.n * blocks, 1) {
    Random random(static_cast<uint64_t>(c.m * 7 + c.n * 31 + c.k + c.block));
    a.FillRandom(random);
    FillBytes(b, random);
    scales.FillRandom(random, -0.02f, 0.1f);
    FillBytes(zeros, random);
    float_zeros.FillRandom(random, -1.0f, 16.0f);
  }
  TernMatMulBitsArgs Args(const BitsCase& c) const {
    TernMatMulBitsArgs args{};
    args.m = c.m, args.n = c.n, args.k = c.k, args.block = c.block;
    args.a = a.data(), args.b = b.data(), args.scales = scales.data();
    if (c.zeros == Zeros::kPacked) args.zeros = zeros.data();
    if (c.zeros == Zeros::kFloats) args.float_zeros = float_zeros.data();
    return args;
  }

  int64_t blocks;
  Buffer<float> a;
  Buffer<uint8_t> b;
  Buffer<float> scales;
  Buffer<uint8_t> zeros;
  Buffer<float> float_zeros;
};

void CheckBits(const KernelPair<TernMatMulBitsArgs>& pair, const BitsCase& c) {
  const BitsOperands operands(c);
  Buffer<float> output(c.m * c.n, 1);
  ExpectSame(pair, operands.Args(c), &TernMatMulBitsArgs::c, output.Fill(7), Name(c), c.workers);
}

// Whoever computes a column, and beside whichever others, it has the same bits.
void CheckWorkers(const KernelPair<TernMatMulBitsArgs>& pair, const BitsCase& c) {
  const BitsOperands operands(c);
  TernMatMulBitsArgs args = operands.Args(c);
  Buffer<float> alone(c.m * c.n), shared(c.m * c.n);
  TestContext one(1), three(3);
  args.c = alone.data();
  ASSERT_EQ(pair.actual(&args, one.get()), TERN_KERNEL_OK);
  args.c = shared.data();
  ASSERT_EQ(pair.actual(&args, three.get()), TERN_KERNEL_OK);
  if (pair.actual != pair.expected) EXPECT_GT(three.tasks_run(), 1) << Name(c);
  for (int64_t i = 0; i < alone.size(); ++i) ASSERT_EQ(shared[i], alone[i]) << Name(c) << " " << i;
}

}  // namespace

void Test_matmul_bits(const KernelPair<TernMatMulBitsArgs>& pair) {
  for (Zeros zeros : {Zeros::kNone, Zeros::kPacked, Zeros::kFloats}) {
    for (int64_t block = 16; block <= 256; block *= 2) {
      for (int64_t k : {1, 7, 16, 33, 64, 250, 688}) {
        CheckBits(pair, {1, 5, k, block, zeros});
        CheckBits(pair, {9, 35, k, block, zeros});
      }
    }
    for (int64_t m = 1; m <= 20; ++m) CheckBits(pair, {m, 19, 96, 32, zeros});
    for (int64_t n = 1; n <= 70; n += 3) {
      CheckBits(pair, {1, n, 80, 16, zeros});
      CheckBits(pair, {12, n, 80, 16, zeros});
    }
    CheckBits(pair, {2, 20, 100, 1024, zeros});
    CheckBits(pair, {3, 40, 2080, 32, zeros});
    CheckBits(pair, {7, 70, 2080, 32, zeros});
  }
  CheckBits(pair, {1, 3000, 256, 32, Zeros::kPacked, 3});
  CheckBits(pair, {30, 300, 256, 32, Zeros::kPacked, 3});
  CheckWorkers(pair, {2, 3000, 256, 32, Zeros::kPacked});
  CheckWorkers(pair, {20, 700, 256, 32, Zeros::kNone});
  CheckBits(pair, {0, 5, 32, 32});
  CheckBits(pair, {5, 0, 32, 32});
  // Rows that cannot be spread or unpacked are said, and nothing is written.
  for (int64_t m : {1, 30}) {
    const BitsCase c{m, 20, 64, 32};
    const BitsOperands operands(c);
    TernMatMulBitsArgs args = operands.Args(c);
    Buffer<float> output(c.m * c.n);
    args.c = output.Fill(4).data();
    TestContext context(0, /*has_scratch=*/false);
    if (pair.actual(&args, context.get()) == TERN_KERNEL_OK) continue;  // reference/ needs none
    for (int64_t i = 0; i < output.size(); ++i) ASSERT_EQ(output[i], 4);
  }
}

}  // namespace tern::kernels
