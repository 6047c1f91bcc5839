// SPDX-License-Identifier: Apache-2.0
// Shape rules of the operators of special_attrs.h.
#ifndef TERN_CORE_OPS_SPECIAL_RULES_H_
#define TERN_CORE_OPS_SPECIAL_RULES_H_

#include "core/ops/image_rules.h"
#include "core/ops/special_attrs.h"

namespace tern::ops {

// offset [n, 2 * offset_groups * taps, …], mask [n, offset_groups * taps, …] over the result's
// pixels; mask may be null.
template <class D>
Status DeformConvShape(const DeformConvAttrs& attrs, const Dims<D>& x, const Dims<D>& w,
                       const Dims<D>& offset, const Dims<D>* mask, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 4, 4));
  ConvAttrs conv;
  conv.window = attrs.window;
  conv.groups = attrs.groups;
  if (attrs.window.layout != Layout::kNchw) return Unsupported("layout=nhwc");
  TERN_TRY(ConvShape(conv, x, w, out));
  if (!MayDivide(x[1], attrs.offset_groups)) {
    return InvalidArgument("offset_groups=", attrs.offset_groups, " does not divide the ",
                           DimText(x[1]), " channels of x ", ShapeText(x));
  }
  const D taps = MulDim(MulDim(w[2], w[3]), D(attrs.offset_groups));
  const auto check = [&](std::string_view what, const Dims<D>& dims, const D& channels) {
    TERN_TRY(CheckRank(what, dims.rank(), 4, 4));
    TERN_TRY(CheckDim(what, dims, 0, x[0]));
    TERN_TRY(CheckDim(what, dims, 1, channels));
    TERN_TRY(CheckDim(what, dims, 2, (*out)[2]));
    return CheckDim(what, dims, 3, (*out)[3]);
  };
  TERN_TRY(check("offset", offset, MulDim(taps, D(2))));
  return mask == nullptr ? OkStatus() : check("mask", *mask, taps);
}

// rois [count, 5]: image, left, top, right, bottom.
template <class D>
Status MaxRoiPoolShape(const MaxRoiPoolAttrs& attrs, const Dims<D>& x, const Dims<D>& rois,
                       Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 4, 4));
  TERN_TRY(CheckRank("rois", rois.rank(), 2, 2));
  TERN_TRY(CheckDim("rois", rois, 1, D(5)));
  *out = Dims<D>{rois[0], x[1], D(attrs.height), D(attrs.width)};
  return OkStatus();
}

// a [..., depth], b [columns, blocks, block / 2].
template <class D>
Status MatMulBitsShape(const MatMulBitsAttrs& attrs, const Dims<D>& a, const Dims<D>& b,
                       Dims<D>* out) {
  TERN_TRY(CheckRank("a", a.rank(), 1, kMaxDims));
  TERN_TRY(CheckDim("a", a, a.rank() - 1, D(attrs.depth)));
  TERN_TRY(CheckRank("b", b.rank(), 3, 3));
  TERN_TRY(CheckDim("b", b, 0, D(attrs.columns)));
  TERN_TRY(CheckDim("b", b, 1, D((attrs.depth + attrs.block - 1) / attrs.block)));
  TERN_TRY(CheckDim("b", b, 2, D(attrs.block / 2)));
  *out = a;
  (*out)[a.rank() - 1] = D(attrs.columns);
  return OkStatus();
}

template <class D>
Status TreeShape(const TreeAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 2, 2));
  *out = Dims<D>{x[0], D(attrs.targets)};
  return OkStatus();
}

// x [n, classes * (classes - 1) / 2].
template <class D>
Status CouplePairsShape(const CoupleAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 2, 2));
  TERN_TRY(CheckDim("x", x, 1, D(attrs.classes * (attrs.classes - 1) / 2)));
  *out = Dims<D>{x[0], D(attrs.classes)};
  return OkStatus();
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_SPECIAL_RULES_H_
