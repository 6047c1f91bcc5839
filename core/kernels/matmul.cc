// SPDX-License-Identifier: Apache-2.0
// Batched product of unpacked operands. With enough rows the right operand is packed into scratch
// and the micro-kernel of gemm runs; a few rows stream it once, as dot products or as sums of
// scaled rows.

#include "core/kernels/long_panels.h"
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/simd_math.h"
#include "core/kernels/tile.h"
#include "core/kernels/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

enum class Method {
  kPack,        // pack b, then tiles
  kDotRows,     // n = 1: rows of a times the one column of b
  kDotColumns,  // few rows; columns of b are contiguous
  kScaledRows   // few rows; rows of b are contiguous
};

struct MatMulPlan {
  const TernMatMulArgs* args;
  Method method;
  bool copies_a;     // rows of a are not contiguous
  int64_t a_stride;  // of the rows in use
  int64_t panel_floats, a_floats, sum_floats;
  int64_t sum_stride;  // floats from one row of sums to the next
  float* scratch;      // [workers][panels, rows of a, sums]
  [[no_unique_address]] PanelWidth width = TERN_PANEL_WIDTH;

  int64_t worker_floats() const { return panel_floats + a_floats + sum_floats; }
};

int64_t RoundUp16(int64_t n) { return PanelCount(n) * TERN_PANEL_WIDTH; }

// Rows up to which packing b takes longer than it saves; `run` of its elements lie side by side. A
// b that does not fit in the first-level cache is read from further away, so that more rows can be
// multiplied by it meanwhile.
int64_t MostUnpackedRows(const TernMatMulArgs& args, int64_t run) {
  constexpr int64_t kShortRun = 64, kLongRun = 128, kCachedFloats = 16 * 1024;
  if (run < kShortRun || args.n == 1) return 3;
  if (run < kLongRun || args.n * args.k < kCachedFloats) return 4;
  return args.b_col_stride == 1 ? 12 : 8;
}

Method ChooseMethod(const TernMatMulArgs& args) {
  const bool has_columns = args.b_row_stride == 1, has_rows = args.b_col_stride == 1;
  const int64_t most = MostUnpackedRows(args, has_columns ? args.k : args.n);
  if (args.n == 1 && args.m > most) return Method::kDotRows;
  if (args.m > most) return Method::kPack;
  return has_columns ? Method::kDotColumns : has_rows ? Method::kScaledRows : Method::kPack;
}

// The columns from which on rows that collide are copied: those that pass a few tiles, of panels
// as wide as a vector only those that pass two.
int64_t CopyColumns(PanelWidth width) {
  if (IsLong(width)) return 2 * PanelsPerTile(width) * width;
  return 4 * TERN_PANEL_WIDTH;
}

// Everything that depends on shapes and strides only, once for all batches.
MatMulPlan MakePlan(const TernMatMulArgs& args) {
  MatMulPlan plan{};
  plan.args = &args;
  plan.method = ChooseMethod(args);
  plan.width = PackedWidth(args.n);
  // Rows of `a` are copied if their elements are not contiguous, or if their distance makes them
  // collide in the first-level cache (kPageStride, product.h) and the product is large enough to
  // pay for it.
  plan.copies_a = (args.a_col_stride != 1 && args.k > 1) ||
                  (plan.method == Method::kPack && args.a_row_stride % kPageStride == 0 &&
                   args.m >= 2 * kTileRows && args.n >= CopyColumns(plan.width));
  // The extra panel's width keeps the copy's own rows from colliding.
  plan.a_stride = plan.copies_a ? RoundUp16(args.k) + TERN_PANEL_WIDTH : args.a_row_stride;
  plan.a_floats = plan.copies_a ? args.m * plan.a_stride : 0;
  plan.panel_floats =
      plan.method == Method::kPack ? PanelCount(args.n, plan.width) * plan.width * args.k : 0;
  if (plan.method == Method::kDotRows) plan.sum_floats = RoundUp16(args.k);
  if (plan.method == Method::kDotColumns || plan.method == Method::kScaledRows) {
    plan.sum_stride = RoundUp16(args.n);
    plan.sum_floats = args.m * plan.sum_stride;
  }
  return plan;
}

// The operands of one batch on one worker.
struct Operands {
  const float* a;  // rows of contiguous elements, plan.a_stride apart
  const float* b;
  float* c;
  TernEpilogue epilogue;
  float* panels;
  float* sums;
};

