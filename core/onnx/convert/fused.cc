// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that graph optimizers write in place of several of the standard's:
// each becomes those again, and the passes merge what pays here.
#include "core/onnx/convert/fused.h"

#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/window.h"
#include "core/ops/math_attrs.h"
#include "core/ops/special_attrs.h"

namespace tern::onnx {
namespace {

// The parameter of the activation: entry i of activation_params, or an attribute of its own.
float ActivationParameter(NodeContext& node, size_t i, std::string_view name, float fallback) {
  const Floats list = node.FloatList("activation_params");
  return i < list.size() ? list[i] : node.Float(name, fallback);
}

}  // namespace

Value FusedActivation(NodeContext& node, const Value& x) {
  Compose in(node);
  const auto parameter = [&](size_t i, float fallback) {
    static constexpr std::string_view kNames[] = {"activation_alpha", "activation_beta"};
    return ActivationParameter(node, i, kNames[i], fallback);
  };
  switch (node.Choice("activation",
                      {"", "Relu", "Tanh", "Sigmoid", "Clip", "LeakyRelu", "HardSigmoid", "Elu",
                       "ThresholdedRelu", "Softplus"},
                      0)) {
    case 1: return in.Unary("relu", x);
    case 2: return in.Unary("tanh", x);
    case 3: return in.Unary("sigmoid", x);
    case 4:
      return in.Activation("clamp", x, parameter(0, -3.402823466e38f),
                           parameter(1, 3.402823466e38f));
    case 5: return in.Activation("leaky_relu", x, parameter(0, 0.01f));
    case 6: return in.Activation("hard_sigmoid", x, parameter(0, 0.2f), parameter(1, 0.5f));
    case 7: return in.Activation("elu", x, parameter(0, 1));
    case 8: return in.Activation("thresholded_relu", x, parameter(0, 1));
    case 9: return in.Unary("softplus", x);
    default: return x;
  }
}

namespace {

// Where the attribute says so, the first axis of x goes behind those of the batch.
Value BatchFirst(NodeContext& node, const Value& x, std::string_view attribute) {
  const int rank = node.RankOf(x);
  if (!node.Bool(attribute, false) || rank < 3) return x;
  Ints perm;
  for (int i = 1; i < rank - 1; ++i) perm.push_back(i);
  perm.push_back(0);
  perm.push_back(rank - 1);
  return Compose(node).Transpose(x, perm);
}

}  // namespace

Value NormalizeLast(NodeContext& node, const Value& x, const Value& scale, const Value& bias,
                    bool rms) {
  Compose in(node);
  ops::NormAttrs attrs;
  attrs.axis = -1;
  attrs.epsilon = node.Float("epsilon", rms ? 1e-6f : 1e-5f);
  if (!rms) return node.Call("layer_norm", {x, scale, bias}, attrs.ToAttrs());
  const Value y = node.Call("rms_norm", {x, scale}, attrs.ToAttrs());
  return bias == nullptr ? y : in.Add(y, bias);
}

Value ScaledIntegerProduct(NodeContext& node, const Value& a, const Value& b, const Value& a_zero,
                           const Value& b_zero, const Value& scale) {
  Compose in(node);
  const Value sum = node.Call("matmul_integer", {a, b, a_zero, b_zero});
  return in.Mul(in.Cast(sum, kF32), scale);
}

// Matrices that are swapped, with their batches or without, and a factor.
void ConvertFusedMatMul(NodeContext& node) {
  Compose in(node);
  ops::MatMulAttrs attrs;
  attrs.trans_a = node.Bool("transA", false);
  attrs.trans_b = node.Bool("transB", false);
  const Value a = BatchFirst(node, node.Input(0), "transBatchA"),
              b = BatchFirst(node, node.Input(1), "transBatchB");
  const auto alpha = static_cast<double>(node.Float("alpha", 1));
  const Value y = node.Call("matmul", {a, b}, attrs.ToAttrs());
  node.SetOutput(0, FusedActivation(node, alpha == 1 ? y : in.Scaled(y, alpha)));
}

void ConvertFusedGemm(NodeContext& node) {
  ops::MatMulAttrs attrs;
  attrs.trans_a = node.Bool("transA", false);
  attrs.trans_b = node.Bool("transB", false);
  attrs.alpha = node.Float("alpha", 1);
  attrs.beta = node.HasInput(2) ? node.Float("beta", 1) : 1;
  const Value y =
      node.Call("matmul", {node.Input(0), node.Input(1), node.Input(2)}, attrs.ToAttrs());
  node.SetOutput(0, FusedActivation(node, y));
}

// BiasGelu and FastGelu: of x plus a bias, which FastGelu may lack.
void ConvertBiasGelu(NodeContext& node) {
  Compose in(node);
  const Value x = node.HasInput(1) ? in.Add(node.Input(0), node.Input(1)) : node.Input(0);
  node.SetOutput(0, in.Unary(node.detail(), x));
}

// SkipLayerNormalization: input, skip, gamma, beta, bias; SkipSimplifiedLayerNormalization: input,
// skip, gamma, bias. Outputs 1 and 2 are the mean and the inverse deviation, 3 what was normalized.
void ConvertSkipLayerNormalization(NodeContext& node) {
  Compose in(node);
  const bool rms = node.detail() == "rms";
  if (rms && node.WantsOutput(1)) return node.Unsupported("output 1, a mean that it does not use");
  Value sum = in.Add(node.Input(0), node.Input(1));
  const Value bias = node.Input(rms ? 3 : 4);
  if (bias != nullptr) sum = in.Add(sum, bias);
  node.SetOutput(3, sum);
  if (rms && node.WantsOutput(2))
    node.SetOutput(2, InverseRms(node, sum, -1, node.Float("epsilon", 1e-6f)));
  if (rms || !(node.WantsOutput(1) || node.WantsOutput(2))) {
    const Value beta = rms ? nullptr : node.Input(3);
    return node.SetOutput(0, NormalizeLast(node, sum, node.Input(2), beta, rms));
  }
  ops::NormAttrs attrs;
  attrs.axis = -1;
  attrs.epsilon = node.Float("epsilon", 1e-5f);
  const std::vector<Value> args = {sum, node.Input(2), node.Input(3)};
  const std::vector<Value> parts = node.CallMany("layer_norm_stats", args, attrs.ToAttrs(), 3);
  for (int i = 0; i < 3; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

// GroupNorm: images, gamma, beta; SkipGroupNorm: also skip, of each place or of each image, and a
// bias, which are added before; its output 1 is that sum.
void ConvertContribGroupNorm(NodeContext& node) {
  Compose in(node);
  ops::GroupNormAttrs attrs;
  attrs.groups = node.IntAtLeast("groups", 0, 1);
  attrs.epsilon = node.Float("epsilon", 1e-5f);
  const int64_t activation = node.RequiredInt("activation");
  const bool is_last = node.Bool("channels_last", true);
  Value x = node.Input(0);
  if (node.ok() && node.RankOf(x) != 4)
    return node.Fail("its input has rank ", node.RankOf(x), ", expected 4");
  if (node.ok() && activation != 0 && activation != 1)
    return node.Fail("attribute 'activation' is ", activation, ", expected 0 or 1");
  if (!node.ok()) return;
  const auto of_channels = [&](const Value& value, int rank) {
    return is_last ? value : in.Unsqueeze(value, {rank, rank + 1});
  };
  Value skip = node.Input(3);
  if (skip != nullptr) {
    if (node.RankOf(skip) == 2) skip = in.Unsqueeze(skip, is_last ? Ints{1, 2} : Ints{2, 3});
    x = in.Add(x, skip);
  }
  if (node.HasInput(4)) x = in.Add(x, of_channels(node.Input(4), 1));
  node.SetOutput(1, x);
  const DType type = node.DTypeOf(x);
  const Value image = ChannelsFirst(node, in.Cast(x, kF32), is_last);
  const Value gamma = in.Cast(node.Input(1), kF32), beta = in.Cast(node.Input(2), kF32);
  Value y = node.Call("group_norm", {image, gamma, beta}, attrs.ToAttrs());
  if (activation == 1) y = in.Unary("silu", y);
  node.SetOutput(0, in.Cast(ChannelsLast(node, y, is_last), type));
}

// The first half of x plus a bias, times what gelu makes of the second half.
void ConvertBiasSplitGelu(NodeContext& node) {
  Compose in(node);
  const Value x = in.Add(node.Input(0), node.Input(1));
  const int64_t axis = node.RankOf(x) - 1;
  if (!node.ok()) return;
  if (node.DimOf(x, static_cast<int>(axis)) % 2 == 1)
    return node.Fail("the last axis of its input is odd, and has no halves");
  const Value whole = in.DimOf(x, -1), half = in.Div(whole, in.Int(2));
  const Value gate = in.Unary("gelu", in.SliceTo(x, axis, half, whole));
  node.SetOutput(0, in.Mul(in.SliceTo(x, axis, in.Int(0), half), gate));
}

// Inputs: words, segments, tables of words, places and segments, gamma, beta, mask, places; of the
// quantized one no places, but the scales and the zero points of inputs 2 to 6.
void ConvertEmbedLayerNormalization(NodeContext& node) {
  Compose in(node);
  const Value words = node.Input(0);
  if (node.ok() && node.RankOf(words) != 2)
    return node.Fail("its input_ids have rank ", node.RankOf(words), ", expected 2");
  for (const int i : {2, 3, 5, 6}) {
    if (!node.HasInput(i)) return node.Fail("input ", i, " is left out, but it is not optional");
  }
  if (node.HasInput(1) != node.HasInput(4))
    return node.Fail("segment_ids (input 1) and their table (input 4) come together");
  const bool is_quantized = node.detail() == "quantized";
  for (int i = 8; i < 18 && is_quantized; ++i) {
    if (i != 10 && i != 15 && !node.HasInput(i))
      return node.Fail("input ", i, ", a scale or a zero point, is left out");
  }
  const auto real = [&](int i, const Value& x) {
    if (!is_quantized) return x;
    return in.Call("dequantize_linear", {x, node.Input(i + 6), node.Input(i + 11)});
  };
  const auto rows = [&](int i, const Value& of) { return real(i, in.Gather(node.Input(i), of)); };
  const bool has_places = !is_quantized && node.HasInput(8);
  const Value places = has_places ? node.Input(8) : in.Range(in.DimOf(words, 1));
  Value sum = in.Add(rows(2, words), rows(3, places));
  if (node.HasInput(1)) sum = in.Add(sum, rows(4, node.Input(1)));
  node.Int("mask_index_type", 0);
  const Value scale = real(5, node.Input(5)), bias = real(6, node.Input(6));
  node.SetOutput(0, NormalizeLast(node, sum, scale, bias, false));
  if (node.WantsOutput(1)) {
    // How many places of each row the mask keeps; 0 where there is none.
    const Value counted = node.HasInput(7) ? in.Cast(node.Input(7), kI32)
                                           : in.Expand(node.Scalar(kI32, 0), in.ShapeOf(words));
    node.SetOutput(1, in.Reduce("reduce_sum", counted, {1}, false));
  }
  node.SetOutput(2, sum);
}

// Inputs: a (f32), b, b's scale, b's zero point, bias.
void ConvertDynamicQuantizeMatMul(NodeContext& node) {
  Compose in(node);
  const std::vector<Value> a = node.CallMany("dynamic_quantize_linear", {node.Input(0)}, {}, 3);
  const Value scale = in.Mul(a[1], node.Input(2));
  Value y = ScaledIntegerProduct(node, a[0], node.Input(1), a[2], node.Input(3), scale);
  if (node.HasInput(4)) y = in.Add(y, node.Input(4));
  node.SetOutput(0, y);
}

// Inputs: a, b, their scales, their zero points, bias.
void ConvertMatMulIntegerToFloat(NodeContext& node) {
  Compose in(node);
  const Value scale = in.Cast(in.Mul(node.Input(2), node.Input(3)), kF32);
  Value y =
      ScaledIntegerProduct(node, node.Input(0), node.Input(1), node.Input(4), node.Input(5), scale);
  y = in.Cast(y, node.DTypeOf(node.Input(2)));
  if (node.HasInput(6)) y = in.Add(y, node.Input(6));
  node.SetOutput(0, y);
}

Value UnpackBits(NodeContext& node, const Value& bytes, int64_t bits) {
  Compose in(node);
  if (bits == 8) return bytes;
  const int rank = node.RankOf(bytes);
  std::vector<Value> parts;
  for (int64_t at = 0; at < 8; at += bits) {
    Value part = bytes;
    if (at > 0) part = in.Call("shift_right", {part, node.Scalar(kU8, static_cast<double>(at))});
    if (at + bits < 8)
      part = in.Call("bitwise_and", {part, node.Scalar(kU8, static_cast<double>((1 << bits) - 1))});
    parts.push_back(in.Unsqueeze(part, {rank}));
  }
  Ints shape(static_cast<size_t>(rank), 0);
  shape.back() = -1;
  return in.Reshape(in.Concat(parts, rank), shape);
}

namespace {

// [columns, depth]: what the packed weights of MatMulNBits stand for. Each place of the depth has
// the scale and zero point of its block, or of the one that the order of groups names.
Value WeightsOfBits(NodeContext& node, const ops::MatMulBitsAttrs& attrs, int64_t bits) {
  Compose in(node);
  const int64_t columns = attrs.columns, blocks = (attrs.depth - 1) / attrs.block + 1;
  const Value index =
      node.HasInput(4) ? node.Input(4) : in.Div(in.Range(in.Int(attrs.depth)), in.Int(attrs.block));
  const auto each = [&](const Value& of_blocks) {
    return in.Gather(in.Cast(in.Reshape(of_blocks, {columns, blocks}), kF32), index, 1);
  };
  Value zeros = node.Input(3);
  if (zeros == nullptr) {
    zeros = node.Scalar(kF32, static_cast<double>(1 << (bits - 1)));
  } else if (node.DTypeOf(zeros) == kU8) {
    const Value all = UnpackBits(node, in.Reshape(zeros, {columns, -1}), bits);
    zeros = each(in.Slice(all, 1, 0, blocks));
  } else {
    zeros = each(zeros);
  }
  const Value all = UnpackBits(node, in.Reshape(node.Input(1), {columns, -1}), bits);
  const Value numbers = in.Cast(in.Slice(all, 1, 0, attrs.depth), kF32);
  return in.Mul(in.Sub(numbers, zeros), each(node.Input(2)));
}

}  // namespace

// Inputs: a, b (packed), scales, zero points, order of groups, bias. Weights of 4 bits in order
// stay packed; others become floats.
void ConvertMatMulNBits(NodeContext& node) {
  Compose in(node);
  ops::MatMulBitsAttrs attrs;
  attrs.depth = node.IntAtLeast("K", 0, 1);
  attrs.columns = node.IntAtLeast("N", 0, 1);
  attrs.block = node.RequiredInt("block_size");
  node.Int("accuracy_level", 0);
  node.Int("weight_prepacked", 0);
  const int64_t bits = node.Int("bits", 4);
  if (node.ok() && bits != 2 && bits != 4 && bits != 8)
    return node.Unsupported("weights of ", bits, " bits; 2, 4 and 8 are possible");
  if (node.ok() && (attrs.block < 16 || (attrs.block & (attrs.block - 1)) != 0))
    return node.Fail("attribute 'block_size' is ", attrs.block,
                     ", expected a power of two from 16 on");
  if (!node.ok()) return;
  Value y;
  if (bits == 4 && !node.HasInput(4)) {
    const int64_t blocks = (attrs.depth - 1) / attrs.block + 1;
    // Older files have the bytes as [columns, bytes].
    const Value b = in.Reshape(node.Input(1), {attrs.columns, blocks, attrs.block / 2});
    y = node.Call("matmul_bits", {node.Input(0), b, node.Input(2), node.Input(3)}, attrs.ToAttrs());
  } else {
    const Value weights = in.Cast(WeightsOfBits(node, attrs, bits), node.DTypeOf(node.Input(0)));
    y = in.MatMul(node.Input(0), weights, true);
  }
  if (node.HasInput(5)) y = in.Add(y, node.Input(5));
  node.SetOutput(0, y);
}

namespace {

// What the 16 codes of bitsandbytes stand for, as parts of the largest number of a block.
Value CodesOf4Bits(NodeContext& node, bool is_normal) {
  // A sign, and a number of 3 bits; the smallest one but 0 is 1 / 16 of 1 / 12.
  constexpr float kTwelfths[] = {0, 0.0625f, 8, 12, 4, 6, 2, 3};
  Floats values;
  for (const float part : kTwelfths) values.push_back(part / 12);
  for (const float part : kTwelfths) values.push_back(-part / 12);
  // Shares of a normal distribution, with 0 among them.
  if (is_normal)
    values = {-1,
              -0.6961928009986877f,
              -0.5250730514526367f,
              -0.39491748809814453f,
              -0.28444138169288635f,
              -0.18477343022823334f,
              -0.09105003625154495f,
              0,
              0.07958029955625534f,
              0.16093020141124725f,
              0.24611230194568634f,
              0.33791524171829224f,
              0.44070982933044434f,
              0.5626170039176941f,
              0.7229568362236023f,
              1};
  return Compose(node).Floats(values);
}

}  // namespace

// Inputs: a, the codes of the weights [columns, depth] in one row, the largest number of each block
// of that row.
void ConvertMatMulBnb4(NodeContext& node) {
  Compose in(node);
  const int64_t depth = node.IntAtLeast("K", 0, 1), columns = node.IntAtLeast("N", 0, 1);
  const int64_t block = node.RequiredInt("block_size"), kind = node.RequiredInt("quant_type");
  const bool is_turned = node.Bool("transB", true);
  node.Bool("training_mode", false);
  if (node.ok() && kind != 0 && kind != 1)
    return node.Fail("attribute 'quant_type' is ", kind, ", expected 0 or 1");
  if (node.ok() && (block < 16 || (block & (block - 1)) != 0))
    return node.Fail("attribute 'block_size' is ", block, ", expected a power of two from 16 on");
  if (node.ok() && (depth > INT32_MAX || columns > INT32_MAX))
    return node.Fail("attributes 'N' and 'K' are ", columns, " and ", depth);
  if (!node.ok()) return;
  const int64_t count = depth * columns;
  const int64_t given[] = {node.DimOf(node.Input(1), 0), node.DimOf(node.Input(2), 0)};
  const int64_t expected[] = {(count + 1) / 2, (count - 1) / block + 1};
  for (int i = 0; i < 2; ++i) {
    if (given[i] >= 0 && given[i] != expected[i])
      return node.Fail("its input ", i + 1, " has ", given[i], " elements, expected ", expected[i]);
  }
  // The first of two codes is the upper one of a byte.
  const Value bytes = node.Input(1);
  const Value pairs[] = {in.Call("shift_right", {bytes, node.Scalar(kU8, 4)}),
                         in.Call("bitwise_and", {bytes, node.Scalar(kU8, 15)})};
  Value codes =
      in.Reshape(in.Concat({in.Unsqueeze(pairs[0], {1}), in.Unsqueeze(pairs[1], {1})}, 1), {-1});
  if (count % 2 != 0) codes = in.Slice(codes, 0, 0, count);
  const Value parts = in.Gather(CodesOf4Bits(node, kind == 1), codes);
  const Value largest = in.Cast(node.Input(2), kF32);
  const Value weights =
      count % block == 0
          ? in.Mul(in.Reshape(parts, {-1, block}), in.Reshape(largest, {-1, 1}))
          : in.Mul(parts, in.Gather(largest, in.Div(in.Range(in.Int(count)), in.Int(block))));
  const Value whole = in.Cast(in.Reshape(weights, {columns, depth}), node.DTypeOf(node.Input(0)));
  node.SetOutput(0, in.MatMul(node.Input(0), whole, is_turned));
}

// Inputs: data, indices, scales, zero points. Rows are picked first: only they are unpacked.
void ConvertGatherBlockQuantized(NodeContext& node) {
  Compose in(node);
  const int rank = node.RankOf(node.Input(0));
  const int64_t gather = node.Int("gather_axis", 0), bits = node.Int("bits", 4);
  int64_t axis = node.Int("quantize_axis", 1);
  if (axis < 0) axis += rank;
  if (node.ok() && (gather != 0 || axis != rank - 1))
    return node.Unsupported("gather_axis=", gather, " and quantize_axis=", axis,
                            "; the first axis gathered and the last one quantized are possible");
  if (node.ok() && bits != 4 && bits != 8) return node.Unsupported("elements of ", bits, " bits");
  Value data = node.Input(0), zeros = node.Input(3);
  const bool packed = node.DTypeOf(data) == kU8 && bits == 4;
  if (node.DTypeOf(data) == kI4 || node.DTypeOf(data) == kU4) {
    const DType wide = node.DTypeOf(data) == kI4 ? kI8 : kU8;
    data = in.Cast(data, wide);
    if (zeros != nullptr) zeros = in.Cast(zeros, wide);
  }
  data = in.Gather(data, node.Input(1));
  const Value scales = in.Gather(node.Input(2), node.Input(1));
  if (zeros != nullptr) zeros = in.Gather(zeros, node.Input(1));
  if (packed) data = UnpackBits(node, data, 4);
  if (packed && zeros != nullptr) {
    zeros = UnpackBits(node, zeros, 4);
    zeros = in.SliceTo(zeros, -1, in.Int(0), in.DimOf(scales, -1));
  }
  if (packed && zeros == nullptr) zeros = in.Expand(node.Scalar(kU8, 8), in.ShapeOf(scales));
  ops::QuantizeAttrs attrs;
  attrs.axis = -1;
  attrs.block = node.IntAtLeast("block_size", 128, 16);
  node.SetOutput(0, node.Call("dequantize_linear", {data, scales, zeros}, attrs.ToAttrs()));
}

// The distance of each row of input 0 from each row of input 1.
void ConvertCDist(NodeContext& node) {
  Compose in(node);
  const int metric = node.Choice("metric", {"sqeuclidean", "euclidean"}, 0);
  const Value gap = in.Sub(in.Unsqueeze(node.Input(0), {1}), in.Unsqueeze(node.Input(1), {0}));
  const Value square = in.Reduce("reduce_sum_square", gap, {2}, false);
  node.SetOutput(0, metric == 1 ? in.Unary("sqrt", square) : square);
}

namespace {

Value Dequantize(NodeContext& node, int x) {
  return node.Call("dequantize_linear", {node.Input(x), node.Input(x + 1), node.Input(x + 2)});
}

void SetQuantized(NodeContext& node, const Value& y, int scale, DType to) {
  ops::QuantizeAttrs attrs;
  attrs.to = to;
  node.SetOutput(0, node.Call("quantize_linear", {y, node.Input(scale), node.Input(scale + 1)},
                              attrs.ToAttrs()));
}

}  // namespace

// Inputs: x, x_scale, x_zero, y_scale, y_zero.
void ConvertQLinearSoftmax(NodeContext& node) {
  Compose in(node);
  const int64_t opset = node.Int("opset", 13), axis = node.Int("axis", -1);
  const int rank = node.RankOf(node.Input(0));
  if (node.ok() && opset < 13 && axis != -1 && axis != rank - 1)
    return node.Unsupported("axis=", axis, " of opset ", opset, ", where axes count as one");
  const Value y = in.Softmax(Dequantize(node, 0), axis);
  SetQuantized(node, y, 3, node.DTypeOf(node.Input(0)));
}

void ConvertQLinearGlobalAveragePool(NodeContext& node) {
  Compose in(node);
  const bool last = node.Bool("channels_last", false);
  const int rank = node.RankOf(node.Input(0));
  if (node.ok() && rank < 3) return node.Fail("its input has rank ", rank, ", expected 3 or more");
  Ints axes;
  for (int i = last ? 1 : 2; i < (last ? rank - 1 : rank); ++i) axes.push_back(i);
  const Value y = in.Reduce("reduce_mean", Dequantize(node, 0), axes, true);
  SetQuantized(node, y, 3, node.DTypeOf(node.Input(0)));
}

void ConvertQLinearAveragePool(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  const bool is_last = node.Bool("channels_last", false);
  ops::PoolAttrs attrs;
  attrs.window = ReadWindow(node, spatial);
  attrs.ceil_mode = node.Bool("ceil_mode", false);
  attrs.count_include_pad = node.Bool("count_include_pad", false);
  if (node.ok() && attrs.window.kernel.empty())
    return node.Fail("attribute 'kernel_shape' is missing");
  const Value x = WidenImage(node, ChannelsFirst(node, Dequantize(node, 0), is_last), spatial);
  const Value y = NarrowImage(node, node.Call("average_pool", {x}, attrs.ToAttrs()), spatial);
  SetQuantized(node, ChannelsLast(node, y, is_last), 3, node.DTypeOf(node.Input(0)));
}

// Inputs: y_scale, y_zero, then x, x_scale, x_zero for each part.
void ConvertQLinearConcat(NodeContext& node) {
  Compose in(node);
  if ((node.input_count() - 2) % 3 != 0)
    return node.Fail("it has ", node.input_count(), " inputs, expected 2 and 3 for each part");
  std::vector<Value> parts;
  for (int i = 2; i < node.input_count(); i += 3) parts.push_back(Dequantize(node, i));
  const Value y = in.Concat(parts, node.RequiredInt("axis"));
  SetQuantized(node, y, 0, node.DTypeOf(node.Input(2)));
}

}  // namespace tern::onnx
