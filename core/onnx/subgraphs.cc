// SPDX-License-Identifier: Apache-2.0
// Subgraphs of nodes, values computed a second time, and branches that end in values of different
// rank.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/strings.h"
#include "core/ir/control.h"
#include "core/onnx/convert/value_types.h"
#include "core/onnx/import_state.h"
#include "core/onnx/node_order.h"

namespace tern::onnx {
namespace {

// Sees the values of `scope`, and is of the same function.
Scope InnerScope(const Scope& scope, std::span<const Node> nodes, std::string prefix) {
  Scope inner;
  inner.nodes = nodes;
  inner.imports = scope.imports;
  inner.function = scope.function;
  inner.attributes = scope.attributes;
  inner.outer = &scope;
  inner.sees_outer = true;
  inner.prefix = std::move(prefix);
  return inner;
}

}  // namespace

std::vector<std::string_view> OutputNames(const Graph& graph) {
  std::vector<std::string_view> names;
  for (const ValueInfo& info : graph.outputs) names.push_back(info.name);
  return names;
}

// ---- subgraphs

// Of the graph's inputs those that are no initializers: up to IR version 3 these were listed, too.
bool Importer::DefineInputs(Scope* inner, const Node& node, const Graph& graph,
                            const std::vector<Value>& inputs) {
  std::vector<std::string_view> names;
  for (const ValueInfo& info : graph.inputs) {
    if (!inner->values.contains(info.name)) names.push_back(info.name);
  }
  if (names.size() != inputs.size()) {
    Error("E0403", StrCat(node.op_type, ": its subgraph '", graph.name, "' has ", names.size(),
                          " inputs, expected ", inputs.size()))
        .InNode(inner->prefix.substr(0, inner->prefix.size() - 1));
    return false;
  }
  for (size_t i = 0; i < names.size(); ++i)
    Define(inner, names[i], inputs[i], "input of a subgraph");
  return true;
}

bool Importer::TakeOutputs(const Scope& inner, const Graph& graph, std::vector<Value>* outputs) {
  bool good = true;
  for (const ValueInfo& info : graph.outputs) {
    // Looked for outside as well: an output may be a value of the graph around this one.
    const Value* found = inner.Find(info.name);
    if (found == nullptr || *found == nullptr) {
      Error("E0405", StrCat("output '", info.name, "' of the subgraph '", graph.name,
                            "' is made by no node"))
          .InNode(inner.prefix.substr(0, inner.prefix.size() - 1));
    }
    const bool usable = found != nullptr && *found != nullptr && !IsUnknown(*found);
    outputs->push_back(usable ? *found : nullptr);
    good = good && usable;
  }
  return good;
}

bool Importer::InlineGraph(const Scope& scope, const Node& node, const Graph& graph,
                           const std::vector<Value>& inputs, std::vector<Value>* outputs) {
  if (scope.depth() >= kMaxDepth) {
    Error("E0405", StrCat("subgraphs and functions are nested more than ", kMaxDepth, " deep"))
        .InNode(StrCat(scope.prefix, OriginOf(node)));
    return false;
  }
  const size_t errors = diagnostics_->error_count();
  const std::string origin = builder_.origin();
  Scope inner = InnerScope(scope, graph.nodes, StrCat(scope.prefix, OriginOf(node), "/"));
  // Initializers come first, because DefineInputs takes what has a value already for no input.
  AddInitializers(&inner, graph);
  bool good = DefineInputs(&inner, node, graph, inputs);
  if (good) ConvertNodes(&inner, OutputNames(graph));
  good = good && diagnostics_->error_count() == errors && TakeOutputs(inner, graph, outputs);
  builder_.SetOrigin(origin);
  builder_.SetName("");
  return good;
}

// ---- values computed again

// The nodes that the value needs are converted into a scope inside this one, where `names` stand
// for other values. A value that depends on the node itself ends at the limit of depth.
bool Importer::Recompute(const Scope& scope, const Node& node, std::string_view name,
                         const Names& names, const std::vector<Value>& values, Value* result) {
  if (!diagnostics_->ok()) return false;
  const std::string label = StrCat(scope.prefix, OriginOf(node));
  if (scope.depth() >= kMaxDepth) {
    Error("E0405", StrCat(node.op_type, ": '", name, "' depends on it, or more than ", kMaxDepth,
                          " need each other"))
        .InNode(label);
    return false;
  }
  // Looking at all nodes is work, too.
  constexpr size_t kNodesLookedAtForOne = 100;
  converted_ += static_cast<int>(scope.nodes.size() / kNodesLookedAtForOne);
  Scope inner = InnerScope(scope, scope.nodes, scope.prefix);
  for (size_t i = 0; i < names.size(); ++i) inner.values.emplace(names[i], values[i]);
  const std::string origin = builder_.origin();
  ConvertFrom(&inner, NodesBehind(scope.nodes, name, names), {name});
  builder_.SetOrigin(origin);
  builder_.SetName("");
  if (!diagnostics_->ok()) return false;
  const Value* found = inner.Find(name);
  if (found == nullptr || *found == nullptr || IsUnknown(*found)) {
    ReportMissing(scope, node, name);
    return false;
  }
  *result = *found;
  return true;
}

// ---- branches of different rank

// order begins with the node that splits. What is told on the way is kept apart.
Importer::Way Importer::ConvertWay(const Scope& scope, std::span<const size_t> order,
                                   const Names& outputs, const Graph& graph) {
  const Node& node = scope.nodes[order[0]];
  const text::Diagnostics before = *diagnostics_;
  const auto reported = reported_;
  const auto warned = warned_;
  // A way may define what the other defines too.
  Scope copy = scope;
  Way way;
  builder_.BeginBlock();
  std::vector<Value> made;
  if (InlineGraph(copy, node, graph, {}, &made)) {
    SetOutputs(&copy, node, made);
    ConvertFrom(&copy, order.subspan(1), outputs);
  }
  const bool good = diagnostics_->error_count() == before.error_count();
  for (size_t i = 0; good && i < outputs.size(); ++i) way.outputs.push_back(*copy.Find(outputs[i]));
  const bool one = way.outputs.size() == 1;
  way.block = builder_.EndBlock(one ? way.outputs[0] : ir::MakeTuple(way.outputs));
  way.diagnostics = *diagnostics_;
  if (good) return way;
  for (const text::Diagnostic& item : diagnostics_->items().subspan(before.items().size())) {
    if (way.error.empty() && item.severity == text::Severity::kError) way.error = item.message;
  }
  *diagnostics_ = before;
  // So that the other way reports what it finds, also where this one did before.
  reported_ = reported;
  warned_ = warned;
  return way;
}

// A run that comes here ends with the error that the importer found.
ir::LetPtr Importer::FailingBlock(const Node& node, const Way& way, int which,
                                  const types::Type& type) {
  const std::string message =
      StrCat("If ", NodeLabel(node), " takes its ", which == 0 ? "then" : "else",
             " branch, whose result does not fit the nodes behind it: ", way.error);
  diagnostics_->Warning("E0404", StrCat("where ", message)).InFile(options_.file);
  builder_.BeginBlock();
  Value end = builder_.BindAs(ir::MakeFatal(message), type);
  return builder_.EndBlock(std::move(end));
}

void Importer::JoinWays(Scope* scope, const Node& node, const Names& outputs,
                        const Value& condition, Way* ways) {
  std::vector<types::Type> types;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<Value>&a = ways[0].outputs, &b = ways[1].outputs;
    const types::Type first = ir::TypeOf(a.empty() ? b[i] : a[i]);
    if (!first.known()) return;  // what is wrong was told before
    const types::Type merged = MergeTypes(first, ir::TypeOf(b.empty() ? a[i] : b[i]));
    if (!merged.known()) {
      Error("E0404", StrCat("If: ", split_reason_)).InNode(StrCat(scope->prefix, OriginOf(node)));
      return;
    }
    // Extents in which the ways differ are open to what is behind, and need names.
    types.push_back(WithNames(builder_, merged));
  }
  const bool one = types.size() == 1;
  const types::Type type = one ? types[0] : types::Type::Tuple(types);
  for (int i = 0; i < 2; ++i) {
    if (ways[i].outputs.empty()) ways[i].block = FailingBlock(node, ways[i], i, type);
  }
  const Value result = builder_.BindAs(ir::MakeIf(condition, ways[0].block, ways[1].block), type);
  for (size_t i = 0; i < outputs.size(); ++i)
    scope->values[outputs[i]] = one ? result : builder_.Field(result, static_cast<int>(i));
}

void Importer::SplitAt(Scope* scope, std::span<const size_t> order, const Names& outputs,
                       const NodeContext::Split& split) {
  const Node& node = scope->nodes[order[0]];
  Names wanted;
  for (const std::string_view name : outputs) {
    const bool made = std::any_of(order.begin(), order.end(), [&](size_t index) {
      const auto& names = scope->nodes[index].outputs;
      return std::find(names.begin(), names.end(), name) != names.end();
    });
    if (made && std::find(wanted.begin(), wanted.end(), name) == wanted.end())
      wanted.push_back(name);
  }
  if (wanted.empty()) return;  // nothing behind the node is read
  const std::string origin = builder_.origin(), reason = split_reason_;
  ++splits_;
  Way ways[2];
  for (int i = 0; i < 2; ++i) ways[i] = ConvertWay(*scope, order, wanted, *split.graphs[i]);
  --splits_;
  builder_.SetOrigin(origin);
  split_reason_ = reason;
  if (ways[0].outputs.empty() && ways[1].outputs.empty()) {
    *diagnostics_ = ways[0].diagnostics;
    return;
  }
  JoinWays(scope, node, wanted, split.condition, ways);
}

}  // namespace tern::onnx
