// SPDX-License-Identifier: Apache-2.0
#include "core/ops/shape_attrs.h"

namespace tern::ops {

namespace {

constexpr std::string_view kPadModes[] = {"constant", "reflect", "edge", "wrap"};
constexpr std::string_view kReductions[] = {"none", "add", "mul", "max", "min"};
constexpr std::string_view kCaseChanges[] = {"none", "lower", "upper"};
constexpr std::string_view kTfIdfModes[] = {"tf", "idf", "tfidf"};

// A split is by sizes, or into a number of equal parts.
void CheckAttrs(AttrIn& in, const SplitAttrs& attrs) {
  in.CheckAtLeast("sizes", attrs.sizes, 0);
  if (attrs.sizes.empty()) in.CheckAtLeast("parts", attrs.parts, 1);
  // Every part is a result, and each has a type in memory.
  if (attrs.parts > 65536) in.Fail("parts", "more than 65536 parts");
}

// Starts, ends and steps that come as operands are checked by the rule instead.
void CheckAttrs(AttrIn& in, const SliceAttrs& attrs) {
  for (int64_t step : attrs.steps) {
    if (step == 0) in.Fail("steps", "a step of 0 never ends");
  }
  if (attrs.starts.size() != attrs.ends.size()) in.Fail("ends", "needs as many values as starts");
}

void CheckAttrs(AttrIn& in, const PadAttrs& attrs) {
  if (attrs.pads.size() % 2 != 0) in.Fail("pads", "needs as many ends as begins");
}

void CheckAttrs(AttrIn& in, const ReshapeAttrs& attrs) {
  // -1 is the extent that follows from the others.
  in.CheckAtLeast("shape", attrs.shape, -1);
}
void CheckAttrs(AttrIn& in, const ShapeAttrs& attrs) { in.CheckAtLeast("shape", attrs.shape, 0); }
void CheckAttrs(AttrIn& in, const TileAttrs& attrs) {
  in.CheckAtLeast("repeats", attrs.repeats, 0);
}
void CheckAttrs(AttrIn& in, const GatherNdAttrs& attrs) {
  in.CheckAtLeast("batch_dims", attrs.batch_dims, 0);
}

// Any value of these is fine until the rank of the operand is known.
void CheckAttrs(AttrIn&, const TransposeAttrs&) {}
void CheckAttrs(AttrIn&, const AxesAttrs&) {}
void CheckAttrs(AttrIn&, const AxisAttrs&) {}
void CheckAttrs(AttrIn&, const FlattenAttrs&) {}
void CheckAttrs(AttrIn&, const OptionalAxisAttrs&) {}
void CheckAttrs(AttrIn&, const ReverseSequenceAttrs&) {}
void CheckAttrs(AttrIn&, const TriluAttrs&) {}
void CheckAttrs(AttrIn&, const ScatterAttrs&) {}
void CheckAttrs(AttrIn&, const OneHotAttrs&) {}
void CheckAttrs(AttrIn&, const ShapeOfAttrs&) {}
void CheckAttrs(AttrIn&, const ConstantOfShapeAttrs&) {}
void CheckAttrs(AttrIn&, const EyeLikeAttrs&) {}
void CheckAttrs(AttrIn&, const NonMaxSuppressionAttrs&) {}
void CheckAttrs(AttrIn&, const StringNormalizerAttrs&) {}

// n-grams have from `least` to `most` elements.
void CheckAttrs(AttrIn& in, const TfIdfAttrs& attrs) {
  in.CheckAtLeast("least", attrs.least, 1);
  in.CheckAtLeast("most", attrs.most, attrs.least);
  in.CheckAtLeast("skips", attrs.skips, 0);
  in.CheckExtent("columns", attrs.columns, 1);
}

}  // namespace

std::span<const std::string_view> EnumNames(PadMode) { return kPadModes; }
std::span<const std::string_view> EnumNames(ScatterReduction) { return kReductions; }
std::span<const std::string_view> EnumNames(CaseChange) { return kCaseChanges; }
std::span<const std::string_view> EnumNames(TfIdfMode) { return kTfIdfModes; }

TERN_OPS_DEFINE_ATTRS(TransposeAttrs)
TERN_OPS_DEFINE_ATTRS(ReshapeAttrs)
TERN_OPS_DEFINE_ATTRS(AxesAttrs)
TERN_OPS_DEFINE_ATTRS(AxisAttrs)
TERN_OPS_DEFINE_ATTRS(FlattenAttrs)
TERN_OPS_DEFINE_ATTRS(OptionalAxisAttrs)
TERN_OPS_DEFINE_ATTRS(SplitAttrs)
TERN_OPS_DEFINE_ATTRS(SliceAttrs)
TERN_OPS_DEFINE_ATTRS(PadAttrs)
TERN_OPS_DEFINE_ATTRS(ShapeAttrs)
TERN_OPS_DEFINE_ATTRS(TileAttrs)
TERN_OPS_DEFINE_ATTRS(ReverseSequenceAttrs)
TERN_OPS_DEFINE_ATTRS(TriluAttrs)
TERN_OPS_DEFINE_ATTRS(GatherNdAttrs)
TERN_OPS_DEFINE_ATTRS(ScatterAttrs)
TERN_OPS_DEFINE_ATTRS(OneHotAttrs)
TERN_OPS_DEFINE_ATTRS(ShapeOfAttrs)
TERN_OPS_DEFINE_ATTRS(ConstantOfShapeAttrs)
TERN_OPS_DEFINE_ATTRS(EyeLikeAttrs)
TERN_OPS_DEFINE_ATTRS(NonMaxSuppressionAttrs)
TERN_OPS_DEFINE_ATTRS(StringNormalizerAttrs)
TERN_OPS_DEFINE_ATTRS(TfIdfAttrs)

}  // namespace tern::ops
