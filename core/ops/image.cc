// SPDX-License-Identifier: Apache-2.0
// Type relations of the image family.
#include "core/ops/image_rules.h"
#include "core/ops/relations.h"

namespace tern::ops {

namespace {

Status CheckFloat(const OpInfo& op, std::span<const ArgInfo> args) {
  if (args[0].type->dtype.is_float()) return OkStatus();
  return TypeError("argument 0 (", op.parameter(0), ") is ", args[0].type->ToText(),
                   ", expected floats");
}

// Checks the operands that fuse_epilogues adds: a bias of [channels], a residual shaped like the
// result.
Status CheckEpilogue(const OpInfo& op, std::span<const ArgInfo> args, const types::Dim& channels,
                     const SymDims& result) {
  if (HasArg(args, 2)) {
    SymDims bias;
    TERN_TRY(CheckSameDType(op, args, 0, 2));
    TERN_TRY(ReadDims(op, args, 2, &bias));
    TERN_TRY(CheckRank("bias", bias.rank(), 1, 1));
    TERN_TRY(CheckDim("bias", bias, 0, channels));
  }
  if (!HasArg(args, 3)) return OkStatus();
  SymDims residual;
  TERN_TRY(CheckSameDType(op, args, 0, 3));
  TERN_TRY(ReadDims(op, args, 3, &residual));
  TERN_TRY(CheckRank("residual", residual.rank(), result.rank(), result.rank()));
  for (int i = 0; i < result.rank(); ++i) TERN_TRY(CheckDim("residual", residual, i, result[i]));
  return OkStatus();
}

}  // namespace

Status RelateConv(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                  RelationOutput* out) {
  TERN_TRY_ASSIGN(ConvAttrs conv, ConvAttrs::From(attrs, op.name));
  SymDims x, w, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &w));
  TERN_TRY(op.op == Op::k_conv3d ? CheckRank("x", x.rank(), 5, 5) : CheckRank("x", x.rank(), 3, 4));
  TERN_TRY(CheckFloat(op, args));
  TERN_TRY(CheckSameDType(op, args, 0, 1));
  TERN_TRY(ConvShape(conv, x, w, &result));
  // The channels are those of the result, whose axis depends on the layout.
  TERN_TRY(CheckEpilogue(op, args, result[ChannelAxis(conv.window.layout, result.rank())], result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateConvInteger(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                         RelationOutput* out) {
  TERN_TRY_ASSIGN(ConvAttrs conv, ConvAttrs::From(attrs, op.name));
  SymDims x, w, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &w));
  TERN_TRY(ConvShape(conv, x, w, &result));
  // Sums of products of 8-bit integers have 32 bits.
  AddResult(kI32, result, out);
  return OkStatus();
}

Status RelateQuantizedConv(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                           RelationOutput* out) {
  TERN_TRY_ASSIGN(QuantizedConvAttrs conv, QuantizedConvAttrs::From(attrs, op.name));
  const DType dtypes[] = {args[0].type->dtype == kI8 ? kI8 : kU8, kI8, kI32, kF32};
  for (size_t i = 0; i < 4; ++i) {
    if (args[i].type->dtype == dtypes[i]) continue;
    return TypeError("argument ", i, " (", op.parameter(static_cast<int>(i)), ") is ",
                     args[i].type->ToText(), ", expected ",
                     i == 0 ? "u8 or i8" : dtypes[i].ToString());
  }
  if (!IsZeroPoint(dtypes[0], conv.x_zero))
    return TypeError("x_zero is ", conv.x_zero, ", expected a value of ", dtypes[0].ToString(),
                     ", the element type of x");
  SymDims x, w, bias, scale, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &w));
  TERN_TRY(ReadDims(op, args, 2, &bias));
  TERN_TRY(ReadDims(op, args, 3, &scale));
  TERN_TRY(CheckRank("x", x.rank(), 4, 4));
  TERN_TRY(ConvShape(conv.Geometry(), x, w, &result));
  const types::Dim& channels = result[ChannelAxis(conv.window.layout, 4)];
  TERN_TRY(CheckRank("bias", bias.rank(), conv.packed ? 2 : 1, conv.packed ? 2 : 1));
  TERN_TRY(CheckDim("bias", bias, bias.rank() - 1, channels));
  if (conv.packed) TERN_TRY(CheckDim("bias", bias, 0, types::Dim(2)));
  TERN_TRY(CheckRank("scale", scale.rank(), 1, 1));
  TERN_TRY(CheckDim("scale", scale, 0, channels));
  AddResult(conv.to, result, out);
  return OkStatus();
}

