// SPDX-License-Identifier: Apache-2.0
#include "native/cli/reduce_model.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "native/cli/minimize.h"

namespace tern::cli {
namespace {

// A value of the graph as an input or output: with its type where the model tells it.
GraphPart PartFor(const OnnxGraph& graph, const std::string& name) {
  for (const auto* parts : {&graph.types, &graph.outputs, &graph.inputs}) {
    for (const GraphPart& part : *parts)
      if (part.name == name) return part;
  }
  // A ValueInfoProto with nothing but a name.
  std::string bytes = "\x0a";
  for (size_t size = name.size(); size >= 0x80; size >>= 7) bytes += static_cast<char>(size | 0x80);
  size_t last = name.size();
  while (last >= 0x80) last >>= 7;
  bytes += static_cast<char>(last);
  return {name, bytes + name};
}

template <typename T>
std::vector<T> Pick(const std::vector<T>& items, const std::vector<size_t>& kept) {
  std::vector<T> picked;
  for (const size_t i : kept) picked.push_back(items[i]);
  return picked;
}

class ModelReducer {
 public:
  ModelReducer(OnnxGraph graph, const HoldsFor& holds) : graph_(std::move(graph)), holds_(holds) {}

  OnnxGraph Reduce() {
    // Until a round makes nothing smaller.
    for (size_t before = SIZE_MAX; graph_.Serialize().size() < before;) {
      before = graph_.Serialize().size();
      LeaveOutputsOut();
      CutBehind();
      LeaveNodesOut();
      BypassNodes();
      LeaveFunctionsOut();
      LeaveDescriptionsOut();
      ShrinkExtents();
    }
    return std::move(graph_);
  }

 private:
  // Takes the candidate if the check holds for it.
  bool Try(OnnxGraph candidate) {
    candidate.RemoveUnused();
    if (candidate.outputs.empty() || !holds_(candidate.Serialize())) return false;
    graph_ = std::move(candidate);
    return true;
  }

  void LeaveOutputsOut() {
    const OnnxGraph whole = graph_;
    MinimizeList(whole.outputs.size(), [&](const std::vector<size_t>& kept) {
      OnnxGraph candidate = whole;
      candidate.outputs = Pick(whole.outputs, kept);
      return Try(std::move(candidate));
    });
  }

  // The model up to a node, with what that node makes as its outputs.
  bool TryCut(const OnnxGraph& whole, size_t node) {
    OnnxGraph candidate = whole;
    candidate.outputs.clear();
    for (const std::string& name : whole.nodes[node].outputs)
      if (!name.empty()) candidate.outputs.push_back(PartFor(whole, name));
    return Try(std::move(candidate));
  }

  // By halving, as if what holds behind one node held behind all later ones.
  void CutBehind() {
    const OnnxGraph whole = graph_;
    size_t low = 0, high = whole.nodes.size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (TryCut(whole, middle))
        high = middle;
      else
        low = middle + 1;
    }
  }

  // What nodes made that are gone becomes an input.
  void LeaveNodesOut() {
    const OnnxGraph whole = graph_;
    MinimizeList(whole.nodes.size(), [&](const std::vector<size_t>& kept) {
      OnnxGraph candidate = whole;
      candidate.nodes = Pick(whole.nodes, kept);
      std::set<std::string> made;
      for (const GraphNode& node : candidate.nodes)
        made.insert(node.outputs.begin(), node.outputs.end());
      for (const GraphNode& node : whole.nodes)
        for (const std::string& name : node.outputs)
          if (!name.empty() && made.count(name) == 0)
            candidate.inputs.push_back(PartFor(whole, name));
      return Try(std::move(candidate));
    });
  }

  // A node's first input in place of its first output. Names that subgraphs take stay.
  bool TryBypass(size_t index) {
    OnnxGraph candidate = graph_;
    const GraphNode node = candidate.nodes[index];
    if (node.inputs.empty() || node.inputs[0].empty() || node.outputs.empty()) return false;
    candidate.nodes.erase(candidate.nodes.begin() + static_cast<ptrdiff_t>(index));
    for (GraphNode& other : candidate.nodes) {
      if (other.captured.count(node.outputs[0]) > 0) return false;
      std::replace(other.inputs.begin(), other.inputs.end(), node.outputs[0], node.inputs[0]);
    }
    for (GraphPart& output : candidate.outputs)
      if (output.name == node.outputs[0]) output = PartFor(graph_, node.inputs[0]);
    return Try(std::move(candidate));
  }

  void BypassNodes() {
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
      // A node that went may have taken others along.
      if (i < graph_.nodes.size()) TryBypass(i);
    }
  }

  void LeaveFunctionsOut() {
    const OnnxGraph whole = graph_;
    MinimizeList(whole.functions.size(), [&](const std::vector<size_t>& kept) {
      OnnxGraph candidate = whole;
      candidate.functions = Pick(whole.functions, kept);
      return Try(std::move(candidate));
    });
  }

  // Texts about the model: its producer, doc strings, metadata, names of nodes; and types.
  void LeaveDescriptionsOut() {
    OnnxGraph candidate = graph_;
    const auto drop = [](std::vector<WireField>* fields, std::set<uint32_t> numbers) {
      std::erase_if(*fields, [&](const WireField& f) { return numbers.count(f.number) > 0; });
    };
    drop(&candidate.model_fields, {2, 3, 4, 5, 6, 14});
    drop(&candidate.graph_fields, {10, 14, 16});
    for (GraphNode& node : candidate.nodes) drop(&node.fields, {3, 6, 9});
    Try(std::move(candidate));
    candidate = graph_;
    candidate.types.clear();
    Try(std::move(candidate));
  }

  void ShrinkExtents() {
    for (int64_t extent : ExtentsOf(graph_)) {
      if (Try(WithExtent(graph_, extent, 1))) continue;
      while (extent > 2 && Try(WithExtent(graph_, extent, extent / 2))) extent /= 2;
    }
  }

  OnnxGraph graph_;
  const HoldsFor& holds_;
};

}  // namespace

OnnxGraph ReduceModel(OnnxGraph graph, const HoldsFor& holds) {
  return ModelReducer(std::move(graph), holds).Reduce();
}

}  // namespace tern::cli
