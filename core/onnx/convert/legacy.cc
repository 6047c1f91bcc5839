// SPDX-License-Identifier: Apache-2.0
// Opsets 1 to 6: broadcasting had to be asked for, and was aligned at an axis instead of at the
// last one.
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// b with axes of extent 1 behind, so that its first axis meets axis `axis` of a tensor of rank
// `rank`.
Value AlignAt(NodeContext& node, const Value& b, int64_t axis, int rank) {
  const int b_rank = node.RankOf(b);
  if (axis < 0) axis += rank;
  if (node.ok() && (axis < 0 || axis + b_rank > rank)) {
    node.Fail("attribute 'axis' does not fit inputs of rank ", rank, " and ", b_rank);
    return nullptr;
  }
  ops::AxesAttrs attrs;
  for (int64_t i = b_rank; i < rank - axis; ++i) attrs.axes.push_back(i);
  return attrs.axes.empty() ? b : node.Call("unsqueeze", {b}, attrs.ToAttrs());
}

}  // namespace

void ConvertLegacyBinary(NodeContext& node) {
  const bool broadcast = node.Bool("broadcast", false);
  const bool aligned = node.Has("axis");
  const int64_t axis = node.Int("axis", 0);
  node.IntList("consumed_inputs");
  Value b = node.Input(1);
  if (broadcast && aligned) b = AlignAt(node, b, axis, node.RankOf(node.Input(0)));
  node.SetOutput(0, node.Call(node.detail(), {node.Input(0), b}));
}

// A slope per channel: axis 1 of the input.
void ConvertLegacyPRelu(NodeContext& node) {
  node.IntList("consumed_inputs");
  Value slope = node.Input(1);
  const int rank = node.RankOf(node.Input(0));
  if (node.DimOf(slope, 0) != 1 && rank > 1) slope = AlignAt(node, slope, 1, rank);
  node.SetOutput(0, node.Call("prelu", {node.Input(0), slope}));
}

void ConvertLegacyBatchNormalization(NodeContext& node) {
  node.IntList("consumed_inputs");
  if (!node.Bool("is_test", false)) return node.Unsupported("training (is_test=0)");
  ConvertBatchNormalization(node);
}

void ConvertLegacyGemm(NodeContext& node) {
  node.Int("broadcast", 0);
  ConvertGemm(node);
}

}  // namespace tern::onnx
