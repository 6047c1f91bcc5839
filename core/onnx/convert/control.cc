// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan: branches become blocks, bodies local functions (loop.h). What a subgraph takes
// of the graphs around it it simply mentions; lambda_lift makes parameters of that.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/ir/control.h"
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/loop.h"
#include "core/onnx/convert/value_types.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

using types::Dim;
using ValueType = types::Type;

// --- If

// Its extent may be known to a run only; that it is one element is then checked there.
bool IsCondition(NodeContext& node, const Value& value) {
  const ValueType type = ir::TypeOf(value);
  if (!type.is_tensor() || !type.tensor().dtype.is_bool()) {
    node.Fail("its condition is ", type.ToText(), ", expected one bool");
    return false;
  }
  const Dim count = type.tensor().ElementCount();
  if (!count.is_constant() || count.constant() == 1) return true;
  node.Fail("its condition is ", type.ToText(), ", expected one element");
  return false;
}

bool HasOutputs(NodeContext& node, const Graph& graph, std::string_view name, size_t count) {
  if (graph.outputs.size() == count) return true;
  node.Fail("its graph '", name, "' has ", graph.outputs.size(), " outputs, expected ", count);
  return false;
}

Value ResultOf(const std::vector<Value>& values) {
  return values.size() == 1 ? values[0] : ir::MakeTuple(values);
}

// The block is ended after a failure too, because blocks of the builder nest: whoever began one
// must end it, whatever is in it.
void ConvertBranch(NodeContext& node, const Graph& graph, ir::LetPtr* block,
                   std::vector<Value>* outputs) {
  node.builder().BeginBlock();
  const bool good = node.Inline(graph, {}, outputs);
  *block = node.builder().EndBlock(good ? ResultOf(*outputs) : ir::MakeNone());
}

// Branches of which an output has different ranks are no error yet: where an exporter wrote
// "squeeze the axis if its extent is 1", each fits what follows, or only one can ever be taken.
bool JoinBranches(NodeContext& node, const std::vector<Value>& a, const std::vector<Value>& b,
                  NodeContext::Split split, std::vector<ValueType>* types) {
  for (size_t i = 0; i < a.size(); ++i) {
    const ValueType first = ir::TypeOf(a[i]), second = ir::TypeOf(b[i]);
    const ValueType merged = MergeTypes(first, second);
    if (!merged.known()) {
      node.RequestSplit(std::move(split),
                        StrCat("output ", i, " ('", node.node().outputs[i], "') is ",
                               first.ToText(), " in one branch and ", second.ToText(),
                               " in the other; one element type and one rank are possible"));
      return false;
    }
    types->push_back(WithNames(node.builder(), merged));
  }
  return true;
}

void SetOutputs(NodeContext& node, const std::vector<Value>& values) {
  for (size_t i = 0; i < values.size(); ++i) node.SetOutput(static_cast<int>(i), values[i]);
}

}  // namespace

void ConvertIf(NodeContext& node) {
  // The branch for true comes first, as in ir::MakeIf, in whichever order the file has them.
  const Graph* graphs[] = {node.Subgraph("then_branch"), node.Subgraph("else_branch")};
  const size_t count = node.node().outputs.size();
  if (!node.ok() || !HasOutputs(node, *graphs[0], "then_branch", count) ||
      !HasOutputs(node, *graphs[1], "else_branch", count) || !IsCondition(node, node.Input(0)))
    return;
  if (count == 0) return node.Fail("it has no outputs");
  std::vector<Value> outputs[2];
  // Exporters write branches on what they know of the model, such as its opset: only the one that
  // is taken need be possible.
  if (const std::optional<bool> known = KnownCondition(node, node.Input(0))) {
    if (node.Inline(*graphs[*known ? 0 : 1], {}, &outputs[0])) SetOutputs(node, outputs[0]);
    return;
  }
  ir::LetPtr blocks[2];
  for (int i = 0; i < 2; ++i) ConvertBranch(node, *graphs[i], &blocks[i], &outputs[i]);
  if (!node.ok()) return;
  std::vector<ValueType> types;
  if (!JoinBranches(node, outputs[0], outputs[1], {node.Input(0), {graphs[0], graphs[1]}}, &types))
    return;
  node.builder().SetName(node.node().outputs[0]);
  const Value result =
      node.builder().BindAs(ir::MakeIf(node.Input(0), blocks[0], blocks[1]),
                            count == 1 ? types[0] : ValueType::Tuple(std::move(types)));
  for (size_t i = 0; i < count; ++i) {
    const int index = static_cast<int>(i);
    node.SetOutput(index, count == 1 ? result : node.builder().Field(result, index));
  }
}