Status RelateConvTranspose(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                           RelationOutput* out) {
  TERN_TRY_ASSIGN(ConvTransposeAttrs conv, ConvTransposeAttrs::From(attrs, op.name));
  SymDims x, w, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &w));

  TERN_TRY(op.op == Op::k_conv_transpose3d ? CheckRank("x", x.rank(), 5, 5)
                                           : CheckRank("x", x.rank(), 3, 4));
  TERN_TRY(CheckFloat(op, args));
  TERN_TRY(CheckSameDType(op, args, 0, 1));
  TERN_TRY(ConvTransposeShape(conv, x, w, &result));
  TERN_TRY(CheckEpilogue(op, args, result[ChannelAxis(conv.window.layout, result.rank())], result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelatePool(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                  RelationOutput* out) {
  TERN_TRY(RelateByRule<PoolAttrs>(PoolShape, op, attrs, args, out));
  // Indices are flat positions in the input, one per element of the result.
  if (op.op == Op::k_max_pool_indices) out->types.push_back({kI64, out->types[0].dims});
  return OkStatus();
}

Status RelateMaxUnpool(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                       RelationOutput* out) {
  TERN_TRY_ASSIGN(PoolAttrs pool, PoolAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(MaxUnpoolShape(pool, x, &result));
  IntOperand shape;
  TERN_TRY(ReadInts(op, args, 2, {}, &shape));
  // Only a run knows the target.
  if (!shape.known) result = AnyDims(x.rank());
  if (shape.known && !shape.values.empty()) {
    TERN_TRY(CheckRank("shape", static_cast<int>(shape.values.size()), x.rank(), x.rank()));
    result = SymDims(shape.values);
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateGlobalPool(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  return RelateByRule<GlobalPoolAttrs>(GlobalPoolShape, op, attrs, args, out);
}

// Scales and sizes may be arguments. Sizes may be tracked, scales (floats) are not; the importer
// makes attributes of constants, so that only computed ones are unknown here.
Status RelateResize(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(ResizeAttrs resize, ResizeAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  IntOperand sizes;
  TERN_TRY(ReadInts(op, args, 3, resize.sizes, &sizes));
  const bool by_scales = !resize.scales.empty();
  // An operand of scales and a policy that keeps proportions make the extents depend on the run.
  if (!sizes.known || HasArg(args, 2) || resize.aspect != AspectPolicy::kStretch) {
    result = AnyDims(x.rank());
  } else if (by_scales) {
    TERN_TRY(ResizeByScales<types::Dim>(resize, x, resize.scales, &result));
  } else if (!sizes.values.empty()) {
    TERN_TRY(ResizeBySizes<types::Dim>(resize, x, sizes.values, &result));
  } else {
    return InvalidArgument("has neither scales nor sizes");
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateDepthToSpace(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                          RelationOutput* out) {
  return RelateByRule<BlockAttrs>(DepthToSpaceShape, op, attrs, args, out);
}

Status RelateSpaceToDepth(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                          RelationOutput* out) {
  return RelateByRule<BlockAttrs>(SpaceToDepthShape, op, attrs, args, out);
}

Status RelateGridSample(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(GridSampleAttrs::From(attrs, op.name)));
  SymDims x, grid, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &grid));
  TERN_TRY(GridSampleShape(x, grid, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateRoiAlign(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                      RelationOutput* out) {
  TERN_TRY_ASSIGN(RoiAlignAttrs align, RoiAlignAttrs::From(attrs, op.name));
  SymDims x, rois, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &rois));
  TERN_TRY(RoiAlignShape(align, x, rois, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateCol2Im(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(Col2ImAttrs::From(attrs, op.name)));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  IntOperand image, block;
  TERN_TRY(ReadInts(op, args, 1, {}, &image));
  TERN_TRY(ReadInts(op, args, 2, {}, &block));
  if (image.known && block.known) {
    TERN_TRY(Col2ImShape<types::Dim>(x, image.values, block.values, &result));
  } else if (image.count < 0) {
    // Kernels are chosen by the rank, so it must be known at compile time.
    return Unsupported("the number of spatial axes must be known");
  } else {
    result = AnyDims(static_cast<int>(image.count) + 2);
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

}  // namespace tern::ops
