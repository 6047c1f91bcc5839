// SPDX-License-Identifier: Apache-2.0
// The extents of a convolution of images, as the kernels' argument structs want them.

#ifndef TERN_CORE_KERNELS_BIND_CONV_PROBLEM_H_
#define TERN_CORE_KERNELS_BIND_CONV_PROBLEM_H_

#include "core/kernels/bind/image.h"
#include "core/ops/panels.h"

namespace tern::kernels::bind {

static_assert(ops::kPanel == TERN_PANEL_WIDTH, "files have the panels that kernels read");

struct ConvProblem {
  ImageExtents in, out;
  Pair kernel, stride, dilation;
  int64_t pad_top, pad_left, groups;
  bool depthwise;

  int64_t out_per_group() const { return out.channels / groups; }
  int64_t panels() const { return ops::PanelCount(out_per_group()); }
  // Saturated: those of a packed convolution are attributes.
  int64_t depth() const {
    return ops::MulDim(ops::MulDim(kernel.h, kernel.w), in.channels / groups);
  }
};

// out: what ops::ConvShape says.
ConvProblem ProblemOf(const ops::ConvAttrs& attrs, const Tensor& x, const Tensor& w,
                      const Extents& out);

// The fields that the structs of all convolution kernels share.
template <class Args>
void SetGeometry(const ConvProblem& p, Args& args) {
  args.batch = p.in.batch;
  args.in_h = p.in.height;
  args.in_w = p.in.width;
  args.in_c = p.in.channels;
  args.out_h = p.out.height;
  args.out_w = p.out.width;
  args.out_c = p.out.channels;
  args.kernel_h = p.kernel.h;
  args.kernel_w = p.kernel.w;
  args.stride_h = p.stride.h;
  args.stride_w = p.stride.w;
  args.dilation_h = p.dilation.h;
  args.dilation_w = p.dilation.w;
  args.pad_top = p.pad_top;
  args.pad_left = p.pad_left;
  args.groups = p.groups;
}

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_CONV_PROBLEM_H_