// --- Loop

namespace {

// Lists are stacked, and tensors cut, by bytes: elements below 8 bits are widened for that, and
// narrowed behind it.
class ByteItems {
 public:
  // May be called once for each conversion of a body.
  void Widen(NodeContext& node, std::vector<Value>* values) {
    types_.clear();
    for (Value& value : *values) {
      const bool is_tensor = node.ok() && ir::TypeOf(value).is_tensor();
      types_.push_back(is_tensor ? node.DTypeOf(value) : DType());
      if (is_tensor) value = Compose(node).InBytes(value);
    }
  }
  Value Narrow(NodeContext& node, size_t index, const Value& value) const {
    return types_[index].IsKnown() ? Compose(node).Cast(value, types_[index]) : value;
  }

 private:
  std::vector<DType> types_;
};

class OnnxLoopBody final : public LoopBody {
 public:
  OnnxLoopBody(NodeContext& node, const Graph& graph, size_t states)
      : node_(node), graph_(graph), states_(states) {}

  // The graph takes (turn, condition, states…) and gives (condition, states…, gathered…).
  bool Convert(const LoopTurn& turn, LoopStep* step) override {
    std::vector<Value> inputs = {ToTensor(node_, turn.index), turn.condition};
    inputs.insert(inputs.end(), turn.states.begin(), turn.states.end());
    std::vector<Value> outputs;
    if (!node_.Inline(graph_, inputs, &outputs)) return false;
    step->condition = outputs[0];
    const auto gathered = outputs.begin() + 1 + static_cast<std::ptrdiff_t>(states_);
    step->states.assign(outputs.begin() + 1, gathered);
    step->gathered.assign(gathered, outputs.end());
    widened_.Widen(node_, &step->gathered);
    return true;
  }
  const ByteItems& widened() const { return widened_; }

 private:
  ByteItems widened_;
  NodeContext& node_;
  const Graph& graph_;
  size_t states_;
};

bool IsOneInteger(NodeContext& node, const Value& value, std::string_view what) {
  const ValueType type = ir::TypeOf(value);
  const bool is_int = type.is_tensor() && type.tensor().dtype.is_int();
  const Dim count = is_int ? type.tensor().ElementCount() : Dim(0);
  if (is_int && (!count.is_constant() || count.constant() == 1)) return true;
  node.Fail("its ", what, " is ", type.ToText(), ", expected one integer");
  return false;
}

}  // namespace

void ConvertLoop(NodeContext& node) {
  const Graph* graph = node.Subgraph("body");
  if (!node.ok()) return;
  LoopStart start;
  for (int i = 2; i < node.input_count(); ++i) {
    if (!node.HasInput(i)) return node.Fail("input ", i, " is left out, but it is not optional");
    start.states.push_back(node.Input(i));
  }
  const size_t states = start.states.size();
  if (graph->outputs.size() < states + 1) {
    return node.Fail("its graph 'body' has ", graph->outputs.size(), " outputs, expected at least ",
                     states + 1);
  }
  // What is neither the condition nor a state is collected over the turns.
  start.gathered = graph->outputs.size() - 1 - states;
  if (node.node().outputs.size() > states + start.gathered) {
    return node.Fail("it has ", node.node().outputs.size(), " outputs, but its body gives ",
                     states + start.gathered);
  }
  if (node.HasInput(0)) {
    if (!IsOneInteger(node, node.Input(0), "trip count")) return;
    start.limit = ToInt(node, node.Input(0));
  }
  if (node.HasInput(1)) {
    if (!IsCondition(node, node.Input(1))) return;
    start.condition = node.Input(1);
  }
  OnnxLoopBody body(node, *graph, states);
  LoopEnd end;
  if (!EmitLoop(node, start, &body, &end)) return;
  for (size_t i = 0; i < states; ++i) node.SetOutput(static_cast<int>(i), end.states[i]);
  for (size_t i = 0; i < start.gathered; ++i) {
    const int index = static_cast<int>(states + i);
    // A list that nobody reads is dead code, and its tensor is not stacked.
    if (!node.WantsOutput(index)) continue;
    const Value stacked =
        StackList(node, end.lists[i], end.elements[i], node.builder().FreshDim());
    node.SetOutput(index, body.widened().Narrow(node, i, stacked));
  }
}

