// SPDX-License-Identifier: Apache-2.0
// Functions of one element or of several, broadcast against each other; activations; casts.
#include <cmath>
#include <limits>

#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

void CallUnary(NodeContext& node, std::string_view op, float alpha, float beta = 0) {
  ops::UnaryAttrs attrs;
  attrs.alpha = alpha;
  attrs.beta = beta;
  node.SetOutput(0, node.Call(op, {node.Input(0)}, attrs.ToAttrs()));
}

Value CastTo(NodeContext& node, const Value& value, DType to) {
  if (!node.ok() || node.DTypeOf(value) == to) return value;
  ops::CastAttrs attrs;
  attrs.to = to;
  attrs.saturate = node.Bool("saturate", true);
  attrs.round_mode =
      static_cast<ops::PowerRound>(node.Choice("round_mode", {"up", "down", "nearest"}, 0));
  return node.Call("cast", {value}, attrs.ToAttrs());
}

// The argument; a float of 8 bits as one of 32, which has its infinities and what is no number.
Value Widened(NodeContext& node) {
  const Value x = node.Input(0);
  return node.DTypeOf(x).bits == 8 ? Compose(node).Cast(x, kF32) : x;
}

// op(op(a, b), c) …
Value Fold(NodeContext& node, std::string_view op) {
  Value result = node.Input(0);
  for (int i = 1; i < node.input_count(); ++i) result = node.Call(op, {result, node.Input(i)});
  return result;
}

// The bound as a float where it is a known number or left out.
std::optional<float> KnownBound(NodeContext& node, int index, float fallback) {
  if (!node.HasInput(index)) return fallback;
  const std::optional<double> number = node.KnownNumber(node.Input(index));
  return number ? std::optional<float>(static_cast<float>(*number)) : std::nullopt;
}

}  // namespace

// The operator of the table's last column, with the same arguments and no attributes.
void ConvertDirect(NodeContext& node) {
  node.SetOutput(0, node.Call(node.detail(), node.inputs()));
}

// Of i64 as 0 - x, so that a negated shape stays known.
void ConvertNeg(NodeContext& node) {
  const Value x = node.Input(0);
  node.SetOutput(0, node.DTypeOf(x) == kI64 ? node.Call("sub", {node.Scalar(kI64, 0), x})
                                            : node.Call("neg", {x}));
}

void ConvertIdentity(NodeContext& node) { node.SetOutput(0, node.Input(0)); }

void ConvertIsInf(NodeContext& node) {
  ops::IsInfAttrs attrs;
  attrs.negative = node.Bool("detect_negative", true);
  attrs.positive = node.Bool("detect_positive", true);
  node.SetOutput(0, node.Call("is_inf", {Widened(node)}, attrs.ToAttrs()));
}

void ConvertIsNaN(NodeContext& node) { node.SetOutput(0, node.Call("is_nan", {Widened(node)})); }

void ConvertLeakyRelu(NodeContext& node) {
  CallUnary(node, "leaky_relu", node.Float("alpha", 0.01f));
}

// Elu, Celu and ThresholdedRelu: alpha, 1 by default.
void ConvertElu(NodeContext& node) { CallUnary(node, node.detail(), node.Float("alpha", 1)); }

void ConvertSelu(NodeContext& node) {
  CallUnary(node, "selu", node.Float("alpha", 1.67326319217681884765625f),
            node.Float("gamma", 1.05070102214813232421875f));
}

void ConvertHardSigmoid(NodeContext& node) {
  CallUnary(node, "hard_sigmoid", node.Float("alpha", 0.2f), node.Float("beta", 0.5f));
}

// Integers too: f64 holds them and the sums.
void ConvertShrink(NodeContext& node) {
  Compose in(node);
  const Value x = node.Input(0);
  const DType dtype = node.DTypeOf(x);
  ops::UnaryAttrs attrs;
  attrs.alpha = node.Float("lambd", 0.5f);
  attrs.beta = node.Float("bias", 0);
  const bool is_exact = dtype.is_float();
  const Value y = node.Call("shrink", {is_exact ? x : in.Cast(x, kF64)}, attrs.ToAttrs());
  node.SetOutput(0, is_exact ? y : in.Cast(y, dtype));
}

