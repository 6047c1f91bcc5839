// SPDX-License-Identifier: Apache-2.0
// Files list nodes in order, as the standard demands; some tools forget, so the rest is sorted
// here.
#include "core/onnx/node_order.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::onnx {
namespace {

using Producers = std::unordered_map<std::string_view, size_t>;

class Sorter {
 public:
  Sorter(std::span<const Node> nodes, const Producers& producers)
      : nodes_(nodes), producers_(producers), states_(nodes.size(), State::kNew) {}

  NodeOrder Sort() {
    for (size_t i = 0; i < nodes_.size() && result_.cycle.empty(); ++i) Visit(i);
    if (!result_.cycle.empty()) result_.order.clear();
    return std::move(result_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    size_t node;
    size_t next_input = 0;
  };

  // Depth first with a stack of our own: models may be deeper than the machine's.
  void Visit(size_t root) {
    if (states_[root] != State::kNew) return;
    Open(root);
    while (!stack_.empty() && result_.cycle.empty()) {
      Frame& top = stack_.back();
      if (top.next_input < nodes_[top.node].inputs.size()) {
        Follow(nodes_[top.node].inputs[top.next_input++]);
      } else {
        states_[top.node] = State::kDone;
        result_.order.push_back(top.node);
        stack_.pop_back();
      }
    }
  }

  void Open(size_t node) {
    states_[node] = State::kOpen;
    stack_.push_back({node});
  }

  void Follow(std::string_view input) {
    const auto found = producers_.find(input);
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

NodeOrder OrderNodes(std::span<const Node> nodes, const Producers& producers) {
  return Sorter(nodes, producers).Sort();
}

}  // namespace tern::onnx
