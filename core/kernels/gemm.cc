// SPDX-License-Identifier: Apache-2.0
// A row-major matrix times packed panels, and the packing. The work is in product.h and tile.h; a
// plain product is the case of one tap.

#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

int32_t gemm(const TernGemmArgs* args, const TernKernelContext* context) {
  const Product product{1, args->k, args->n, args->b, args->c, args->c_stride, args->epilogue};
  MultiplyWithScratch(product, args->a, args->a_stride, args->m, context);
  return TERN_KERNEL_OK;
}

int32_t pack_panels(const TernPackArgs* args, const TernKernelContext* context) {
  const int64_t panel_size = args->k * TERN_PANEL_WIDTH;
  // Packing moves bytes and multiplies nothing; a float moved counts as some eight multiplications.
  ParallelFor(context, PanelCount(args->n), 1 + kWorkerGrain / (8 * panel_size + 1), 1,
              [&](int64_t first, int64_t last, int32_t) { PackPanels(*args, first, last); });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