// Offsets into operands, and the copy of `a` if the plan wants one.
Operands PrepareBatch(const MatMulPlan& plan, int64_t batch, int32_t worker) {
  const TernMatMulArgs& args = *plan.args;
  float* scratch = plan.scratch + worker * plan.worker_floats();
  Operands operands{args.a + args.a_offsets[batch],
                    args.b + args.b_offsets[batch],
                    args.c + args.c_offsets[batch],
                    args.epilogue,
                    scratch,
                    scratch + plan.panel_floats + plan.a_floats};
  if (args.epilogue.residual != nullptr) operands.epilogue.residual += args.c_offsets[batch];
  if (plan.copies_a) {
    float* rows = scratch + plan.panel_floats;
    CopyStrided(operands.a, args.a_row_stride, args.a_col_stride, args.m, args.k, rows,
                plan.a_stride);
    operands.a = rows;
  }
  return operands;
}

// The epilogue of `size` sums of a row, from column `first` on, for the methods without tiles. The
// order of bias, residual and activation is the same as in tile.h.
void FinishRow(const TernEpilogue& epilogue, const float* sums, int64_t row, int64_t first,
               int64_t size, float* c) {
  const PanelTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + first;
  const float* residual = epilogue.residual == nullptr
                              ? nullptr
                              : epilogue.residual + row * epilogue.residual_stride + first;
  for (int64_t j = 0; j < size; j += lanes) {
    const int64_t left = size - j;
    const PanelVector more = residual == nullptr ? hn::Zero(d) : LoadColumns(residual + j, left);
    PanelVector y = LoadColumns(sums + j, left);
    if (bias != nullptr) y = hn::Add(y, LoadColumns(bias + j, left));
    if (epilogue.residual_after == 0) y = hn::Add(y, more);
    y = ApplyActivation(d, y, epilogue.activation, epilogue.alpha, epilogue.beta);
    if (epilogue.residual_after != 0) y = hn::Add(y, more);
    StoreColumns(y, c + j, left);
  }
}

// Four sums, because one would wait for the latency of each addition. The order of additions
// differs from a plain loop, so the last digits do.
float Dot(const float* x, const float* y, int64_t size) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    s0 = MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), s0);
    s1 = MulAdd(hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes), s1);
    s2 = MulAdd(hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, y + i + 2 * lanes), s2);
    s3 = MulAdd(hn::LoadU(d, x + i + 3 * lanes), hn::LoadU(d, y + i + 3 * lanes), s3);
  }
  for (; i + lanes <= size; i += lanes) s0 = MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), s0);
  if (i < size) {
    const size_t left = static_cast<size_t>(size - i);
    s1 = MulAdd(hn::LoadN(d, x + i, left), hn::LoadN(d, y + i, left), s1);
  }
  return hn::ReduceSum(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
}

// Two at once, each in the order of Dot: rows of a matrix come from memory, and twice as many loads
// are under way.
void DotPair(const float* x, const float* y, const float* z, int64_t size, float* sums) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector y0 = hn::Zero(d), y1 = hn::Zero(d), y2 = hn::Zero(d), y3 = hn::Zero(d);
  FloatVector z0 = hn::Zero(d), z1 = hn::Zero(d), z2 = hn::Zero(d), z3 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    const FloatVector x0 = hn::LoadU(d, x + i), x1 = hn::LoadU(d, x + i + lanes);
    const FloatVector x2 = hn::LoadU(d, x + i + 2 * lanes), x3 = hn::LoadU(d, x + i + 3 * lanes);
    y0 = MulAdd(x0, hn::LoadU(d, y + i), y0);
    z0 = MulAdd(x0, hn::LoadU(d, z + i), z0);
    y1 = MulAdd(x1, hn::LoadU(d, y + i + lanes), y1);
    z1 = MulAdd(x1, hn::LoadU(d, z + i + lanes), z1);
    y2 = MulAdd(x2, hn::LoadU(d, y + i + 2 * lanes), y2);
    z2 = MulAdd(x2, hn::LoadU(d, z + i + 2 * lanes), z2);
    y3 = MulAdd(x3, hn::LoadU(d, y + i + 3 * lanes), y3);
    z3 = MulAdd(x3, hn::LoadU(d, z + i + 3 * lanes), z3);
  }
  for (; i + lanes <= size; i += lanes) {
    y0 = MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), y0);
    z0 = MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, z + i), z0);
  }
  if (i < size) {
    const size_t left = static_cast<size_t>(size - i);
    const FloatVector rest = hn::LoadN(d, x + i, left);
    y1 = MulAdd(rest, hn::LoadN(d, y + i, left), y1);
    z1 = MulAdd(rest, hn::LoadN(d, z + i, left), z1);
  }
  sums[0] = hn::ReduceSum(d, hn::Add(hn::Add(y0, y1), hn::Add(y2, y3)));
  sums[1] = hn::ReduceSum(d, hn::Add(hn::Add(z0, z1), hn::Add(z2, z3)));
}

