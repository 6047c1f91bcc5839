// SPDX-License-Identifier: Apache-2.0
// Products: every tile height and column edge, strides wider than the matrix, epilogues, broadcast
// batches.

#include <memory>
#include <tuple>

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

struct GemmShape {
  int64_t m, n, k;
};

std::string Name(const GemmShape& s) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

int64_t PanelFloats(int64_t n, int64_t k) { return (n + 15) / 16 * 16 * k; }

// Panels whose padding columns are zero, as pack_panels leaves them.
Buffer<float> RandomPanels(int64_t n, int64_t k, Random& random) {
  Buffer<float> panels(PanelFloats(n, k));
  panels.FillRandom(random);
  for (int64_t i = 0; i < panels.size(); ++i) {
    if (i / (16 * k) * 16 + i % 16 >= n) panels[i] = 0.0f;
  }
  return panels;
}

void CheckGemm(const KernelPair<TernGemmArgs>& pair, const GemmShape& shape, int64_t gap,
               TernEpilogue epilogue, const std::string& what, int workers = 0) {
  Random random(static_cast<uint64_t>(shape.m * 10007 + shape.n * 101 + shape.k));
  const int64_t stride = shape.k + gap;
  Buffer<float> a(shape.m * stride, 1), c(shape.m * (shape.n + gap), 3);
  const Buffer<float> b = RandomPanels(shape.n, shape.k, random);
  a.FillRandom(random);
  c.FillRandom(random);
  TernGemmArgs args{shape.m,  shape.n, shape.k,       a.data(), stride,
                    b.data(), nullptr, shape.n + gap, epilogue};
  ExpectSame(pair, args, &TernGemmArgs::c, c, what + " " + Name(shape), workers);
}

void CheckGemmEpilogues(const KernelPair<TernGemmArgs>& pair, const GemmShape& shape) {
  Random random(5);
  Buffer<float> bias(shape.n, 1), residual(shape.m * (shape.n + 2), 1);
  bias.FillRandom(random);
  residual.FillRandom(random);
  for (int32_t activation = TERN_ACT_NONE; activation <= TERN_ACT_ELU; ++activation) {
    for (int32_t after = 0; after < 2; ++after) {
      TernEpilogue epilogue{bias.data(), residual.data(), shape.n + 2, activation,
                            after,       0.25f,           0.5f};
      const std::string what =
          "activation " + std::to_string(activation) + (after != 0 ? " residual after" : "");
      CheckGemm(pair, shape, 1, epilogue, what);
      epilogue.residual = nullptr;
      CheckGemm(pair, shape, 0, epilogue, what + " without residual");
    }
  }
}

// The output is its own residual, as in `x += layer(y)`.
void CheckGemmInPlace(const KernelPair<TernGemmArgs>& pair, int32_t activation) {
  const GemmShape shape{17, 37, 9};
  Random random(7);
  Buffer<float> a(shape.m * shape.k), c(shape.m * shape.n);
  const Buffer<float> b = RandomPanels(shape.n, shape.k, random);
  a.FillRandom(random);
  c.FillRandom(random);
  Buffer<float> expected(c), actual(c);
  TestContext context;
  TernGemmArgs args{shape.m, shape.n, shape.k, a.data(), shape.k, b.data(), nullptr, shape.n, {}};
  args.epilogue.activation = activation;
  args.epilogue.residual_after = 1;
  args.epilogue.residual_stride = shape.n;
  args.epilogue.residual = args.c = expected.data();
  ASSERT_EQ(pair.expected(&args, context.get()), TERN_KERNEL_OK);
  args.epilogue.residual = args.c = actual.data();
  ASSERT_EQ(pair.actual(&args, context.get()), TERN_KERNEL_OK);
  EXPECT_TRUE(Close(expected.data(), actual.data(), c.size(), pair.bound, "in place"));
}

void CheckGemmSpecials(const KernelPair<TernGemmArgs>& pair) {
  const GemmShape shape{5, 19, 4};
  Random random(11);
  const Buffer<float> b = RandomPanels(shape.n, shape.k, random);
  for (float special : {NAN, INFINITY, -INFINITY}) {
    for (int32_t activation : {TERN_ACT_NONE, TERN_ACT_RELU, TERN_ACT_CLAMP}) {
      Buffer<float> a(shape.m * shape.k), c(shape.m * shape.n);
      a.FillRandom(random);
      c.Fill(0.0f);
      a[2 * shape.k + 1] = special;
      TernGemmArgs args{shape.m,  shape.n, shape.k, a.data(), shape.k,
                        b.data(), nullptr, shape.n, {}};
      args.epilogue.activation = activation;
      args.epilogue.alpha = -0.5f;
      args.epilogue.beta = 0.5f;
      ExpectSame(pair, args, &TernGemmArgs::c, c, "special value " + std::to_string(special));
    }
  }
}