// --- Scan

namespace {

// One item of an axis.
Value ItemOf(NodeContext& node, const Value& tensor, const Value& index, int64_t axis) {
  ops::AxisAttrs attrs;
  attrs.axis = axis;
  return node.Call("gather", {tensor, index}, attrs.ToAttrs());
}

// Of a known extent a constant is made, so that the loop's limit needs no look at the tensor.
Value ExtentOf(NodeContext& node, const Value& tensor, int64_t axis) {
  const int64_t known = node.DimOf(tensor, static_cast<int>(axis));
  if (known >= 0) return ir::MakeConstant(Any(known));
  return node.Invoke("tern.tensor.dim", {tensor, ir::MakeConstant(Any(axis))}, ValueType::Int());
}

// Inputs are states and then scanned tensors; outputs are the same states and then what is
// gathered. The batch axis of opset 8 is no part of it: BatchBody takes it away first.
struct ScanPlan {
  const Graph* graph = nullptr;
  size_t states = 0, scanned = 0, gathered = 0;
  Ints input_axes, output_axes;
  std::vector<bool> input_reversed, output_reversed;
};

bool ReadDirections(NodeContext& node, std::string_view name, size_t count,
                    std::vector<bool>* reversed) {
  // Left out: forward, all of them.
  const Ints values = node.IntList(name, Ints(count, 0));
  if (values.size() != count) {
    node.Fail("attribute '", name, "' has ", values.size(), " values, expected ", count);
  }
  for (const int64_t value : values) {
    if (value != 0 && value != 1)
      node.Fail("attribute '", name, "' has the value ", value, ", expected 0 or 1");
    reversed->push_back(value == 1);
  }
  return node.ok();
}

// Left out: the first axis of every tensor. Negative axes count from the last; AxisIn has the rank
// that this takes.
bool ReadAxes(NodeContext& node, std::string_view name, size_t count, Ints* axes) {
  *axes = node.IntList(name, Ints(count, 0));
  if (axes->size() != count)
    node.Fail("attribute '", name, "' has ", axes->size(), " values, expected ", count);
  return node.ok();
}

// The axis in 0 … rank - 1; -1 after a failure.
int64_t AxisIn(NodeContext& node, std::string_view name, int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  node.Fail("attribute '", name, "' has the value ", axis, ", but the tensor has rank ", rank);
  return -1;
}

// inputs: how many states and scanned tensors there are together.
bool CountParts(NodeContext& node, size_t inputs, ScanPlan* plan) {
  plan->graph = node.Subgraph("body");
  const int64_t scanned = node.RequiredInt("num_scan_inputs");
  if (!node.ok()) return false;
  if (scanned < 1 || static_cast<uint64_t>(scanned) > inputs) {
    node.Fail("attribute 'num_scan_inputs' is ", scanned, ", expected 1 to ", inputs);
    return false;
  }
  plan->scanned = static_cast<size_t>(scanned);
  plan->states = inputs - plan->scanned;
  if (plan->graph->outputs.size() < plan->states) {
    node.Fail("its graph 'body' has ", plan->graph->outputs.size(), " outputs, expected at least ",
              plan->states);
    return false;
  }
  plan->gathered = plan->graph->outputs.size() - plan->states;
  if (node.node().outputs.size() > plan->graph->outputs.size()) {
    node.Fail("it has ", node.node().outputs.size(), " outputs, but its body gives ",
              plan->graph->outputs.size());
  }
  return node.ok();
}

class ScanBody final : public LoopBody {
 public:
  ScanBody(NodeContext& node, const ScanPlan& plan, std::vector<Value> scanned, Value last)
      : node_(node), plan_(plan), scanned_(std::move(scanned)), last_(std::move(last)) {
    cut_.Widen(node_, &scanned_);
  }

