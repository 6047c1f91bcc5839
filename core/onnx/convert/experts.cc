// SPDX-License-Identifier: Apache-2.0
// Mixtures of experts: small networks, of which a router picks a few for each token.
//
// Every expert runs over every token and what the router did not pick is left out of the sum. This
// is more work than is needed, but in products of matrices that a graph can state.
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/fused.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// Where the parts of a layer are among the inputs; -1: the operator has no such input.
struct LayerInputs {
  int weights, bias, scales = -1, zeros = -1;
};

struct ExpertInputs {
  LayerInputs up, down, gate;
  int router_weights = -1;
};

constexpr ExpertInputs kPlain = {{2, 3}, {4, 5}, {6, 7}};
constexpr ExpertInputs kQuantized = {{2, 4, 3, 11}, {5, 7, 6, 12}, {8, 10, 9, 13}, 14};

enum class ExpertActivation { kRelu, kGelu, kSilu, kIdentity, kSwiglu };
enum class GateOrder { kApart, kInterleaved, kHalves };  // as swiglu_fusion counts them

// Bytes of 4 or 8 bits each as f32 of the same numbers.
Value Unpacked(NodeContext& node, const Value& bytes, int64_t bits) {
  Compose in(node);
  return in.Cast(UnpackBits(node, bytes, bits), kF32);
}

// [experts, outputs, inputs] of the numbers that the bytes stand for. A scale belongs to a block of
// inputs, or to all inputs of an output.
Value Dequantized(NodeContext& node, const LayerInputs& layer, int64_t bits) {
  Compose in(node);
  const Value scales = in.Cast(node.Input(layer.scales), kF32);
  const Value bytes = node.Input(layer.weights), given = node.Input(layer.zeros);
  if (node.ok() && (scales == nullptr || node.RankOf(bytes) != 3))
    node.Fail("its weights (input ", layer.weights, ") have rank ", node.RankOf(bytes),
              ", expected rank 3 and scales (input ", layer.scales, ")");
  if (!node.ok()) return nullptr;
  Value numbers = Unpacked(node, bytes, bits);
  Value zeros =
      given == nullptr ? node.Scalar(kF32, bits == 4 ? 8 : 128) : Unpacked(node, given, bits);
  const bool has_blocks = node.RankOf(scales) == 3;
  const Value flat = in.ShapeOf(numbers);
  const int64_t last = has_blocks ? 3 : 2;
  if (has_blocks) {
    const Value blocks = in.DimOf(scales, 2);
    numbers = in.ReshapeTo(numbers, {in.ShapeOf(numbers, 0, 2), blocks, in.Int(-1)});
  }
  if (given != nullptr) zeros = in.Unsqueeze(zeros, {last});
  const Value values = in.Mul(in.Sub(numbers, zeros), in.Unsqueeze(scales, {last}));
  return has_blocks ? in.ReshapeTo(values, {flat}) : values;
}

class Experts {
 public:
  Experts(NodeContext& node, const ExpertInputs& inputs, int64_t bits)
      : node_(node), in_(node), inputs_(inputs), bits_(bits) {}

  void ReadAttributes() {
    activation_ = static_cast<ExpertActivation>(
        node_.Choice("activation_type", {"relu", "gelu", "silu", "identity", "swiglu"}, 0));
    int64_t order = node_.Int("swiglu_fusion", 0);
    if (node_.Bool("swiglu_interleaved", false)) order = 1;
    if (order < 0 || order > 2)
      node_.Fail("attribute 'swiglu_fusion' is ", order, ", expected 0, 1 or 2");
    order_ = activation_ == ExpertActivation::kSwiglu ? static_cast<GateOrder>(order)
                                                      : GateOrder::kApart;
    limit_ = node_.Has("swiglu_limit") ? node_.Float("swiglu_limit", 0) : HUGE_VALF;
    alpha_ = node_.Float("activation_alpha", 1);
    beta_ = node_.Float("activation_beta", 0);
    const bool has_gate = node_.HasInput(inputs_.gate.weights);
    if (order_ != GateOrder::kApart && has_gate)
      node_.Fail("it has weights of a gate (input ", inputs_.gate.weights,
                 "), although swiglu_fusion=", order, " says that they are among those of input ",
                 inputs_.up.weights);
    if (activation_ == ExpertActivation::kSwiglu && order_ == GateOrder::kApart && !has_gate)
      node_.Fail("swiglu_fusion=0 takes the weights of a gate (input ", inputs_.gate.weights,
                 "), which is left out");
    if (node_.Bool("use_sparse_mixer", false)) node_.Unsupported("use_sparse_mixer=1");
    if (node_.Text("quant_type", "int") != "int")
      node_.Unsupported("quant_type=", node_.Text("quant_type", "int"), "; int is possible");
  }