// Single rows count subnormal elements as zeros, which changes no sum that has others.
void CheckSubnormalRow(const KernelPair<TernGemmArgs>& pair, const GemmShape& shape) {
  Random random(13);
  const Buffer<float> b = RandomPanels(shape.n, shape.k, random);
  Buffer<float> a(shape.m * shape.k), c(shape.m * shape.n);
  a.FillRandom(random);
  for (int64_t i = 0; i < a.size(); i += 1 + i % 3) a[i] *= 0x1p-127f;
  ExpectSame(pair, {shape.m, shape.n, shape.k, a.data(), shape.k, b.data(), nullptr, shape.n, {}},
             &TernGemmArgs::c, c, "subnormal elements");
}

// A product of any epilogue; what it reads beside it is at least as wide.
struct AnyGemm {
  GemmShape shape;
  int64_t gap;
  bool has_bias, has_residual;
  int32_t activation, residual_after;
  int workers;
};

AnyGemm DrawGemm(Random& random, int64_t width) {
  AnyGemm c{};
  // Up to three tiles and a rest; columns up to a tile and a rest, of whole panels and others.
  c.shape = {1 + random.Below(24), 1 + random.Below(5 * width), random.Below(14)};
  if (random.Below(4) == 0) c.shape.n = width * (1 + random.Below(5));
  c.gap = random.Below(3);
  c.has_bias = random.Below(2) != 0, c.has_residual = random.Below(2) != 0;
  c.activation = static_cast<int32_t>(random.Below(TERN_ACT_ELU + 1));
  c.residual_after = static_cast<int32_t>(random.Below(2));
  c.workers = static_cast<int>(random.Below(3));
  return c;
}

// With panels made anew where there is scratch, and with those of the file where there is none: the
// same bits, and those of the plain loops within the bound.
void CheckPanelWidths(const KernelPair<TernGemmArgs>& pair, const AnyGemm& c, Random& random) {
  const auto& [m, n, k] = c.shape;
  Buffer<float> a(m * (k + c.gap), 1), bias(n, 1), residual(m * (n + c.gap), 3);
  Buffer<float> sums(m * (n + c.gap), 1);
  const Buffer<float> b = RandomPanels(n, k, random);
  for (Buffer<float>* buffer : {&a, &bias, &residual, &sums}) buffer->FillRandom(random);
  const TernEpilogue epilogue{c.has_bias ? bias.data() : nullptr,
                              c.has_residual ? residual.data() : nullptr,
                              n + c.gap,
                              c.activation,
                              c.residual_after,
                              0.25f,
                              0.5f};
  TernGemmArgs args{m, n, k, a.data(), k + c.gap, b.data(), nullptr, n + c.gap, epilogue};
  const std::string what = Name(c.shape) + " activation " + std::to_string(c.activation);
  ExpectSame(pair, args, &TernGemmArgs::c, sums, what, c.workers);
  Buffer<float> by_long(sums), by_file(sums);
  TestContext with_scratch(c.workers), without(c.workers, /*has_scratch=*/false);
  args.c = by_long.data();
  ASSERT_EQ(pair.actual(&args, with_scratch.get()), TERN_KERNEL_OK);
  args.c = by_file.data();
  ASSERT_EQ(pair.actual(&args, without.get()), TERN_KERNEL_OK);
  EXPECT_TRUE(Close(by_file.data(), by_long.data(), sums.size(), 0.0f, what + " by long panels"));
  EXPECT_EQ(without.scratch_bytes(), 0);
}

// Panels are made anew where that saves more than it takes, and only there.
void CheckLongPanelsTaken(const KernelPair<TernGemmArgs>& pair) {
  const int64_t width = LongWidth(pair, &KernelTable::gemm), k = 9;
  for (int64_t n : {width - 15, width, width + 1, 3 * width - 7}) {
    const int64_t long_bytes = (n + width - 1) / width * width * k * 4;
    for (int64_t m : {1, 3, 48}) {
      Buffer<float> a(m * k), c(m * n);
      Random random(2);
      const Buffer<float> b = RandomPanels(n, k, random);
      TernGemmArgs args{m, n, k, a.Fill(0.0f).data(), k, b.data(), c.data(), n, {}};
      TestContext context;
      ASSERT_EQ(pair.actual(&args, context.get()), TERN_KERNEL_OK);
      EXPECT_EQ(context.scratch_bytes(), width > 16 && m == 48 && n > 16 ? long_bytes : 0)
          << Name({m, n, k});
    }
  }
}

