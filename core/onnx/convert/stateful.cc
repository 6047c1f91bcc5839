// SPDX-License-Identifier: Apache-2.0
// Operators of decoders that keep a state of fixed size instead of a cache of keys and values:
// CausalConvWithState and LinearAttention of the standard and of com.microsoft, where they have
// more attributes.
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/loop.h"
#include "core/onnx/convert/window.h"
#include "core/ops/image_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// The extent of an axis that the operator is laid out by; -1 after a failure.
int64_t KnownExtent(NodeContext& node, int input, int axis, std::string_view what) {
  const int64_t extent = node.DimOf(node.Input(input), axis);
  if (node.ok() && extent < 0)
    node.Unsupported("axis ", axis, " of its ", what, " is known only when the model runs");
  return extent;
}

bool HasRank(NodeContext& node, int input, int rank, std::string_view what) {
  if (!node.HasInput(input)) return node.ok();
  const int found = node.RankOf(node.Input(input));
  if (node.ok() && found != rank) node.Fail("its ", what, " has rank ", found, ", expected ", rank);
  return node.ok();
}

// --- CausalConvWithState

// What stands before the input: the last positions of the call before, or zeros.
Value WithPast(NodeContext& node, int64_t count, bool is_last) {
  Compose in(node);
  const Value x = ChannelsFirst(node, node.Input(0), is_last);
  if (node.HasInput(3)) return in.Concat({ChannelsFirst(node, node.Input(3), is_last), x}, 2);
  ops::PadAttrs attrs;
  attrs.pads = {0, 0, count, 0, 0, 0};
  return node.Call("pad", {x}, attrs.ToAttrs());
}

// dilation: of the filters, whose elements are that far apart.
bool CheckCausal(NodeContext& node, int64_t channels, int64_t kernel, int64_t dilation,
                 bool is_last) {
  if (!node.ok()) return false;
  const int64_t group = node.DimOf(node.Input(1), 1);
  const int64_t given = node.DimOf(node.Input(0), is_last ? 2 : 1);
  if (group >= 0 && group != 1) node.Fail("axis 1 of its weight is ", group, ", expected 1");
  if (given >= 0 && given != channels)
    node.Fail("its input has ", given, " channels, but its weight ", channels);
  if (kernel < 1) node.Fail("its weight has no elements along axis 2");
  if (dilation > INT32_MAX) node.Fail("attribute 'dilation' is ", dilation);
  const int64_t past = node.HasInput(3) ? node.DimOf(node.Input(3), is_last ? 1 : 2) : -1;
  if (node.ok() && past >= 0 && past != (kernel - 1) * dilation)
    node.Fail("its past state has ", past, " positions, expected ", (kernel - 1) * dilation);
  return node.ok();
}

// States after each of the last positions, for searches that go back.
void RefuseStates(NodeContext& node) {
  const int64_t count = node.Int("state_window", 0);
  if (count != 0) node.Unsupported("state_window=", count, ", states after several positions");
}

}  // namespace

void ConvertCausalConv(NodeContext& node) {
  Compose in(node);
  const bool activates = node.Choice("activation", {"none", "silu", "swish"}, 0) > 0;
  const bool is_last = node.Bool("channels_last", false);
  const int64_t dilation = node.IntAtLeast("dilation", 1, 1), axes = node.Int("ndim", 1);
  RefuseStates(node);
  if (axes != 1) node.Unsupported("ndim=", axes, "; one axis is possible");
  if (!HasRank(node, 0, 3, "input") || !HasRank(node, 1, 3, "weight") ||
      !HasRank(node, 2, 1, "bias") || !HasRank(node, 3, 3, "past state"))
    return;
  const int64_t channels = KnownExtent(node, 1, 0, "weight");
  const int64_t kernel = KnownExtent(node, 1, 2, "weight");
  if (!CheckCausal(node, channels, kernel, dilation, is_last)) return;
  const int64_t count = (kernel - 1) * dilation;
  const Value all = WithPast(node, count, is_last);
  ops::ConvAttrs attrs;
  attrs.groups = channels;
  if (dilation > 1) attrs.window.dilations = {1, dilation};
  const Value image = in.Unsqueeze(all, {2}), filters = in.Unsqueeze(node.Input(1), {2});
  const Value y = node.Call("conv2d", {image, filters, node.Input(2)}, attrs.ToAttrs());
  ops::AxesAttrs rows;
  rows.axes = {2};
  const Value line = node.Call("squeeze", {y}, rows.ToAttrs());
  node.SetOutput(0, ChannelsLast(node, activates ? in.Unary("silu", line) : line, is_last));
  if (!node.WantsOutput(1)) return;
  const Value state = count == 0 ? in.Slice(all, 2, 0, 0) : in.Slice(all, 2, -count, INT64_MAX);
  node.SetOutput(1, ChannelsLast(node, state, is_last));
}

