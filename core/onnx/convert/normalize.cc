// SPDX-License-Identifier: Apache-2.0
// Softmax and its kin, batch and other normalizations.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/fused.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

Attrs SoftmaxAxis(int64_t axis) {
  ops::SoftmaxAttrs attrs;
  attrs.axis = axis;
  return attrs.ToAttrs();
}

Value ReduceMean(NodeContext& node, const Value& x, const Ints& axes, bool keep_dims) {
  ops::ReduceAttrs attrs;
  attrs.axes = axes;
  attrs.keep_dims = keep_dims;
  return node.Call("reduce_mean", {x}, attrs.ToAttrs());
}

// momentum * running + (1 - momentum) * batch.
Value Running(NodeContext& node, const Value& running, const Value& batch, float momentum) {
  const DType dtype = node.DTypeOf(running);
  const Value kept = node.Call("mul", {running, node.Scalar(dtype, momentum)});
  const Value added = node.Call("mul", {batch, node.Scalar(dtype, 1.0 - momentum)});
  return node.Call("add", {kept, added});
}

// With the statistics of the batch itself; outputs 1 and 2 are the running ones.
void ConvertTrainingBatchNorm(NodeContext& node, const Attrs& attrs, float momentum) {
  const Value x = node.Input(0);
  const int rank = node.RankOf(x);
  if (rank < 2) return node.Unsupported("training_mode=1 with an input of unknown rank or below 2");
  Ints axes;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != 1) axes.push_back(axis);
  }
  const Value mean = ReduceMean(node, x, axes, false);
  // About the mean, not as E[x²] - E[x]², which cancels where the mean is large.
  const Value centred = node.Call("sub", {x, ReduceMean(node, x, axes, true)});
  const Value variance = ReduceMean(node, node.Call("mul", {centred, centred}), axes, false);
  node.SetOutput(0,
                 node.Call("batch_norm", {x, node.Input(1), node.Input(2), mean, variance}, attrs));
  if (node.WantsOutput(1)) node.SetOutput(1, Running(node, node.Input(3), mean, momentum));
  if (node.WantsOutput(2)) node.SetOutput(2, Running(node, node.Input(4), variance, momentum));
}

// stash_type says which type statistics have in between. It is read so that nobody is warned that
// it is unknown, and changes nothing.
ops::GroupNormAttrs ReadGroupNorm(NodeContext& node) {
  ops::GroupNormAttrs attrs;
  attrs.groups = node.IntAtLeast("num_groups", 0, 1);
  attrs.epsilon = node.Float("epsilon", 1e-5f);
  node.Int("stash_type", 1);
  return attrs;
}

// [groups] → [channels], each value repeated.
Value RepeatPerChannel(NodeContext& node, const Value& value, int64_t groups, int64_t channels) {
  ops::AxesAttrs last;
  last.axes = {1};
  ops::ShapeAttrs wide;
  wide.shape = {groups, channels / groups};
  ops::ReshapeAttrs flat;
  flat.shape = {channels};
  const Value column = node.Call("unsqueeze", {value}, last.ToAttrs());
  return node.Call("reshape", {node.Call("expand", {column}, wide.ToAttrs())}, flat.ToAttrs());
}

}  // namespace

void ConvertSoftmax(NodeContext& node) {
  node.SetOutput(0, node.Call(node.detail(), {node.Input(0)}, SoftmaxAxis(node.Int("axis", -1))));
}

// Before opset 13 the axes from `axis` on counted as one.
void ConvertFlattenedSoftmax(NodeContext& node) {
  const Value x = node.Input(0);
  const int64_t axis = node.Int("axis", 1);
  const int rank = node.RankOf(x);
  // From the last axis on there is one axis only, which is what the newer operator means as well.
  if (rank >= 0 && (axis == -1 || axis == rank - 1)) {
    return node.SetOutput(0, node.Call(node.detail(), {x}, SoftmaxAxis(-1)));
  }
  ops::FlattenAttrs flat;
  flat.axis = axis;
  const Value matrix = node.Call("flatten", {x}, flat.ToAttrs());
  const Value result = node.Call(node.detail(), {matrix}, SoftmaxAxis(1));
  node.SetOutput(0, Compose(node).ReshapeBy(result, node.Call("shape_of", {x})));
}

void ConvertBatchNormalization(NodeContext& node) {
  ops::NormAttrs attrs;
  attrs.epsilon = node.Float("epsilon", 1e-5f);
  const float momentum = node.Float("momentum", 0.9f);
  // Until opset 8 spatial=0 asked for statistics of each place of an image. Later opsets have no
  // such attribute and mean the default, 1.
  if (node.Int("spatial", 1) != 1) return node.Unsupported("attribute spatial=0");
  const bool training = node.Bool("training_mode", false);
  if (training) return ConvertTrainingBatchNorm(node, attrs.ToAttrs(), momentum);
  for (int i = 1; i < 5; ++i) {
    if (node.WantsOutput(i)) return node.Unsupported("output ", i, ", which only training has");
  }
  node.SetOutput(0, node.Call("batch_norm", node.inputs(), attrs.ToAttrs()));
}