// Workers that sleep are woken for long work only.
void CheckSleepingWorkers(const KernelPair<TernGemmArgs>& pair) {
  for (const auto& [m, asleep, tasks] :
       {std::tuple{300, false, 2}, std::tuple{300, true, 0}, std::tuple{600, true, 2}}) {
    const int64_t n = 48, k = 64;
    Random random(3);
    Buffer<float> a(m * k), c(m * n);
    const Buffer<float> b = RandomPanels(n, k, random);
    const TernGemmArgs args{m, n, k, a.Fill(1.0f).data(), k, b.data(), c.data(), n, {}};
    TestContext context(2);
    if (asleep) context.LetWorkersSleep();
    ASSERT_EQ(pair.actual(&args, context.get()), TERN_KERNEL_OK);
    EXPECT_EQ(context.tasks_run(), tasks) << m << (asleep ? " asleep" : " awake");
  }
}

void CheckLongPanels(const KernelPair<TernGemmArgs>& pair) {
  const int64_t width = LongWidth(pair, &KernelTable::gemm);
  Random random(13);
  for (int i = 0; i < 150; ++i) CheckPanelWidths(pair, DrawGemm(random, width), random);
  // Cut by panels and by rows; rows a page apart, which are copied beside the panels.
  CheckPanelWidths(pair, {{24, 16 * width + 7, 64}, 0, true, true, TERN_ACT_RELU, 0, 2}, random);
  CheckPanelWidths(pair, {{300, 2 * width + 3, 40}, 1, true, false, TERN_ACT_SILU, 0, 2}, random);
  CheckPanelWidths(pair, {{20, 9 * width, 512}, 0, false, true, TERN_ACT_TANH, 1, 2}, random);
  CheckLongPanelsTaken(pair);
}

}  // namespace

void Test_gemm(const KernelPair<TernGemmArgs>& pair) {
  for (int64_t m = 0; m <= 29; ++m) {
    for (int64_t n : {1, 15, 16, 17, 33, 70}) {
      for (int64_t k : {1, 7}) CheckGemm(pair, {m, n, k}, 0, {}, "plain");
    }
  }
  for (int64_t n = 1; n <= 2 * std::max<int64_t>(TestLanes(), 33) + 1; ++n) {
    CheckGemm(pair, {3, n, 5}, 3, {}, "columns");
  }
  for (int64_t k = 0; k <= 2 * TestLanes() + 1; ++k) CheckGemm(pair, {7, 20, k}, 1, {}, "depth");
  CheckGemm(pair, {100, 0, 8}, 2, {}, "no columns");
  CheckGemm(pair, {31, 64, 1024}, 0, {}, "rows a page apart");
  CheckGemm(pair, {600, 48, 300}, 0, {}, "several blocks");
  CheckGemm(pair, {257, 130, 129}, 1, {}, "three workers by rows", 3);
  CheckGemm(pair, {33, 517, 257}, 1, {}, "three workers by panels", 3);
  CheckGemm(pair, {64, 64, 1024}, 0, {}, "two workers, rows a page apart", 2);
  CheckGemmEpilogues(pair, {5, 35, 6});
  CheckGemmEpilogues(pair, {29, 64, 3});
  // Sums of a block that leave the second-level cache before the activation could pass over them.
  CheckGemmEpilogues(pair, {230, 200, 3});
  // One row takes several panels at once, and what is left of them one by one.
  for (int64_t n : {16, 63, 64, 65, 150, 1000}) CheckGemm(pair, {1, n, 37}, 3, {}, "a row");
  CheckGemmEpilogues(pair, {1, 150, 9});
  for (int32_t activation : {TERN_ACT_NONE, TERN_ACT_RELU, TERN_ACT_SILU}) {
    CheckGemmInPlace(pair, activation);
  }
  CheckGemmSpecials(pair);
  for (const int64_t m : {1, 3}) CheckSubnormalRow(pair, {m, 200, 37});
  CheckLongPanels(pair);
  if (pair.actual != pair.expected) CheckSleepingWorkers(pair);
}

void Test_pack_panels(const KernelPair<TernPackArgs>& pair) {
  Random random(3);
  for (int64_t n : {0, 1, 4, 15, 16, 17, 47, 64}) {
    for (int64_t k : {0, 1, 3, 4, 9, 32}) {
      Buffer<float> src((n + 1) * (k + 1) * 2 + 8, 1), dst(PanelFloats(n, k));
      src.FillRandom(random);
      dst.Fill(9.0f);
      const std::string what = "pack " + std::to_string(n) + " columns of " + std::to_string(k);
      ExpectSame(pair, {n, k, src.data(), n + 1, 1, nullptr}, &TernPackArgs::dst, dst,
                 what + " rows");
      ExpectSame(pair, {n, k, src.data(), 1, k + 1, nullptr}, &TernPackArgs::dst, dst,
                 what + " columns", 2);
      ExpectSame(pair, {n, k, src.data(), 2, 2 * k + 1, nullptr}, &TernPackArgs::dst, dst,
                 what + " strided");
    }
  }
}

