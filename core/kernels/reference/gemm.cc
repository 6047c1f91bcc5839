// SPDX-License-Identifier: Apache-2.0
// Plain loops: packed panels, their product with a matrix, and the batched product of unpacked
// matrices.

#include "core/kernels/reference/activation.h"

namespace tern::kernels::reference {
namespace {

// Column `column` of packed panels [ceil(n/16)][k][16], at row `row`.
double PanelElement(const float* panels, int64_t k, int64_t row, int64_t column) {
  const int64_t panel = column / TERN_PANEL_WIDTH, lane = column % TERN_PANEL_WIDTH;
  return panels[(panel * k + row) * TERN_PANEL_WIDTH + lane];
}

double GemmSum(const TernGemmArgs& args, int64_t row, int64_t column) {
  double sum = 0.0;
  for (int64_t i = 0; i < args.k; ++i) {
    sum += args.a[row * args.a_stride + i] * PanelElement(args.b, args.k, i, column);
  }
  return sum;
}

// The strides count elements, so that either factor may be transposed without a copy.
double MatMulSum(const TernMatMulArgs& args, const float* a, const float* b) {
  double sum = 0.0;
  for (int64_t i = 0; i < args.k; ++i) {
    sum += static_cast<double>(a[i * args.a_col_stride]) * b[i * args.b_row_stride];
  }
  return sum;
}

void MatMulBatch(const TernMatMulArgs& args, int64_t batch) {
  const float* a = args.a + args.a_offsets[batch];
  const float* b = args.b + args.b_offsets[batch];
  float* c = args.c + args.c_offsets[batch];
  TernEpilogue epilogue = args.epilogue;
  // The residual lies as the result does, so its matrices begin at the same places.
  if (epilogue.residual != nullptr) epilogue.residual += args.c_offsets[batch];
  for (int64_t row = 0; row < args.m; ++row) {
    for (int64_t column = 0; column < args.n; ++column) {
      const double sum =
          MatMulSum(args, a + row * args.a_row_stride, b + column * args.b_col_stride);
      c[row * args.c_row_stride + column] = Finish(sum, epilogue, row, column);
    }
  }
}

}  // namespace

int32_t gemm(const TernGemmArgs* args, const TernKernelContext*) {
  for (int64_t row = 0; row < args->m; ++row) {
    for (int64_t column = 0; column < args->n; ++column) {
      const double sum = GemmSum(*args, row, column);
      args->c[row * args->c_stride + column] = Finish(sum, args->epilogue, row, column);
    }
  }
  return TERN_KERNEL_OK;
}

int32_t pack_panels(const TernPackArgs* args, const TernKernelContext*) {
  const int64_t panels = (args->n + TERN_PANEL_WIDTH - 1) / TERN_PANEL_WIDTH;
  float* dst = args->dst;
  for (int64_t panel = 0; panel < panels; ++panel) {
    for (int64_t row = 0; row < args->k; ++row) {
      for (int64_t lane = 0; lane < TERN_PANEL_WIDTH; ++lane) {
        const int64_t column = panel * TERN_PANEL_WIDTH + lane;
        *dst++ =
            // Columns beyond the last are zeros, which a kernel may compute with.
            column < args->n ? args->src[row * args->k_stride + column * args->n_stride] : 0.0f;
      }
    }
  }
  return TERN_KERNEL_OK;
}

int32_t matmul(const TernMatMulArgs* args, const TernKernelContext*) {
  for (int64_t batch = 0; batch < args->batches; ++batch) MatMulBatch(*args, batch);
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