void ConvertInstanceNormalization(NodeContext& node) {
  ops::NormAttrs attrs;
  attrs.epsilon = node.Float("epsilon", 1e-5f);
  node.SetOutput(0, node.Call("instance_norm", node.inputs(), attrs.ToAttrs()));
}

void ConvertLayerNormalization(NodeContext& node) {
  ops::NormAttrs attrs;
  attrs.axis = node.Int("axis", -1);
  attrs.epsilon = node.Float("epsilon", 1e-5f);
  node.Int("stash_type", 1);
  if (!node.WantsOutput(1) && !node.WantsOutput(2)) {
    return node.SetOutput(0, node.Call("layer_norm", node.inputs(), attrs.ToAttrs()));
  }
  const std::vector<Value> parts =
      node.CallMany("layer_norm_stats", node.inputs(), attrs.ToAttrs(), 3);
  for (int i = 0; i < 3; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

Value InverseRms(NodeContext& node, const Value& x, int64_t axis, float epsilon) {
  Compose in(node);
  const int rank = node.RankOf(x);
  Ints axes;
  for (int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i) axes.push_back(i);
  const Value wide = node.DTypeOf(x) == kF64 ? x : in.Cast(x, kF32);
  const Value mean = in.Reduce("reduce_mean", in.Mul(wide, wide), axes, true);
  return in.Unary("rsqrt", in.Add(mean, in.Like(mean, static_cast<double>(epsilon))));
}

// The result has the type of the scale.
void ConvertRmsNormalization(NodeContext& node) {
  Compose in(node);
  ops::NormAttrs attrs;
  attrs.axis = node.Int("axis", -1);
  attrs.epsilon = node.Float("epsilon", 1e-5f);
  node.Int("stash_type", 1);
  if (node.WantsOutput(1))
    node.SetOutput(1, InverseRms(node, node.Input(0), attrs.axis, attrs.epsilon));
  // The statistics are of the input's type, which may be wider than the scale's.
  const DType type = node.DTypeOf(node.Input(1));
  const Value scale = in.Cast(node.Input(1), node.DTypeOf(node.Input(0)));
  const Value y = node.Call("rms_norm", {node.Input(0), scale}, attrs.ToAttrs());
  node.SetOutput(0, in.Cast(y, type));
}

// Opset 18: one scale and bias per group.
void ConvertGroupNormalizationPerGroup(NodeContext& node) {
  const ops::GroupNormAttrs attrs = ReadGroupNorm(node);
  const int64_t channels = node.DimOf(node.Input(0), 1);
  if (!node.ok()) return;
  if (channels < 1 || channels % attrs.groups != 0) {
    return node.Fail(channels, " channels cannot be cut into ", attrs.groups, " groups");
  }
  const Value scale = RepeatPerChannel(node, node.Input(1), attrs.groups, channels);
  const Value bias = RepeatPerChannel(node, node.Input(2), attrs.groups, channels);
  node.SetOutput(0, node.Call("group_norm", {node.Input(0), scale, bias}, attrs.ToAttrs()));
}

void ConvertGroupNormalization(NodeContext& node) {
  const ops::GroupNormAttrs attrs = ReadGroupNorm(node);
  node.SetOutput(0, node.Call("group_norm", node.inputs(), attrs.ToAttrs()));
}

void ConvertLrn(NodeContext& node) {
  ops::LrnAttrs attrs;
  attrs.alpha = node.Float("alpha", 1e-4f);
  attrs.beta = node.Float("beta", 0.75f);
  attrs.bias = node.Float("bias", 1);
  // It has no default: 0, which stands for a missing one, is refused.
  attrs.size = node.IntAtLeast("size", 0, 1);
  node.SetOutput(0, node.Call("lrn", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertLpNormalization(NodeContext& node) {
  ops::LpNormAttrs attrs;
  attrs.axis = node.Int("axis", -1);
  attrs.p = node.Int("p", 2);
  if (attrs.p != 1 && attrs.p != 2)
    return node.Fail("attribute 'p' is ", attrs.p, ", expected 1 or 2");
  node.SetOutput(0, node.Call("lp_norm", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertMeanVarianceNormalization(NodeContext& node) {
  ops::MeanVarianceAttrs attrs;
  // By default all axes of an image but its channels.
  attrs.axes = {0, 2, 3};
  if (node.detail() == "legacy") {
    Compose in(node);
    const int rank = node.RankOf(node.Input(0));
    if (node.ok() && rank != 4) return node.Fail("its input has rank ", rank, ", expected 4");
    if (node.Bool("across_channels", false)) attrs.axes = {0, 1, 2, 3};
    if (!node.Bool("normalize_variance", true)) {
      const Value mean = in.Reduce("reduce_mean", node.Input(0), attrs.axes, true);
      return node.SetOutput(0, in.Sub(node.Input(0), mean));
    }
  } else {
    attrs.axes = node.IntList("axes", attrs.axes);
  }
  node.SetOutput(0, node.Call("mean_variance_norm", {node.Input(0)}, attrs.ToAttrs()));
}

}  // namespace tern::onnx
