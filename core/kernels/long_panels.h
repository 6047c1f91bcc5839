// SPDX-License-Identifier: Apache-2.0
// Panels as wide as a vector, where that is longer than a file's panels (kLongPanels): by those, a
// tile would use 16 lanes of each vector, whatever the machine has. What is packed in a call is
// packed so; a file's panels are written anew in scratch, once a call, where there are enough rows.
// Sums keep their order, so results are the same bits. On other targets LongFloats is 0, widths are
// those of a file, and nothing else of this is compiled.

#ifndef TERN_CORE_KERNELS_LONG_PANELS_H_
#define TERN_CORE_KERNELS_LONG_PANELS_H_

#include "core/kernels/parallel.h"
#include "core/kernels/product.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

// Columns of long panels: a file's where vectors are no longer, or no multiple of them.
HWY_INLINE PanelWidth LongWidth() {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  if (kLongPanels && lanes % TERN_PANEL_WIDTH == 0) return lanes;
  return TERN_PANEL_WIDTH;
}

// Columns of panels that are packed in a call. What one of a file's holds stays so: a longer vector
// would do no more, and such products may be summed along vectors (WithColumns).
HWY_INLINE PanelWidth PackedWidth(int64_t n) {
  if (n > TERN_PANEL_WIDTH) return LongWidth();
  return TERN_PANEL_WIDTH;
}

// Floats of the product's panels written anew for m rows; 0 where that does not pay. For each step
// of k a panel takes a load, a store and a part of a loop, and its way from memory once more; a row
// saves one multiply-add for each panel by which there are fewer.
HWY_INLINE int64_t LongFloats(const Product& product, int64_t m) {
  constexpr int64_t kWriting = 8;
  const PanelWidth width = LongWidth();
  const int64_t panels = PanelCount(product.n), long_panels = PanelCount(product.n, width);
  if (!kLongPanels || m * (panels - long_panels) < kWriting * panels) return 0;
  return panels > long_panels ? long_panels * product.taps * product.run * width : 0;
}

// The product by long panels, which WidenPanels writes.
inline Product ByLongPanels(const Product& product, const float* panels) {
  Product result = product;
  result.panels = panels;
  result.width = LongWidth();
  return result;
}

// Long panels [first, last) of a product by a file's; `to` is where the first of all is. Columns
// that the file has no panel for are zeros.
inline void WidenPanels(const Product& product, int64_t first, int64_t last, float* to) {
  const PanelTag d;
  const int64_t k = product.taps * product.run, panels = PanelCount(product.n);
  const int64_t width = LongWidth(), parts = width / TERN_PANEL_WIDTH;
  for (int64_t part = first * parts; part < last * parts; ++part) {
    float* column = to + part / parts * k * width + part % parts * TERN_PANEL_WIDTH;
    const float* panel = part < panels ? product.panels + part * k * TERN_PANEL_WIDTH : nullptr;
    HWY_UNROLL(4)
    for (int64_t i = 0; i < k; ++i, column += width) {
      hn::StoreU(panel == nullptr ? hn::Zero(d) : hn::LoadU(d, panel + i * TERN_PANEL_WIDTH), d,
                 column);
    }
  }
}

// All of them, over the workers.
inline void WidenInParallel(const Product& product, float* to, const TernKernelContext* context) {
  const int64_t panels = PanelCount(product.n, LongWidth());
  const int64_t panel_floats = product.taps * product.run * LongWidth();
  ParallelFor(context, panels, 1 + kWorkerGrain / (8 * panel_floats + 1), 1,
              [&](int64_t first, int64_t last, int32_t) { WidenPanels(product, first, last, to); });
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_LONG_PANELS_H_