  // The graph takes (states…, items…) and gives (states…, gathered…).
  bool Convert(const LoopTurn& turn, LoopStep* step) override {
    std::vector<Value> inputs = turn.states, outputs;
    Value forward, backward;
    for (size_t i = 0; i < scanned_.size(); ++i) {
      // One index for each direction, however many tensors go that way.
      Value& index = plan_.input_reversed[i] ? backward : forward;
      if (index == nullptr) index = IndexOf(turn, plan_.input_reversed[i]);
      const Value item = ItemOf(node_, scanned_[i], index, plan_.input_axes[i]);
      inputs.push_back(cut_.Narrow(node_, i, item));
    }
    if (!node_.Inline(*plan_.graph, inputs, &outputs)) return false;
    const auto gathered = outputs.begin() + static_cast<std::ptrdiff_t>(plan_.states);
    step->states.assign(outputs.begin(), gathered);
    step->gathered.assign(gathered, outputs.end());
    widened_.Widen(node_, &step->gathered);
    return true;
  }
  const ByteItems& widened() const { return widened_; }

 private:
  Value IndexOf(const LoopTurn& turn, bool reversed) {
    if (!reversed) return ToTensor(node_, turn.index);
    return ToTensor(node_, node_.builder().EmitScalar(ir::ScalarOp::kSub, {last_, turn.index}));
  }

  NodeContext& node_;
  const ScanPlan& plan_;
  std::vector<Value> scanned_;
  ByteItems cut_, widened_;
  Value last_;
};

Value MessageValue(std::string_view text) { return ir::MakeConstant(Any(std::string(text))); }

// Tensors that are scanned together have one length.
void CheckLengths(NodeContext& node, const ScanPlan& plan, const std::vector<Value>& scanned,
                  const Value& length) {
  const auto dim_of = [&](size_t i) {
    return ir::TensorTypeOf(scanned[i])->dims[static_cast<size_t>(plan.input_axes[i])];
  };
  for (size_t i = 1; i < scanned.size() && node.ok(); ++i) {
    const Dim first = dim_of(0), other = dim_of(i);
    // Equal symbols are equal lengths. Others are compared when the model runs, before the first
    // turn.
    if (first == other) continue;
    if (first.is_constant() && other.is_constant()) {
      return node.Fail("it scans ", first.ToText(), " items of one tensor and ", other.ToText(),
                       " of another");
    }
    const Value extent = ExtentOf(node, scanned[i], plan.input_axes[i]);
    const Value same = node.builder().EmitScalar(ir::ScalarOp::kEq, {length, extent});
    const Value message = MessageValue("a Scan node scans tensors with different numbers of items");
    node.Invoke("tern.assert", {same, message}, ValueType::Tuple({}), true);
  }
}

// The elements of all turns along the axis that the plan says.
Value GatherOutput(NodeContext& node, const ScanPlan& plan, size_t index, const LoopEnd& end,
                   const Dim& count) {
  Value list = end.lists[index];
  if (plan.output_reversed[index])
    list = node.Invoke("tern.list.reverse", {list}, ValueType::List(ValueType()));
  const Value stacked = StackList(node, list, end.elements[index], count);
  if (!node.ok()) return nullptr;
  const int rank = node.RankOf(stacked);
  const int64_t axis = AxisIn(node, "scan_output_axes", plan.output_axes[index], rank);
  // Items are stacked along the first axis, which then goes where it was asked for.
  if (axis <= 0) return stacked;
  ops::TransposeAttrs attrs;
  for (int64_t i = 0; i < rank; ++i) attrs.perm.push_back(i == axis ? 0 : i < axis ? i + 1 : i);
  return node.Call("transpose", {stacked}, attrs.ToAttrs());
}

// values: states, then the tensors to scan; what comes of them has their order.
std::vector<Value> EmitScan(NodeContext& node, ScanPlan plan, const std::vector<Value>& values) {
  const auto split = values.begin() + static_cast<std::ptrdiff_t>(plan.states);
  const std::vector<Value> scanned(split, values.end());
  for (size_t i = 0; i < scanned.size() && node.ok(); ++i) {
    const int rank = node.RankOf(scanned[i]);
    if (rank < 0) node.Fail("it scans ", ir::TypeOf(scanned[i]).ToText(), ", expected a tensor");
    if (node.ok()) plan.input_axes[i] = AxisIn(node, "scan_input_axes", plan.input_axes[i], rank);
  }
  if (!node.ok()) return {};
  LoopStart start;
  start.limit = ExtentOf(node, scanned[0], plan.input_axes[0]);
  start.states.assign(values.begin(), split);
  start.gathered = plan.gathered;
  CheckLengths(node, plan, scanned, start.limit);
  if (!node.ok()) return {};
  // Backwards the turn i takes item last - i.
  const Value last = node.builder().EmitScalar(ir::ScalarOp::kSub,
                                               {start.limit, ir::MakeConstant(Any(int64_t{1}))});
  ScanBody body(node, plan, scanned, last);
  LoopEnd end;
  if (!EmitLoop(node, start, &body, &end)) return {};
  const Dim count = ir::TensorTypeOf(scanned[0])->dims[static_cast<size_t>(plan.input_axes[0])];
  std::vector<Value> outputs = end.states;
  for (size_t i = 0; i < plan.gathered; ++i) {
    const Value stacked = GatherOutput(node, plan, i, end, count);
    outputs.push_back(node.ok() ? body.widened().Narrow(node, i, stacked) : nullptr);
  }
  return outputs;
}

}  // namespace

