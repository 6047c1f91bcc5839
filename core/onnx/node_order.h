// SPDX-License-Identifier: Apache-2.0
// OrderNodes: an order in which every node comes after those whose outputs it takes.
#ifndef TERN_CORE_ONNX_NODE_ORDER_H_
#define TERN_CORE_ONNX_NODE_ORDER_H_

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/onnx/model.h"

namespace tern::onnx {

// "'conv1'", or "with output 'y'" for a node without a name.
std::string NodeLabel(const Node& node);

struct NodeOrder {
  std::vector<size_t> order;  // empty if there is a cycle
  std::vector<size_t> cycle;  // the nodes of one cycle, each taking an output of the one before it
};

// What a node's subgraphs take of the graph around it counts as its inputs.
// producers: the node that makes a value. The file's own order is kept where it is a good one.
NodeOrder OrderNodes(std::span<const Node> nodes,
                     const std::unordered_map<std::string_view, size_t>& producers);

// The nodes that `value` needs if the values of `given` are there, each after those whose outputs
// it takes. The graph has no cycle.
std::vector<size_t> NodesBehind(std::span<const Node> nodes, std::string_view value,
                                std::span<const std::string_view> given);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_NODE_ORDER_H_