// n = 1: each row of `a` times the column, which is contiguous here (ColumnOf).
void MultiplyDotRows(const MatMulPlan& plan, const Operands& operands, int64_t first, int64_t last,
                     const float* column) {
  const TernMatMulArgs& args = *plan.args;
  const auto finish = [&](int64_t row, const float* sum) {
    FinishRow(operands.epilogue, sum, row, 0, 1, operands.c + row * args.c_row_stride);
  };
  // From as far apart as there are rows, as columns are in MultiplyDotColumns.
  const int64_t half = kDotPairs ? (last - first) / 2 : 0;
  const float* a = operands.a + first * plan.a_stride;
  for (int64_t row = first; row < first + half; ++row, a += plan.a_stride) {
    float sums[2];
    DotPair(column, a, a + half * plan.a_stride, args.k, sums);
    finish(row, sums);
    finish(row + half, sums + 1);
  }
  a += half * plan.a_stride;
  for (int64_t row = first + 2 * half; row < last; ++row, a += plan.a_stride) {
    const float sum = Dot(a, column, args.k);
    finish(row, &sum);
  }
}

// All rows of the columns from `first` on, of which operands.sums has the sums.
void FinishRows(const MatMulPlan& plan, const Operands& operands, int64_t first, int64_t size) {
  const TernMatMulArgs& args = *plan.args;
  for (int64_t row = 0; row < args.m; ++row) {
    FinishRow(operands.epilogue, operands.sums + row * plan.sum_stride, row, first, size,
              operands.c + row * args.c_row_stride + first);
  }
}

// Few rows, and columns of b are contiguous: b is read once, in the order in which it lies.
void MultiplyDotColumns(const MatMulPlan& plan, const Operands& operands, int64_t first,
                        int64_t last) {
  const TernMatMulArgs& args = *plan.args;
  const int64_t size = last - first;
  // From as far apart as there are columns, so that they come from different pages.
  const int64_t half = kDotPairs ? size / 2 : 0;
  const float* b = operands.b + first * args.b_col_stride;
  for (int64_t column = 0; column < half; ++column, b += args.b_col_stride) {
    for (int64_t row = 0; row < args.m; ++row) {
      float sums[2];
      float* to = operands.sums + row * plan.sum_stride + column;
      DotPair(operands.a + row * plan.a_stride, b, b + half * args.b_col_stride, args.k, sums);
      to[0] = sums[0];
      to[half] = sums[1];
    }
  }
  b += half * args.b_col_stride;
  for (int64_t column = 2 * half; column < size; ++column, b += args.b_col_stride) {
    for (int64_t row = 0; row < args.m; ++row) {
      operands.sums[row * plan.sum_stride + column] =
          Dot(operands.a + row * plan.a_stride, b, args.k);
    }
  }
  FinishRows(plan, operands, first, size);
}

// Rows of `a` and the sums of their products.
struct ScaledRows {
  const float* a;
  int64_t a_stride;
  float* sums;
  int64_t sum_stride;
};