  // [experts, tokens]: the share of each expert in the result of a token, 0 where it is not picked.
  Value Shares() {
    const Value router = in_.Cast(node_.Input(1), kF32);
    if (node_.ok() && node_.RankOf(router) != 2)
      node_.Fail("its router_probs (input 1) have rank ", node_.RankOf(router), ", expected 2");
    ops::TopKAttrs attrs;
    attrs.k = node_.IntAtLeast("k", 1, 1);
    const bool normalizes = node_.Bool("normalize_routing_weights", false);
    if (!node_.ok()) return nullptr;
    const std::vector<Value> best = node_.CallMany("topk", {router}, attrs.ToAttrs(), 2);
    Value weights = normalizes ? in_.Softmax(best[0]) : best[0];
    ops::AxisAttrs along;
    along.axis = 1;
    if (inputs_.router_weights >= 0 && node_.HasInput(inputs_.router_weights)) {
      const Value given = in_.Cast(node_.Input(inputs_.router_weights), kF32);
      weights = node_.Call("gather_elements", {given, best[1]}, along.ToAttrs());
      if (normalizes) weights = in_.Div(weights, in_.Reduce("reduce_sum", weights, {1}, true));
    }
    const Value none = in_.Expand(node_.Scalar(kF32, 0), in_.ShapeOf(router));
    ops::ScatterAttrs scatter;
    scatter.axis = 1;
    return in_.Transpose(
        node_.Call("scatter_elements", {none, best[1], weights}, scatter.ToAttrs()), {1, 0});
  }

  // [experts, tokens, outputs] of x, which is [1 or experts, tokens, inputs].
  Value Layer(const Value& x, const LayerInputs& layer) {
    const Value weights = layer.scales < 0 ? in_.Cast(node_.Input(layer.weights), kF32)
                                           : Dequantized(node_, layer, bits_);
    const Value y = in_.MatMul(x, weights, true);
    const Value bias = in_.Cast(node_.Input(layer.bias), kF32);
    return bias == nullptr ? y : in_.Add(y, in_.Unsqueeze(bias, {1}));
  }

  // The first (0) or second (1) of the two that the last axis has mixed or one behind the other.
  Value Part(const Value& x, int index) {
    if (order_ == GateOrder::kInterleaved) return in_.Slice(x, 2, index, INT64_MAX, 2);
    const Value half = in_.Div(in_.DimOf(x, 2), in_.Int(2));
    return index == 0 ? in_.SliceTo(x, 2, in_.Int(0), half)
                      : in_.SliceTo(x, 2, half, in_.DimOf(x, 2));
  }

  Value Gated(const Value& gate, const Value& line) {
    const Value low = in_.Call("min", {gate, node_.Scalar(kF32, limit_)});
    const Value held = in_.Activation("clamp", line, -limit_, limit_);
    const Value turned = in_.Mul(low, in_.Unary("sigmoid", in_.Scaled(low, alpha_)));
    return in_.Mul(turned, in_.Add(held, node_.Scalar(kF32, beta_)));
  }

  Value Activated(const Value& x, const Value& y) {
    switch (activation_) {
      case ExpertActivation::kRelu: return in_.Unary("relu", y);
      case ExpertActivation::kGelu: return in_.Unary("gelu_tanh", y);
      case ExpertActivation::kSilu: return in_.Unary("silu", y);
      case ExpertActivation::kIdentity: return y;
      case ExpertActivation::kSwiglu:
        return order_ == GateOrder::kApart ? Gated(y, Layer(x, inputs_.gate))
                                           : Gated(Part(y, 0), Part(y, 1));
    }
    return y;
  }

  Value Hidden(const Value& x) {
    const Value y = Activated(x, Layer(x, inputs_.up));
    const bool is_gated = activation_ == ExpertActivation::kSwiglu;
    if (is_gated || !node_.HasInput(inputs_.gate.weights)) return y;
    return in_.Mul(y, Layer(x, inputs_.gate));
  }

  // Tokens may have the batch as an axis of its own; those of the router have not.
  Value Run() {
    const Value x = node_.Input(0);
    const int rank = node_.RankOf(x);
    if (node_.ok() && rank != 2 && rank != 3)
      node_.Fail("its input 0 has rank ", rank, ", expected 2 or 3");
    ReadAttributes();
    const Value shares = node_.ok() ? Shares() : nullptr;
    if (!node_.ok()) return nullptr;
    const Value tokens =
        in_.ReshapeTo(in_.Cast(x, kF32), {in_.Int(1), in_.Int(-1), in_.DimOf(x, rank - 1)});
    const Value y = Layer(Hidden(tokens), inputs_.down);
    // What is not picked counts nothing, even if it is no number.
    const Value share = in_.Unsqueeze(shares, {2});
    const Value is_out = in_.Call("equal", {share, node_.Scalar(kF32, 0)});
    const Value counted = in_.Where(is_out, node_.Scalar(kF32, 0), in_.Mul(y, share));
    const Value sum = in_.Reduce("reduce_sum", counted, {0}, false);
    return in_.Cast(in_.ReshapeTo(sum, {in_.ShapeOf(x)}), node_.DTypeOf(x));
  }

 private:
  NodeContext& node_;
  Compose in_;
  ExpertInputs inputs_;
  int64_t bits_;
  ExpertActivation activation_ = ExpertActivation::kRelu;
  GateOrder order_ = GateOrder::kApart;
  float limit_ = HUGE_VALF, alpha_ = 1, beta_ = 0;
};

}  // namespace

void ConvertMoe(NodeContext& node) { node.SetOutput(0, Experts(node, kPlain, 32).Run()); }

void ConvertQMoe(NodeContext& node) {
  const int64_t bits = node.Int("expert_weight_bits", 4);
  node.Int("block_size", 0);  // the scales' shape says as much
  if (bits != 4 && bits != 8)
    return node.Unsupported("weights of ", bits, " bits; 4 and 8 are possible");
  node.SetOutput(0, Experts(node, kQuantized, bits).Run());
}

}  // namespace tern::onnx
