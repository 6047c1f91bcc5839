// SPDX-License-Identifier: Apache-2.0
// Type relations of the operators of special_attrs.h.
#include "core/ops/math_attrs.h"
#include "core/ops/math_rules.h"
#include "core/ops/relations.h"
#include "core/ops/shape_rules.h"
#include "core/ops/special_rules.h"

namespace tern::ops {

using types::Dim;

namespace {

// Most relations compare types with each other and leave to the kernel what it can run. These
// operators have one type that is right, so a compiler can say so.
Status CheckTexts(const OpInfo& op, std::span<const ArgInfo> args, int index) {
  const types::TensorType& type = *args[static_cast<size_t>(index)].type;
  if (type.dtype.is_string()) return OkStatus();
  return TypeError("argument ", index, " (", op.parameter(index), ") is ", type.ToText(),
                   ", expected texts");
}

Status CheckIntegers(const OpInfo& op, std::span<const ArgInfo> args, int index) {
  const types::TensorType& type = *args[static_cast<size_t>(index)].type;
  if (type.dtype == kI64) return OkStatus();
  return TypeError("argument ", index, " (", op.parameter(index), ") is ", type.ToText(),
                   ", expected i64");
}

}  // namespace

// The shape is an argument: a constant gives its extents, otherwise only their number is known.
Status RelateRandom(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(RandomAttrs::From(attrs, op.name)));
  IntOperand shape;
  TERN_TRY(ReadInts(op, args, 0, {}, &shape));
  SymDims result;
  if (shape.known) {
    TERN_TRY(ShapeFromValues<Dim>(shape.values, &result));
  } else if (shape.count < 0 || shape.count > kMaxDims) {
    return Unsupported("the number of axes of the shape must be known and at most ", kMaxDims);
  } else {
    result = AnyDims(static_cast<int>(shape.count));
  }
  AddResult(kF32, result, out);
  return OkStatus();
}

Status RelateStringConcat(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                          RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  TERN_TRY(CheckTexts(op, args, 0));
  TERN_TRY(CheckTexts(op, args, 1));
  SymDims a, b, result;
  TERN_TRY(ReadDims(op, args, 0, &a));
  TERN_TRY(ReadDims(op, args, 1, &b));
  TERN_TRY(BroadcastShape(a, b, &result));
  AddResult(kString, result, out);
  return OkStatus();
}

Status RelateStringSplit(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                         RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(StringSplitAttrs::From(attrs, op.name)));
  TERN_TRY(CheckTexts(op, args, 0));
  TERN_TRY(CheckTexts(op, args, 1));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(CheckRank("x", x.rank(), 0, kMaxDims - 1));
  // As wide as the text with the most parts, which only a run can tell.
  SymDims parts = x;
  parts.push_back(Dim::Any());
  AddResult(kString, parts, out);
  AddResult(kI64, x, out);
  return OkStatus();
}

// Only a run can tell the extents.
Status RelateImageDecode(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                         RelationOutput* out) {
  TERN_TRY_ASSIGN(const auto read, ImageDecodeAttrs::From(attrs, op.name));
  SymDims bytes;
  TERN_TRY(ReadDims(op, args, 0, &bytes));
  TERN_TRY(CheckRank("bytes", bytes.rank(), 1, 1));
  if (args[0].type->dtype != kU8)
    return TypeError("argument 0 (bytes) is ", args[0].type->ToText(), ", expected u8");
  SymDims pixels = AnyDims(2);
  pixels.push_back(Dim(read.channels()));
  AddResult(kU8, pixels, out);
  return OkStatus();
}

Status RelateRegexMatch(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  TERN_TRY(CheckTexts(op, args, 0));
  TERN_TRY(CheckTexts(op, args, 1));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  AddResult(kBool, x, out);
  return OkStatus();
}

// Keys have the type of what is looked up, the values that of the default; a key and its value
// stand at the same place.
Status RelateLookUp(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  TERN_TRY(CheckSameDType(op, args, 0, 1));
  TERN_TRY(CheckSameDType(op, args, 2, 3));
  SymDims x, keys, values;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &keys));
  TERN_TRY(ReadDims(op, args, 2, &values));
  TERN_TRY(CheckRank("keys", keys.rank(), 1, 1));
  TERN_TRY(CheckRank("values", values.rank(), 1, 1));
  TERN_TRY(CheckDim("values", values, 0, keys[0]));
  AddResult(args[2].type->dtype, x, out);
  return OkStatus();
}

// Arguments 3 and 4, bias and mask, may be left out.
Status RelateDeformConv(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  TERN_TRY_ASSIGN(DeformConvAttrs conv, DeformConvAttrs::From(attrs, op.name));
  SymDims x, w, offset, bias, mask, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &w));
  TERN_TRY(ReadDims(op, args, 2, &offset));
  if (HasArg(args, 4)) TERN_TRY(ReadDims(op, args, 4, &mask));
  TERN_TRY(DeformConvShape(conv, x, w, offset, HasArg(args, 4) ? &mask : nullptr, &result));
  if (HasArg(args, 3)) {
    TERN_TRY(ReadDims(op, args, 3, &bias));
    TERN_TRY(CheckRank("bias", bias.rank(), 1, 1));
    TERN_TRY(CheckDim("bias", bias, 0, w[0]));
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateMaxRoiPool(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  TERN_TRY_ASSIGN(MaxRoiPoolAttrs pool, MaxRoiPoolAttrs::From(attrs, op.name));
  SymDims x, rois, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &rois));
  TERN_TRY(MaxRoiPoolShape(pool, x, rois, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateMatMulBits(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  TERN_TRY_ASSIGN(MatMulBitsAttrs matmul, MatMulBitsAttrs::From(attrs, op.name));
  SymDims a, b, result;
  TERN_TRY(ReadDims(op, args, 0, &a));
  TERN_TRY(ReadDims(op, args, 1, &b));
  TERN_TRY(MatMulBitsShape(matmul, a, b, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateCouplePairs(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                         RelationOutput* out) {
  return RelateByRule<CoupleAttrs>(CouplePairsShape, op, attrs, args, out);
}

// The ensemble is one table of integers, which the importer lays out (core/onnx/convert/trees.cc).
// Whether it is a forest is checked where it is run, since the table may be computed.
Status RelateTree(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                  RelationOutput* out) {
  TERN_TRY_ASSIGN(TreeAttrs tree, TreeAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(TreeShape(tree, x, &result));
  TERN_TRY(CheckIntegers(op, args, 1));
  AddResult(kF32, result, out);
  return OkStatus();
}

}  // namespace tern::ops