// --- LinearAttention

namespace {

struct LinearPlan {
  int64_t heads = 0, group = 0;  // of keys and values; queries of each
  int64_t shares = 1;            // keys of each query, where there are more of these
  int64_t key = 0, value = 0;    // extents of one head
  bool decays = false, corrects = false;
  double scale = 0;
};

bool ReadHeads(NodeContext& node, LinearPlan* plan) {
  const int64_t queries = node.RequiredInt("q_num_heads");
  plan->heads = node.RequiredInt("kv_num_heads");
  // com.microsoft has heads of queries that several of keys share, too.
  const bool is_shared = node.detail() == "contributed" && queries > 0 && plan->heads > queries &&
                         plan->heads % queries == 0;
  if (node.ok() && !is_shared && (plan->heads < 1 || queries < 1 || queries % plan->heads != 0)) {
    node.Fail("attribute 'q_num_heads' is ", queries, ", expected a multiple of 'kv_num_heads', ",
              plan->heads);
  }
  if (!node.ok()) return false;
  if (is_shared) plan->shares = plan->heads / queries;
  plan->group = is_shared ? 1 : queries / plan->heads;
  const int64_t widths[] = {KnownExtent(node, 0, 2, "query"), KnownExtent(node, 1, 2, "key"),
                            KnownExtent(node, 2, 2, "value")};
  if (!node.ok()) return false;
  plan->key = widths[1] / plan->heads;
  plan->value = widths[2] / plan->heads;
  if (plan->key < 1 || plan->value < 1 || widths[1] % plan->heads != 0 ||
      widths[2] % plan->heads != 0 || widths[0] % queries != 0 ||
      widths[0] / queries != plan->key) {
    node.Fail("its query, key and value have ", widths[0], ", ", widths[1], " and ", widths[2],
              " columns, which are no ", queries, ", ", plan->heads, " and ", plan->heads,
              " heads with queries as wide as keys");
  }
  return node.ok();
}

// An input that the rule takes, or must not be given.
void CheckPart(NodeContext& node, int input, bool taken, std::string_view what) {
  if (node.HasInput(input) == taken) return;
  node.Fail("the rule '", node.Text("update_rule", "gated_delta"), "' takes ", taken ? "a " : "no ",
            what, " (input ", input, ")");
}

bool ReadLinear(NodeContext& node, LinearPlan* plan) {
  constexpr std::string_view kNames[] = {"query", "key", "value", "past state", "decay", "beta"};
  const int rule = node.Choice("update_rule", {"linear", "gated", "delta", "gated_delta"}, 3);
  plan->decays = (rule & 1) != 0;
  plan->corrects = (rule & 2) != 0;
  // A hint for kernels that compute several positions at once.
  node.Int("chunk_size", 64);
  RefuseStates(node);
  CheckPart(node, 4, plan->decays, kNames[4]);
  CheckPart(node, 5, plan->corrects, kNames[5]);
  for (int i = 0; i < 6; ++i) {
    if (!HasRank(node, i, i == 3 ? 4 : 3, kNames[i])) return false;
  }
  if (!ReadHeads(node, plan)) return false;
  const float scale = node.Float("scale", 0);
  plan->scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(plan->key));
  return node.ok();
}

class LinearBody final : public LoopBody {
 public:
  LinearBody(NodeContext& node, const LinearPlan& plan) : node_(node), in_(node), plan_(plan) {}

  // Everything by position, in f32, with the axes (batch, position, head, …) in which the state has
  // (batch, head, key, value).
  bool Prepare() {
    const int64_t heads = plan_.heads, queries = heads / plan_.shares;
    query_ = in_.Scaled(Split(0, {0, 0, queries, plan_.group, plan_.key}), plan_.scale);
    if (plan_.shares > 1) {
      ops::TileAttrs copies;
      copies.repeats = {1, 1, 1, plan_.shares, 1};
      query_ =
          in_.Reshape(node_.Call("tile", {query_}, copies.ToAttrs()), {0, 0, heads, 1, plan_.key});
    }
    key_ = Split(1, {0, 0, heads, 1, plan_.key});
    value_ = Split(2, {0, 0, heads, 1, plan_.value});
    if (plan_.decays) decay_ = in_.Unary("exp", Decay());
    if (plan_.corrects) {
      const int64_t columns = KnownExtent(node_, 5, 2, "beta");
      if (node_.ok() && columns != heads && columns != 1)
        node_.Fail("its beta has ", columns, " columns, expected ", heads, " or 1");
      if (node_.ok()) beta_ = Split(5, {0, 0, columns, 1, 1});
    }
    return node_.ok();
  }