void ConvertScan(NodeContext& node) {
  ScanPlan plan;
  if (!CountParts(node, node.inputs().size(), &plan) ||
      !ReadAxes(node, "scan_input_axes", plan.scanned, &plan.input_axes) ||
      !ReadAxes(node, "scan_output_axes", plan.gathered, &plan.output_axes) ||
      !ReadDirections(node, "scan_input_directions", plan.scanned, &plan.input_reversed) ||
      !ReadDirections(node, "scan_output_directions", plan.gathered, &plan.output_reversed))
    return;
  for (int i = 0; i < node.input_count(); ++i) {
    if (!node.HasInput(i)) return node.Fail("input ", i, " is left out, but it is not optional");
  }
  const std::vector<Value> outputs = EmitScan(node, plan, node.inputs());
  if (node.ok()) SetOutputs(node, outputs);
}

// --- Scan of opset 8: every tensor has a batch axis in front, and each row is scanned by itself

namespace {

class BatchBody final : public LoopBody {
 public:
  BatchBody(NodeContext& node, const ScanPlan& plan, std::vector<Value> values)
      : node_(node), plan_(plan), values_(std::move(values)) {
    cut_.Widen(node_, &values_);
  }

  bool Convert(const LoopTurn& turn, LoopStep* step) override {
    const Value index = ToTensor(node_, turn.index);
    std::vector<Value> rows;
    for (size_t i = 0; i < values_.size(); ++i)
      rows.push_back(cut_.Narrow(node_, i, ItemOf(node_, values_[i], index, 0)));
    if (!node_.ok()) return false;
    // The scan of one row is a loop inside of the loop over rows.
    step->gathered = EmitScan(node_, plan_, rows);
    if (node_.ok()) widened_.Widen(node_, &step->gathered);
    return node_.ok();
  }
  const ByteItems& widened() const { return widened_; }

 private:
  NodeContext& node_;
  const ScanPlan& plan_;
  std::vector<Value> values_;
  ByteItems cut_, widened_;
};

}  // namespace