// sums[j] += a[i] * b[i][j] for four rows of b and one or two of a, so that sums are loaded and
// stored once for four products, and b once for two rows. Whole vectors are read and written.
template <int kRows>
HWY_NOINLINE void AddFourScaled(const ScaledRows& rows, const float* b, int64_t b_stride,
                                int64_t size) {
  const PanelTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* a = rows.a;
  const float* other = kRows > 1 ? a + rows.a_stride : a;
  float* sums = rows.sums;
  float* more = sums + rows.sum_stride;
  const PanelVector a0 = hn::Set(d, a[0]), a1 = hn::Set(d, a[1]);
  const PanelVector a2 = hn::Set(d, a[2]), a3 = hn::Set(d, a[3]);
  const PanelVector a4 = hn::Set(d, other[0]), a5 = hn::Set(d, other[1]);
  const PanelVector a6 = hn::Set(d, other[2]), a7 = hn::Set(d, other[3]);
  const float* b1 = b + b_stride;
  const float* b2 = b1 + b_stride;
  const float* b3 = b2 + b_stride;
  for (int64_t j = 0; j < size; j += lanes) {
    const PanelVector v0 = hn::LoadU(d, b + j), v1 = hn::LoadU(d, b1 + j);
    const PanelVector v2 = hn::LoadU(d, b2 + j), v3 = hn::LoadU(d, b3 + j);
    PanelVector s = MulAdd(a1, v1, MulAdd(a0, v0, hn::LoadU(d, sums + j)));
    hn::StoreU(MulAdd(a3, v3, MulAdd(a2, v2, s)), d, sums + j);
    if constexpr (kRows > 1) {
      s = MulAdd(a5, v1, MulAdd(a4, v0, hn::LoadU(d, more + j)));
      hn::StoreU(MulAdd(a7, v3, MulAdd(a6, v2, s)), d, more + j);
    }
  }
}

void AddScaledRow(float a, const float* b, int64_t size, float* sums) {
  const PanelTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const PanelVector factor = hn::Set(d, a);
  for (int64_t j = 0; j < size; j += lanes)
    hn::StoreU(MulAdd(factor, LoadColumns(b + j, size - j), hn::LoadU(d, sums + j)), d, sums + j);
}

// Rows of b behind whose `size` columns a whole vector can be read: the next row lies there.
int64_t RowsReadByVectors(const TernMatMulArgs& args, int64_t size) {
  const int64_t behind = -size & (static_cast<int64_t>(hn::Lanes(PanelTag())) - 1);
  if (behind == 0) return args.k;
  return args.b_row_stride < behind ? 0 : args.k - 1;
}

void SumScaledRows(const MatMulPlan& plan, const float* a, const float* b, int64_t size,
                   float* sums) {
  const TernMatMulArgs& args = *plan.args;
  for (int64_t row = 0; row < args.m; ++row)
    memset(sums + row * plan.sum_stride, 0, static_cast<size_t>(RoundUp16(size)) * sizeof(float));
  const int64_t by_vectors = RowsReadByVectors(args, size);
  int64_t i = 0;
  for (; i + 4 <= by_vectors; i += 4, b += 4 * args.b_row_stride) {
    ScaledRows rows{a + i, plan.a_stride, sums, plan.sum_stride};
    for (int64_t left = args.m; left > 0; left -= 2) {
      if (left > 1) {
        AddFourScaled<2>(rows, b, args.b_row_stride, size);
      } else {
        AddFourScaled<1>(rows, b, args.b_row_stride, size);
      }
      rows.a += 2 * plan.a_stride;
      rows.sums += 2 * plan.sum_stride;
    }
  }
  for (; i < args.k; ++i, b += args.b_row_stride) {
    for (int64_t row = 0; row < args.m; ++row)
      AddScaledRow(a[row * plan.a_stride + i], b, size, sums + row * plan.sum_stride);
  }
}

// Few rows, and rows of b are contiguous. The sums of so many columns stay in the first-level cache
// while b streams by once, four rows at a time.
void MultiplyScaledRows(const MatMulPlan& plan, const Operands& operands, int64_t first,
                        int64_t last) {
  constexpr int64_t kSumFloats = 6 * 1024;
  const int64_t most = kSumFloats / plan.args->m / TERN_PANEL_WIDTH * TERN_PANEL_WIDTH;
  for (int64_t column = first; column < last; column += most) {
    const int64_t left = last - column;
    SumScaledRows(plan, operands.a, operands.b + column, left < most ? left : most,
                  operands.sums + (column - first));
  }
  FinishRows(plan, operands, first, last - first);
}

TernPackArgs PackingOf(const MatMulPlan& plan, const Operands& operands) {
  const TernMatMulArgs& args = *plan.args;
  return {args.n, args.k, operands.b, args.b_row_stride, args.b_col_stride, operands.panels};
}

Product ProductOf(const MatMulPlan& plan, const Operands& operands) {
  const TernMatMulArgs& args = *plan.args;
  return {
      1,       args.k,    args.n, operands.panels, operands.c, args.c_row_stride, operands.epilogue,
      nullptr, plan.width};
}

Rows RowsOf(const MatMulPlan& plan, const Operands& operands) {
  return {operands.a, plan.a_stride, nullptr, 0};
}