  bool Convert(const LoopTurn& turn, LoopStep* step) override {
    const Value index = ToTensor(node_, turn.index);
    Value state = turn.states[0];
    if (decay_ != nullptr) state = in_.Mul(state, in_.Gather(decay_, index, 1));
    const Value key = in_.Gather(key_, index, 1);
    Value value = in_.Gather(value_, index, 1);
    if (beta_ != nullptr) {
      const Value known = in_.MatMul(key, state);
      value = in_.Mul(in_.Gather(beta_, index, 1), in_.Sub(value, known));
    }
    state = in_.Add(state, in_.Mul(in_.Transpose(key, {0, 1, 3, 2}), value));
    step->states = {state};
    step->gathered = {in_.MatMul(in_.Gather(query_, index, 1), state)};
    return node_.ok();
  }

  Value StartState() {
    if (node_.HasInput(3)) return in_.Cast(node_.Input(3), kF32);
    const Value sizes = node_.ConstantInts({plan_.heads, plan_.key, plan_.value});
    const Value shape = in_.Concat({in_.ShapeOf(node_.Input(0), 0, 1), sizes}, 0);
    return in_.Expand(node_.Scalar(kF32, 0), shape);
  }

 private:
  Value Split(int input, const Ints& shape) {
    return in_.Reshape(in_.Cast(node_.Input(input), kF32), shape);
  }

  // One number for each head, or for each row of its state.
  Value Decay() {
    const int64_t columns = KnownExtent(node_, 4, 2, "decay"), heads = plan_.heads;
    if (!node_.ok()) return nullptr;
    if (columns == heads) return Split(4, {0, 0, heads, 1, 1});
    if (columns == heads * plan_.key) return Split(4, {0, 0, heads, plan_.key, 1});
    node_.Fail("its decay has ", columns, " columns, expected ", heads, " or ", heads * plan_.key);
    return nullptr;
  }

  NodeContext& node_;
  Compose in_;
  const LinearPlan& plan_;
  Value query_, key_, value_, decay_, beta_;
};

}  // namespace

void ConvertLinearAttention(NodeContext& node) {
  Compose in(node);
  LinearPlan plan;
  if (!ReadLinear(node, &plan)) return;
  LinearBody body(node, plan);
  if (!body.Prepare()) return;
  LoopStart start;
  start.limit = ToInt(node, in.DimOf(node.Input(0), 1));
  start.states = {body.StartState()};
  start.gathered = 1;
  LoopEnd end;
  if (!node.ok() || !EmitLoop(node, start, &body, &end)) return;
  const types::Dim count = ir::TensorTypeOf(node.Input(0))->dims[1];
  // (position, batch, head, query of the head, column)
  const Value stacked = StackList(node, end.lists[0], end.elements[0], count);
  const Value rows = in.Transpose(stacked, {1, 0, 2, 3, 4});
  const Value y = in.Reshape(rows, {0, 0, plan.heads * plan.group * plan.value});
  const DType dtype = node.DTypeOf(node.Input(0));
  node.SetOutput(0, in.Cast(y, dtype));
  const DType kept = node.HasInput(3) ? node.DTypeOf(node.Input(3)) : dtype;
  node.SetOutput(1, in.Cast(end.states[0], kept));
}

// com.microsoft. Inputs: what makes decays, its bias and scale for each head, what makes rates. All
// is computed in f32, because a decay is the exponent of one.
void ConvertLinearAttentionGate(NodeContext& node) {
  Compose in(node);
  const DType type = node.DTypeOf(node.Input(0));
  if (node.WantsOutput(1) && !node.HasInput(3))
    return node.Fail("it has output 1 (beta), but input 3 (b) is left out");
  const Value sum = in.Add(in.Cast(node.Input(0), kF32), in.Cast(node.Input(1), kF32));
  const Value decay = in.Mul(in.Unary("softplus", sum), in.Cast(node.Input(2), kF32));
  node.SetOutput(0, in.Cast(decay, type));
  if (node.HasInput(3))
    node.SetOutput(1, in.Cast(in.Unary("sigmoid", in.Cast(node.Input(3), kF32)), type));
}

}  // namespace tern::onnx