void ConvertBatchScan(NodeContext& node) {
  if (node.HasInput(0)) return node.Unsupported("lengths of its sequences (input 0)");
  if (node.inputs().empty()) return node.Fail("it has no inputs, expected tensors to scan");
  const std::vector<Value> values(node.inputs().begin() + 1, node.inputs().end());
  ScanPlan plan;
  if (!CountParts(node, values.size(), &plan) ||
      !ReadDirections(node, "directions", plan.scanned, &plan.input_reversed))
    return;
  plan.input_axes.assign(plan.scanned, 0);
  plan.output_axes.assign(plan.gathered, 0);
  plan.output_reversed.assign(plan.gathered, false);
  for (size_t i = 0; i < values.size(); ++i) {
    // States have the batch axis, tensors to scan also that of their items.
    const int least = i < plan.states ? 1 : 2;
    if (values[i] == nullptr || node.RankOf(values[i]) < least)
      return node.Fail("input ", i + 1, " must be a tensor of rank ", least, " or more");
  }
  LoopStart start;
  start.limit = ExtentOf(node, values[0], 0);
  start.gathered = plan.states + plan.gathered;
  BatchBody body(node, plan, values);
  LoopEnd end;
  if (!EmitLoop(node, start, &body, &end)) return;
  const Dim count = ir::TensorTypeOf(values[0])->dims[0];
  std::vector<Value> outputs;
  for (size_t i = 0; i < end.lists.size(); ++i) {
    const Value stacked = StackList(node, end.lists[i], end.elements[i], count);
    if (!node.ok()) return;
    outputs.push_back(body.widened().Narrow(node, i, stacked));
  }
  outputs.resize(node.node().outputs.size());
  SetOutputs(node, outputs);
}

// --- SequenceMap: a loop over the items of sequences, whose body gives an item of each output

namespace {

class MapBody final : public LoopBody {
 public:
  MapBody(NodeContext& node, const Graph& graph, std::vector<ValueType> items)
      : node_(node), graph_(graph), items_(std::move(items)) {}

  bool Convert(const LoopTurn& turn, LoopStep* step) override {
    std::vector<Value> inputs;
    for (size_t i = 0; i < items_.size(); ++i) {
      const Value& input = node_.inputs()[i];
      if (!items_[i].known()) {
        inputs.push_back(input);
        continue;
      }
      inputs.push_back(node_.Invoke("tern.list.get", {input, turn.index},
                                    WithNames(node_.builder(), items_[i])));
    }
    return node_.Inline(graph_, inputs, &step->gathered);
  }

 private:
  NodeContext& node_;
  const Graph& graph_;
  std::vector<ValueType> items_;  // of the sequences; unknown: a tensor for all turns
};

}  // namespace

void ConvertSequenceMap(NodeContext& node) {
  const Graph* graph = node.Subgraph("body");
  if (!node.ok()) return;
  std::vector<ValueType> items;
  for (int i = 0; i < node.input_count(); ++i) {
    if (!node.HasInput(i)) return node.Fail("input ", i, " is left out, but it is not optional");
    const ValueType type = ir::TypeOf(node.Input(i));
    items.push_back(IsSequence(type) ? type.arguments()[0] : ValueType());
    if (IsSequence(type) && !items.back().is_tensor()) {
      return node.Unsupported("what its sequence holds is not known to be of one rank: ",
                              type.ToText());
    }
  }
  if (!items[0].known()) return node.Fail("input 0 is no sequence");
  LoopStart start;
  start.limit = node.Invoke("tern.list.length", {node.Input(0)}, ValueType::Int());
  start.gathered = graph->outputs.size();
  if (node.node().outputs.size() > start.gathered || start.gathered == 0) {
    return node.Fail("it has ", node.node().outputs.size(), " outputs, but its body gives ",
                     start.gathered);
  }
  MapBody body(node, *graph, std::move(items));
  LoopEnd end;
  if (!EmitLoop(node, start, &body, &end)) return;
  for (size_t i = 0; i < node.node().outputs.size(); ++i) {
    node.SetOutput(static_cast<int>(i),
                   node.builder().BindAs(end.lists[i], ValueType::List(end.elements[i])));
  }
}

}  // namespace tern::onnx