// The one column of b, gathered into scratch unless it is contiguous.
const float* ColumnOf(const MatMulPlan& plan, const Operands& operands) {
  const TernMatMulArgs& args = *plan.args;
  if (args.b_row_stride == 1) return operands.b;
  CopyStrided(operands.b, 0, args.b_row_stride, 1, args.k, operands.sums, args.k);
  return operands.sums;
}

// A whole batch on one worker.
void MultiplyBatch(const MatMulPlan& plan, int64_t batch, int32_t worker) {
  const TernMatMulArgs& args = *plan.args;
  const Operands operands = PrepareBatch(plan, batch, worker);
  const int64_t panels = PanelCount(args.n, plan.width);
  switch (plan.method) {
    case Method::kPack:
      PackPanels(PackingOf(plan, operands), 0, panels, plan.width);
      MultiplyMatrix(ProductOf(plan, operands), RowsOf(plan, operands), 0, args.m, 0, panels, 0);
      break;
    case Method::kDotRows:
      MultiplyDotRows(plan, operands, 0, args.m, ColumnOf(plan, operands));
      break;
    case Method::kDotColumns: MultiplyDotColumns(plan, operands, 0, args.n); break;
    case Method::kScaledRows: MultiplyScaledRows(plan, operands, 0, args.n); break;
  }
}

// One batch over all workers. Scratch of worker 0 serves all of them: they share panels and write
// different parts of the sums.
void MultiplyWide(const MatMulPlan& plan, int64_t batch, const TernKernelContext* context) {
  const TernMatMulArgs& args = *plan.args;
  const Operands operands = PrepareBatch(plan, batch, 0);
  const int64_t row_grain = 1 + kWorkerGrain / (args.n * args.k + 1);
  const int64_t column_grain = 1 + kWorkerGrain / (args.m * args.k * 4 + 1);
  if (plan.method == Method::kPack) {
    const TernPackArgs packing = PackingOf(plan, operands);
    ParallelFor(context, PanelCount(args.n, plan.width),
                1 + kWorkerGrain / (args.k * 8 * plan.width + 1), 1,
                [&](int64_t first, int64_t last, int32_t) {
                  PackPanels(packing, first, last, plan.width);
                });
    MultiplyInParallel(ProductOf(plan, operands), RowsOf(plan, operands), args.m, context);
  } else if (plan.method == Method::kDotRows) {
    const float* column = ColumnOf(plan, operands);
    ParallelFor(context, args.m, row_grain, 1, [&](int64_t first, int64_t last, int32_t) {
      MultiplyDotRows(plan, operands, first, last, column);
    });
  } else {
    ParallelFor(context, args.n, column_grain, TERN_PANEL_WIDTH,
                [&](int64_t first, int64_t last, int32_t) {
                  Operands part = operands;
                  part.sums += first;
                  if (plan.method == Method::kDotColumns)
                    MultiplyDotColumns(plan, part, first, last);
                  else
                    MultiplyScaledRows(plan, part, first, last);
                });
  }
}

}  // namespace

int32_t matmul(const TernMatMulArgs* args, const TernKernelContext* context) {
  if (args->batches == 0 || args->m == 0 || args->n == 0) return TERN_KERNEL_OK;
  MatMulPlan plan = MakePlan(*args);
  const int64_t workers = MostWorkers(context);
  const int64_t cost = args->m * args->n * args->k;
  // Batches are cut among workers only if every worker gets one. With one worker, a long batch is
  // not cut by batches but goes through the loops below, which ask more often whether the run is
  // over.
  const bool by_batch = workers == 1 ? cost < kWorkerGrain : args->batches >= workers;
  const int64_t floats = plan.worker_floats() * (by_batch ? workers : 1);
  if (floats > 0) {
    const size_t bytes = static_cast<size_t>(floats) * sizeof(float);
    plan.scratch = static_cast<float*>(context->scratch(context->scratch_context, bytes));
    if (plan.scratch == nullptr) return TERN_KERNEL_NO_MEMORY;
  }
  if (!by_batch) {
    for (int64_t batch = 0; batch < args->batches && !IsStopped(context); ++batch)
      MultiplyWide(plan, batch, context);
    return TERN_KERNEL_OK;
  }
  ParallelFor(context, args->batches, 1 + kWorkerGrain / (cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                for (int64_t batch = first; batch < last && !IsStopped(context); ++batch) {
                  MultiplyBatch(plan, batch, worker);
                }
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