void ConvertGelu(NodeContext& node) {
  const int approximate = node.Choice("approximate", {"none", "tanh"}, 0);
  node.SetOutput(0, node.Call(approximate == 0 ? "gelu" : "gelu_tanh", {node.Input(0)}));
}

namespace {

// x * sigmoid(alpha * x), with the first input and the attribute.
Value Swish(NodeContext& node, float default_alpha) {
  Compose in(node);
  const float alpha = node.Float("alpha", default_alpha);
  const Value x = node.Input(0);
  if (alpha == 1) return in.Unary("silu", x);
  return in.Mul(x, in.Unary("sigmoid", in.Scaled(x, static_cast<double>(alpha))));
}

}  // namespace

void ConvertSwish(NodeContext& node) {
  node.SetOutput(0, Swish(node, node.detail() == "quick" ? 1.702f : 1.0f));
}

// Both inputs have one shape: this operator does not broadcast.
void ConvertSwiGlu(NodeContext& node) {
  const Value gate = node.Input(0), value = node.Input(1);
  const int rank = node.RankOf(gate);
  if (node.ok() && node.RankOf(value) != rank)
    return node.Fail("its inputs have ranks ", rank, " and ", node.RankOf(value), ", expected one");
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t a = node.DimOf(gate, axis), b = node.DimOf(value, axis);
    if (a >= 0 && b >= 0 && a != b)
      return node.Fail("its inputs differ in axis ", axis, ": ", a, " and ", b);
  }
  node.SetOutput(0, Compose(node).Mul(Swish(node, 1), value));
}

void ConvertClipByAttributes(NodeContext& node) {
  constexpr float kMost = std::numeric_limits<float>::max();
  CallUnary(node, "clamp", node.Float("min", -kMost), node.Float("max", kMost));
}

// Known bounds of f32 become attributes, so that the clamp can be merged into what comes before.
void ConvertClip(NodeContext& node) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::optional<float> low = KnownBound(node, 1, -kInfinity),
                             high = KnownBound(node, 2, kInfinity);
  if (!node.HasInput(1) && !node.HasInput(2)) {
    node.SetOutput(0, node.Input(0));
  } else if (node.DTypeOf(node.Input(0)) == kF32 && low && high && *low <= *high) {
    CallUnary(node, "clamp", *low, *high);
  } else {
    node.SetOutput(0, node.Call("clip", {node.Input(0), node.Input(1), node.Input(2)}));
  }
}

void ConvertCast(NodeContext& node) {
  Result<DType> to = MakeDType(static_cast<int32_t>(node.RequiredInt("to")));
  if (!to.ok()) return node.Fail("attribute 'to': ", to.status().message());
  node.SetOutput(0, CastTo(node, node.Input(0), *to));
}

void ConvertBitCast(NodeContext& node) {
  Result<DType> to = MakeDType(static_cast<int32_t>(node.RequiredInt("to")));
  if (!to.ok()) return node.Fail("attribute 'to': ", to.status().message());
  ops::BitCastAttrs attrs;
  attrs.to = *to;
  node.SetOutput(0, node.Call("bit_cast", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertCastLike(NodeContext& node) {
  node.SetOutput(0, CastTo(node, node.Input(0), node.DTypeOf(node.Input(1))));
}

void ConvertBitShift(NodeContext& node) {
  if (!node.Has("direction")) return node.Fail("attribute 'direction' is missing");
  const int direction = node.Choice("direction", {"LEFT", "RIGHT"}, 0);
  node.SetOutput(0, node.Call(direction == 0 ? "shift_left" : "shift_right", node.inputs()));
}

void ConvertMod(NodeContext& node) {
  node.SetOutput(0, node.Call(node.Bool("fmod", false) ? "fmod" : "mod", node.inputs()));
}

void ConvertVariadic(NodeContext& node) { node.SetOutput(0, Fold(node, node.detail())); }

void ConvertMean(NodeContext& node) {
  const Value sum = Fold(node, "add");
  if (node.input_count() == 1) return node.SetOutput(0, sum);
  const Value count = node.Scalar(node.DTypeOf(node.Input(0)), node.input_count());
  node.SetOutput(0, node.Call("div", {sum, count}));
}

}  // namespace tern::onnx