namespace {

struct MatMulCase {
  GemmShape shape;
  bool a_transposed, b_transposed;
  int64_t step;  // between elements of a row (or of a column where transposed)
  int64_t batches = 1;
};

void CheckMatMul(const KernelPair<TernMatMulArgs>& pair, const MatMulCase& c, int workers = 0,
                 int32_t activation = TERN_ACT_NONE) {
  const auto& [m, n, k] = c.shape;
  Random random(static_cast<uint64_t>(m * 10007 + n * 101 + k));
  Buffer<float> a(c.batches * m * k * c.step + 1, 1), b(n * k * c.step + 1, 2);
  Buffer<float> out(c.batches * m * (n + 1), 3), bias(n), residual(c.batches * m * (n + 1));
  a.FillRandom(random);
  b.FillRandom(random);
  out.FillRandom(random);
  bias.FillRandom(random);
  residual.FillRandom(random);
  std::vector<int64_t> a_offsets, b_offsets, c_offsets;
  for (int64_t i = 0; i < c.batches; ++i) {
    a_offsets.push_back(i * m * k * c.step);
    b_offsets.push_back(0);  // broadcast
    c_offsets.push_back((c.batches - 1 - i) * m * (n + 1));
  }
  TernMatMulArgs args{};
  args.batches = c.batches, args.m = m, args.n = n, args.k = k;
  args.a = a.data(), args.b = b.data();
  args.a_row_stride = c.a_transposed ? c.step : k * c.step;
  args.a_col_stride = c.a_transposed ? m * c.step : c.step;
  args.b_row_stride = c.b_transposed ? c.step : n * c.step;
  args.b_col_stride = c.b_transposed ? k * c.step : c.step;
  args.c_row_stride = n + 1;
  args.a_offsets = a_offsets.data(), args.b_offsets = b_offsets.data();
  args.c_offsets = c_offsets.data();
  if (activation != TERN_ACT_NONE) {
    args.epilogue = {bias.data(), residual.data(), n + 1, activation, activation % 2, 0.1f, 0.3f};
  }
  ExpectSame(pair, args, &TernMatMulArgs::c, out,
             "matmul " + Name(c.shape) + (c.a_transposed ? " a transposed" : "") +
                 (c.b_transposed ? " b transposed" : "") + " step " + std::to_string(c.step),
             workers);
}

// Rows are multiplied by an unpacked right side up to a number that depends on its shape.
void CheckFewRows(const KernelPair<TernMatMulArgs>& pair) {
  for (int64_t m : {1, 2, 3, 4, 5, 8, 9, 12, 13}) {
    for (int64_t n : {63, 64, 100, 150}) {
      CheckMatMul(pair, {{m, n, 7}, false, false, 1});
      CheckMatMul(pair, {{m, 9, n}, false, true, 1}, 0, TERN_ACT_RELU);
    }
    // Too large for the first-level cache; more columns than are summed at once.
    CheckMatMul(pair, {{m, 150, 121}, false, false, 1}, 2);
    CheckMatMul(pair, {{m, 121, 150}, false, true, 1}, 2);
    CheckMatMul(pair, {{m, 1100, 18}, m % 2 == 0, false, 1, 2}, 0, TERN_ACT_SILU);
  }
}

// Whole vectors are read behind a row's last column where that is within the right side: exactly so
// many floats, which the address sanitizer watches.
void CheckReadsWithin(const KernelPair<TernMatMulArgs>& pair) {
  const int64_t whole = 0;
  for (int64_t n : {1, 3, 15, 17, 66}) {
    for (int64_t k : {1, 3, 4, 5, 8, 9}) {
      const std::unique_ptr<float[]> b(new float[static_cast<size_t>(n * k)]);
      for (int64_t i = 0; i < n * k; ++i) b[static_cast<size_t>(i)] = static_cast<float>(i % 7 - 3);
      Buffer<float> a(3 * k), out(3 * n);
      TernMatMulArgs args{};
      args.batches = 1, args.m = 3, args.n = n, args.k = k;
      args.a = a.Fill(0.5f).data(), args.b = b.get(), args.c = out.data();
      args.a_row_stride = k, args.a_col_stride = 1, args.b_row_stride = n, args.b_col_stride = 1;
      args.c_row_stride = n, args.a_offsets = args.b_offsets = args.c_offsets = &whole;
      ExpectSame(pair, args, &TernMatMulArgs::c, out, "matmul " + Name({3, n, k}) + " at an end");
    }
  }
}

// The right side is packed into panels as wide as a vector, unless one of a file's holds it.
void CheckPackedWidth(const KernelPair<TernMatMulArgs>& pair) {
  const int64_t m = 5, k = 6, lanes = LongWidth(pair, &KernelTable::matmul), whole = 0;
  for (int64_t n : {16, 17, 150}) {
    Buffer<float> a(m * k), b(k * n), out(m * n);
    TernMatMulArgs args{};
    args.batches = 1, args.m = m, args.n = n, args.k = k;
    args.a = a.Fill(1.0f).data(), args.b = b.Fill(1.0f).data(), args.c = out.data();
    args.a_row_stride = k, args.a_col_stride = 1, args.b_row_stride = n, args.b_col_stride = 1;
    args.c_row_stride = n, args.a_offsets = args.b_offsets = args.c_offsets = &whole;
    TestContext context;
    ASSERT_EQ(pair.actual(&args, context.get()), TERN_KERNEL_OK);
    const int64_t width = n > 16 ? lanes : 16;
    EXPECT_EQ(context.scratch_bytes(), (n + width - 1) / width * width * k * 4) << n;
  }
}

void CheckLongMatMul(const KernelPair<TernMatMulArgs>& pair) {
  const int64_t width = LongWidth(pair, &KernelTable::matmul);
  for (int64_t n : {width - 1, width, width + 1, 4 * width, 5 * width + 3}) {
    for (int64_t m : {4, 13, 20}) {
      for (int64_t k : {1, 4, 18}) {
        CheckMatMul(pair, {{m, n, k}, false, false, 1}, 0, TERN_ACT_CLAMP);
        CheckMatMul(pair, {{m, n, k}, false, true, 1}, 0, TERN_ACT_SILU);
      }
    }
    CheckMatMul(pair, {{13, n, 9}, true, false, 2, 2}, 2);
  }
  // Rows a page apart are copied where more than one tile's columns pass them.
  CheckMatMul(pair, {{13, 9 * width, 256}, false, false, 1});
  CheckMatMul(pair, {{20, 16 * width + 7, 64}, false, false, 1}, 2, TERN_ACT_RELU);
}

}  // namespace

