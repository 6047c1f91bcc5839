// SPDX-License-Identifier: Apache-2.0
#include "core/ops/special_attrs.h"

#include <bit>

namespace tern::ops {

namespace {

constexpr std::string_view kSplitAt[] = {"text", "patterns", "parts"};
constexpr std::string_view kPixelFormats[] = {"rgb", "bgr", "grey"};
constexpr std::string_view kTreeAggregates[] = {"sum", "average", "min", "max"};

void CheckAttrs(AttrIn&, const RandomAttrs&) {}

void CheckAttrs(AttrIn& in, const StringSplitAttrs& attrs) {
  in.CheckAtLeast("most", attrs.most, -1);
  in.CheckAtLeast("least", attrs.least, 1);
}

void CheckAttrs(AttrIn&, const ImageDecodeAttrs&) {}

void CheckAttrs(AttrIn& in, const DeformConvAttrs& attrs) {
  in.CheckExtent("kernel", attrs.window.kernel, 1);
  in.CheckExtent("strides", attrs.window.strides, 1);
  in.CheckExtent("dilations", attrs.window.dilations, 1);
  in.CheckExtent("pads", attrs.window.pads, 0);
  in.CheckExtent("groups", attrs.groups, 1);
  in.CheckExtent("offset_groups", attrs.offset_groups, 1);
}

void CheckAttrs(AttrIn& in, const MaxRoiPoolAttrs& attrs) {
  in.CheckExtent("height", attrs.height, 1);
  in.CheckExtent("width", attrs.width, 1);
}

void CheckAttrs(AttrIn& in, const MatMulBitsAttrs& attrs) {
  in.CheckExtent("columns", attrs.columns, 1);
  in.CheckExtent("depth", attrs.depth, 1);
  // As ONNX Runtime defines MatMulNBits.
  in.CheckExtent("block", attrs.block, 16);
  if (!std::has_single_bit(static_cast<uint64_t>(attrs.block)))
    in.Fail("block", "must be a power of two");
}

void CheckAttrs(AttrIn& in, const TreeAttrs& attrs) { in.CheckExtent("targets", attrs.targets, 1); }

// The square of the number is worked with, whatever x is.
void CheckAttrs(AttrIn& in, const CoupleAttrs& attrs) {
  in.CheckAtLeast("classes", attrs.classes, 2);
  if (attrs.classes > 1000) in.Fail("classes", "must be at most 1000");
}

}  // namespace

std::span<const std::string_view> EnumNames(SplitAt) { return kSplitAt; }
std::span<const std::string_view> EnumNames(PixelFormat) { return kPixelFormats; }
std::span<const std::string_view> EnumNames(TreeAggregate) { return kTreeAggregates; }

TERN_OPS_DEFINE_ATTRS(RandomAttrs)
TERN_OPS_DEFINE_ATTRS(StringSplitAttrs)
TERN_OPS_DEFINE_ATTRS(ImageDecodeAttrs)
TERN_OPS_DEFINE_ATTRS(DeformConvAttrs)
TERN_OPS_DEFINE_ATTRS(MaxRoiPoolAttrs)
TERN_OPS_DEFINE_ATTRS(MatMulBitsAttrs)
TERN_OPS_DEFINE_ATTRS(TreeAttrs)
TERN_OPS_DEFINE_ATTRS(CoupleAttrs)

}  // namespace tern::ops
