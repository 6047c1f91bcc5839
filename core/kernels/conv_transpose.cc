// SPDX-License-Identifier: Apache-2.0
// Channels-last transposed convolution. Output pixels whose coordinates leave the same remainders
// modulo the strides are reached by the same taps, so each such phase is an ordinary product over
// pointers; its weights are packed into panels of scratch first. Where taps do not overlap, the
// phases of a row read the same pixels: they are one product, whose columns are those of all.

#include <string.h>

#include "core/kernels/conv_scratch.h"
#include "core/kernels/long_panels.h"
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

struct TransposePlan {
  const TernConvTranspose2dArgs* args;
  int64_t ic, oc;        // of one group
  int64_t columns;       // of a product: oc, or those of all phases of a row
  const float* bias;     // [columns] of a row's phases, else the caller's
  const float* zeros;    // [ic]
  int64_t* taps;         // those of the current phase, as ky * kernel_w + kx
  float* panels;         // [ceil(columns/width)][taps * ic][width]
  char* worker_scratch;  // tables of pointers for one segment of an output row
  int64_t worker_bytes;
  [[no_unique_address]] PanelWidth width = TERN_PANEL_WIDTH;
};

// Output pixels of one phase: rows y0, y0 + stride_h …, columns x0, x0 + stride_w ….
struct Phase {
  int64_t y0, x0, taps;
};

// Also right for negative values: only whether the remainder is 0 counts.
bool Divides(int64_t stride, int64_t value) { return value % stride == 0; }

// The taps that land on the pixels of a phase.
int64_t FindTaps(const TransposePlan& plan, int64_t y0, int64_t x0) {
  const TernConvTranspose2dArgs& args = *plan.args;
  int64_t count = 0;
  for (int64_t ky = 0; ky < args.kernel_h; ++ky) {
    if (!Divides(args.stride_h, y0 + args.pad_top - ky * args.dilation_h)) continue;
    for (int64_t kx = 0; kx < args.kernel_w; ++kx) {
      if (!Divides(args.stride_w, x0 + args.pad_left - kx * args.dilation_w)) continue;
      plan.taps[count++] = ky * args.kernel_w + kx;
    }
  }
  return count;
}

// Whether each output pixel is reached by one tap, and those of a row side by side by taps that are
// side by side. A residual has another stride than the row of a pixel's taps.
bool IsOneProductARow(const TernConvTranspose2dArgs& args) {
  return args.groups == 1 && args.stride_w > 1 && args.kernel_w == args.stride_w &&
         args.kernel_h == args.stride_h && args.dilation_h == 1 && args.dilation_w == 1 &&
         args.pad_top == 0 && args.pad_left == 0 && args.out_w == args.in_w * args.stride_w &&
         args.epilogue.residual == nullptr;
}

// Packs the weights of the phase's taps into panels. Each tap belongs to one phase, so all phases
// together pack every weight once. The scratch has room for all taps.
void PackPhase(const TransposePlan& plan, const Phase& phase, int64_t group) {
  const TernConvTranspose2dArgs& args = *plan.args;
  const int64_t kernel = args.kernel_h * args.kernel_w, k = phase.taps * plan.ic;
  const float* weights = args.weights + group * plan.ic * kernel * plan.oc;
  const int64_t width = plan.width;
  for (int64_t panel = 0; panel < PanelCount(plan.columns, plan.width); ++panel) {
    const int64_t column = panel * width;
    const int64_t left = plan.columns - column;
    const int64_t columns = left < width ? left : width;
    float* dst = plan.panels + panel * k * width;
    memset(dst, 0, static_cast<size_t>(k * width) * sizeof(float));
    for (int64_t t = 0; t < phase.taps; ++t) {
      CopyStrided(weights + plan.taps[t] * plan.oc + column, kernel * plan.oc, 1, plan.ic, columns,
                  dst + t * plan.ic * width, width);
    }
  }
}

// The divisions are exact for the taps of the phase (FindTaps), so rounding does not matter.
// The input pixel that tap `tap` carries to output pixel (y, x), or zeros.
const float* SourceOf(const TransposePlan& plan, const float* image, int64_t y, int64_t x,
                      int64_t tap) {
  const TernConvTranspose2dArgs& args = *plan.args;
  const int64_t in_y = (y + args.pad_top - tap / args.kernel_w * args.dilation_h) / args.stride_h;
  const int64_t in_x = (x + args.pad_left - tap % args.kernel_w * args.dilation_w) / args.stride_w;
  if (in_y < 0 || in_y >= args.in_h || in_x < 0 || in_x >= args.in_w) return plan.zeros;
  return image + (in_y * args.in_w + in_x) * args.in_c;
}