void Test_matmul(const KernelPair<TernMatMulArgs>& pair) {
  for (int64_t m : {0, 1, 2, 3, 4, 5, 13}) {
    for (int64_t n : {1, 2, 4, 15, 16, 33}) {
      for (int64_t k : {0, 1, 5, 64}) {
        for (int bits = 0; bits < 4; ++bits) {
          CheckMatMul(pair, {{m, n, k}, (bits & 1) != 0, (bits & 2) != 0, 1});
        }
      }
    }
  }
  for (int64_t k = 1; k <= 9 * TestLanes() + 1; k += 3) {
    CheckMatMul(pair, {{1, 3, k}, false, true, 1});
    CheckMatMul(pair, {{2, k, 7}, false, false, 1});
  }
  for (int64_t m : {1, 2, 9}) CheckMatMul(pair, {{m, 20, 11}, true, false, 2});
  for (int32_t activation = TERN_ACT_RELU; activation <= TERN_ACT_ELU; ++activation) {
    for (int64_t m : {1, 6}) {
      CheckMatMul(pair, {{m, 18, 10}, false, false, 1, 2}, 0, activation);
      CheckMatMul(pair, {{m, 18, 10}, false, true, 1, 2}, 0, activation);
      CheckMatMul(pair, {{m, 1, 10}, false, true, 1, 2}, 0, activation);
    }
  }
  for (int workers : {2, 3}) {
    CheckMatMul(pair, {{70, 150, 130}, false, true, 1, 4}, workers);
    CheckMatMul(pair, {{200, 150, 130}, true, false, 1, 1}, workers);
    CheckMatMul(pair, {{1, 1500, 1500}, false, false, 1, 1}, workers);
    CheckMatMul(pair, {{1, 1500, 1500}, false, true, 1, 1}, workers);
    CheckMatMul(pair, {{1500, 1, 1500}, false, false, 1, 1}, workers);
  }
  CheckFewRows(pair);
  CheckReadsWithin(pair);
  CheckLongMatMul(pair);
  if (pair.actual != pair.expected) CheckPackedWidth(pair);
}

}  // namespace tern::kernels
