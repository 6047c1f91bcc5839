// SPDX-License-Identifier: Apache-2.0
// Files list nodes in order, as the standard demands; some tools forget, so the rest is sorted
// here.
#include "core/onnx/node_order.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>

#include "core/base/strings.h"

namespace tern::onnx {
namespace {

using Producers = std::unordered_map<std::string_view, size_t>;

using Names = std::vector<std::string_view>;

// The names that a graph uses and does not make. The depth is that of messages in a file.
void CollectCaptured(const Graph& graph, std::unordered_set<std::string_view>* captured);

void CollectCapturedBy(const Node& node, std::unordered_set<std::string_view>* captured) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.graph != nullptr) CollectCaptured(*attribute.graph, captured);
    for (const Graph& graph : attribute.graphs) CollectCaptured(graph, captured);
  }
}

void CollectCaptured(const Graph& graph, std::unordered_set<std::string_view>* captured) {
  std::unordered_set<std::string_view> used, made;
  for (const ValueInfo& info : graph.inputs) made.insert(info.name);
  for (const Tensor& tensor : graph.initializers) made.insert(tensor.name);
  for (const SparseTensor& tensor : graph.sparse_initializers) made.insert(tensor.values.name);
  // A branch may give a value of the graph around it without any node of its own.
  for (const ValueInfo& info : graph.outputs) used.insert(info.name);
  for (const Node& node : graph.nodes) {
    made.insert(node.outputs.begin(), node.outputs.end());
    used.insert(node.inputs.begin(), node.inputs.end());
    CollectCapturedBy(node, &used);
  }
  for (const std::string_view name : used) {
    if (!made.contains(name)) captured->insert(name);
  }
}

// The inputs, and what subgraphs capture, in an order that does not depend on hashing.
Names UsesOf(const Node& node) {
  std::unordered_set<std::string_view> captured;
  CollectCapturedBy(node, &captured);
  Names uses = node.inputs;
  uses.insert(uses.end(), captured.begin(), captured.end());
  std::sort(uses.begin() + static_cast<std::ptrdiff_t>(node.inputs.size()), uses.end());
  return uses;
}

class Sorter {
 public:
  Sorter(std::span<const Node> nodes, const Producers& producers)
      : nodes_(nodes), producers_(producers), states_(nodes.size(), State::kNew) {}

  NodeOrder Sort() {
    // From the first node on, so that an order that was right stays as it was.
    for (size_t i = 0; i < nodes_.size() && result_.cycle.empty(); ++i) Visit(i);
    // A part of an order would be taken for one.
    if (!result_.cycle.empty()) result_.order.clear();
    return std::move(result_);
  }

  NodeOrder SortBehind(std::string_view value) {
    const auto found = producers_.find(value);
    if (found != producers_.end()) Visit(found->second);
    return std::move(result_);
  }

 private:
  // A node is open while those that it needs are visited: to meet it again then is a circle.
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    size_t node;
    Names uses;
    size_t next = 0;
  };

  // Depth first with a stack of our own: models may be deeper than the machine's.
  void Visit(size_t root) {
    if (states_[root] != State::kNew) return;
    Open(root);
    while (!stack_.empty() && result_.cycle.empty()) {
      Frame& top = stack_.back();
      if (top.next < top.uses.size()) {
        Follow(top.uses[top.next++]);
      } else {
        states_[top.node] = State::kDone;
        result_.order.push_back(top.node);
        stack_.pop_back();
      }
    }
  }

  void Open(size_t node) {
    states_[node] = State::kOpen;
    stack_.push_back({node, UsesOf(nodes_[node])});
  }

  void Follow(std::string_view input) {
    const auto found = producers_.find(input);
    // What no node makes is an input, an initializer or a mistake, and the importer tells which.
    if (input.empty() || found == producers_.end()) return;
    if (states_[found->second] == State::kNew)
      Open(found->second);
    else if (states_[found->second] == State::kOpen)
      KeepCycle(found->second);
  }

  // The open nodes from `first` on; the stack goes from consumer to producer.
  void KeepCycle(size_t first) {
    for (size_t i = stack_.size(); i > 0; --i) {
      result_.cycle.push_back(stack_[i - 1].node);
      if (stack_[i - 1].node == first) return;
    }
  }

  std::span<const Node> nodes_;
  const Producers& producers_;
  std::vector<State> states_;
  std::vector<Frame> stack_;
  NodeOrder result_;
};

}  // namespace

std::string NodeLabel(const Node& node) {
  if (!node.name.empty()) return StrCat("'", node.name, "'");
  for (const std::string_view output : node.outputs) {
    if (!output.empty()) return StrCat("with output '", output, "'");
  }
  return "without a name";
}

std::vector<size_t> NodesBehind(std::span<const Node> nodes, std::string_view value,
                                std::span<const std::string_view> given) {
  Producers producers;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string_view output : nodes[i].outputs) producers.emplace(output, i);
  }
  // What is given is not computed again, nor what only it needs.
  for (const std::string_view name : given) producers.erase(name);
  return Sorter(nodes, producers).SortBehind(value).order;
}

NodeOrder OrderNodes(std::span<const Node> nodes, const Producers& producers) {
  return Sorter(nodes, producers).Sort();
}

}  // namespace tern::onnx