// One row of the output, in the pixels of the phase.
void ComputePhaseRow(const TransposePlan& plan, const Phase& phase, int64_t group, int64_t image,
                     int64_t y, const float** table) {
  const TernConvTranspose2dArgs& args = *plan.args;
  const float* input = args.input + image * args.in_h * args.in_w * args.in_c + group * plan.ic;
  const int64_t pixels = (args.out_w - phase.x0 + args.stride_w - 1) / args.stride_w;
  const TileSplit split(pixels);
  for (int64_t tile = 0; tile < split.tiles; ++tile) {
    for (int64_t i = 0; i < split.Rows(tile); ++i) {
      const int64_t x = phase.x0 + (split.First(tile) + i) * args.stride_w;
      for (int64_t t = 0; t < phase.taps; ++t) {
        table[(tile * phase.taps + t) * kTileRows + i] = SourceOf(plan, input, y, x, plan.taps[t]);
      }
    }
  }
  // Neighbouring pixels of a phase are stride_w pixels apart in the output, so the product writes
  // with a larger stride, and so does the residual.
  const int64_t first = (image * args.out_h + y) * args.out_w + phase.x0, column = group * plan.oc;
  Product product{phase.taps,
                  plan.ic,
                  plan.columns,
                  plan.panels,
                  args.output + first * args.out_c + column,
                  args.stride_w * args.out_c,
                  args.epilogue,
                  nullptr,
                  plan.width};
  if (plan.bias != nullptr) product.epilogue.bias = plan.bias + column;
  if (product.epilogue.residual != nullptr) {
    product.epilogue.residual += first * args.epilogue.residual_stride + column;
    product.epilogue.residual_stride *= args.stride_w;
  }
  MultiplyBlock(product, table, 0, pixels, 0, PanelCount(product));
}

// The phases run one after the other and their rows in parallel, because the panels are shared.
void ComputePhase(const TransposePlan& plan, const Phase& phase, int64_t group,
                  const TernKernelContext* context) {
  const TernConvTranspose2dArgs& args = *plan.args;
  const int64_t rows = (args.out_h - phase.y0 + args.stride_h - 1) / args.stride_h;
  const int64_t cost = phase.taps * plan.ic * plan.columns * args.out_w / args.stride_w;
  PackPhase(plan, phase, group);
  ParallelFor(context, args.batch * rows, 1 + kWorkerGrain / (cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                char* scratch = plan.worker_scratch + worker * plan.worker_bytes;
                for (int64_t i = first; i < last && !IsStopped(context); ++i) {
                  const int64_t y = phase.y0 + i % rows * args.stride_h;
                  ComputePhaseRow(plan, phase, group, i / rows, y,
                                  reinterpret_cast<const float**>(scratch));
                }
              });
}

bool TakeScratch(const TernKernelContext* context, TransposePlan& plan) {
  const TernConvTranspose2dArgs& args = *plan.args;
  const int64_t workers = MostWorkers(context);
  const int64_t kernel = args.kernel_h * args.kernel_w;
  const int64_t zero_bytes = CacheLines(plan.ic * 4), tap_bytes = CacheLines(kernel * 8);
  const int64_t panel_bytes = CacheLines(PanelCount(plan.oc, plan.width) * kernel * plan.ic *
                                         plan.width * static_cast<int64_t>(sizeof(float)));
  const int64_t tiles = TileSplit((args.out_w + args.stride_w - 1) / args.stride_w).tiles;
  plan.worker_bytes = CacheLines(tiles * kernel * kTileRows * static_cast<int64_t>(sizeof(float*)));
  const int64_t bias_bytes = CacheLines(plan.columns * 4);
  const int64_t bytes =
      zero_bytes + tap_bytes + panel_bytes + bias_bytes + workers * plan.worker_bytes;
  char* scratch =
      static_cast<char*>(context->scratch(context->scratch_context, static_cast<size_t>(bytes)));
  if (scratch == nullptr) return false;
  memset(scratch, 0, static_cast<size_t>(zero_bytes));
  plan.zeros = reinterpret_cast<const float*>(scratch);
  plan.taps = reinterpret_cast<int64_t*>(scratch + zero_bytes);
  plan.panels = reinterpret_cast<float*>(scratch + zero_bytes + tap_bytes);
  plan.worker_scratch = scratch + zero_bytes + tap_bytes + panel_bytes + bias_bytes;
  plan.bias = args.epilogue.bias;
  if (plan.columns == plan.oc || plan.bias == nullptr) return true;
  auto* bias = reinterpret_cast<float*>(scratch + zero_bytes + tap_bytes + panel_bytes);
  for (int64_t i = 0; i < plan.columns; ++i) bias[i] = plan.bias[i % plan.oc];
  plan.bias = bias;
  return true;
}

void ComputeRowPhases(const TransposePlan& plan, const TernKernelContext* context) {
  for (int64_t ky = 0; ky < plan.args->kernel_h && !IsStopped(context); ++ky) {
    plan.taps[0] = ky * plan.args->kernel_w;
    ComputePhase(plan, {ky, 0, 1}, 0, context);
  }
}

}  // namespace

int32_t conv_transpose2d(const TernConvTranspose2dArgs* args, const TernKernelContext* context) {
  if (args->batch * args->out_h * args->out_w * args->out_c == 0) return TERN_KERNEL_OK;
  TransposePlan plan{};
  plan.args = args;
  plan.ic = args->in_c / args->groups;
  plan.oc = args->out_c / args->groups;
  const bool one_a_row = IsOneProductARow(*args);
  plan.columns = one_a_row ? plan.oc * args->stride_w : plan.oc;
  plan.width = PackedWidth(plan.columns);
  if (!TakeScratch(context, plan)) return TERN_KERNEL_NO_MEMORY;
  if (one_a_row) {
    ComputeRowPhases(plan, context);
    return TERN_KERNEL_OK;
  }
  // A phase without taps still has to write bias and activation; its product has k = 0.
  for (int64_t group = 0; group < args->groups; ++group) {
    for (int64_t y0 = 0; y0 < args->stride_h && y0 < args->out_h; ++y0) {
      for (int64_t x0 = 0; x0 < args->stride_w && x0 < args->out_w; ++x0) {
        if (IsStopped(context)) return TERN_KERNEL_OK;
        ComputePhase(plan, {y0, x0, FindTaps(plan, y0, x0)}, group, context);
      }
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
