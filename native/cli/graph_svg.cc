// SPDX-License-Identifier: Apache-2.0
// Layers by the longest way from a parameter, boxes of a layer side by side in the order of the
// code. Simple, the same every time, and readable for the chains with short branches that models
// are.
#include "native/cli/graph_svg.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/svg.h"

namespace tern::cli {
namespace {

constexpr double kBoxHeight = 38, kLayer = 66, kGap = 16, kMargin = 20, kTitleHeight = 40;
constexpr size_t kWidestLabel = 44;

struct Node {
  std::string label, detail, hint;
  bool is_input = false;
  std::vector<size_t> reads;  // nodes before this one
  size_t layer = 0;
  double x = 0, width = 0;
};

// What one function's picture is made of, top to bottom by layers.
struct FunctionGraph {
  std::string name;
  std::vector<Node> nodes;
  size_t layers = 0;
  double width = 0;
};

std::string Cut(std::string_view text) {
  return text.size() <= kWidestLabel ? std::string(text)
                                     : StrCat(text.substr(0, kWidestLabel - 3), "...");
}

size_t IndexOf(const JsonValue& object, std::string_view name) {
  return static_cast<size_t>(ParseUint64(OptionalTextOf(object, name)).value_or(0));
}

// "call conv2d{strides=2,2} in: …": "conv2d" and "strides=2,2".
void NameNode(const JsonValue& instruction, Node* node) {
  const std::string& text = TextOf(instruction, "text");
  const std::string& opcode = TextOf(instruction, "opcode");
  node->label = opcode;
  node->hint = StrCat(TextOf(instruction, "pc"), ": ", text);
  const std::string source = OptionalTextOf(instruction, "source");
  if (!source.empty()) StrAppend(&node->hint, " (", source, ")");
  for (const JsonValue& operand : Member(instruction, "operands").items) {
    const std::vector<JsonValue>& span = Member(operand, "span").items;
    if (TextOf(operand, "name") != "callee" || span.size() != 2) continue;
    const size_t begin = static_cast<size_t>(ParseUint64(span[0].text).value_or(0));
    const size_t end = static_cast<size_t>(ParseUint64(span[1].text).value_or(0));
    if (begin >= end || end > text.size()) continue;
    const std::string callee = text.substr(begin, end - begin);
    const size_t brace = std::min(callee.find('{'), callee.size());
    node->label = Cut(callee.substr(0, brace));
    if (brace + 1 < callee.size())
      node->detail = Cut(callee.substr(brace + 1, callee.size() - brace - 2));
  }
}

// Follows the registers of one function.
class GraphReader {
 public:
  FunctionGraph Read(const JsonValue& function, const std::vector<JsonValue>& instructions) {
    graph_.name = TextOf(function, "name");
    const std::vector<JsonValue>& params = Member(function, "params").items;
    for (size_t i = 0; i < params.size(); ++i) {
      Node node;
      node.label = Cut(OptionalTextOf(params[i], "name"));
      node.detail = Cut(OptionalTextOf(params[i], "type"));
      node.hint = StrCat("parameter ", node.label, ": ", OptionalTextOf(params[i], "type"));
      node.is_input = true;
      writer_[i] = graph_.nodes.size();
      graph_.nodes.push_back(std::move(node));
    }
    const size_t first = IndexOf(function, "first");
    const size_t end = std::min(first + IndexOf(function, "count"), instructions.size());
    for (size_t pc = first; pc < end; ++pc) Add(instructions[pc]);
    return std::move(graph_);
  }

 private:
  void Add(const JsonValue& instruction) {
    // The end of a value computes nothing.
    if (TextOf(instruction, "opcode") == "kill") return;
    Node node;
    NameNode(instruction, &node);
    std::vector<size_t> written;
    for (const JsonValue& operand : Member(instruction, "operands").items) {
      if (TextOf(operand, "kind") != "register") continue;
      const size_t index = IndexOf(operand, "value");
      if (TextOf(operand, "role") == "w")
        written.push_back(index);
      else if (const auto at = writer_.find(index); at != writer_.end())
        AddRead(at->second, &node);
    }
    for (const size_t index : written) writer_[index] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }

  void AddRead(size_t from, Node* node) {
    if (std::find(node->reads.begin(), node->reads.end(), from) == node->reads.end())
      node->reads.push_back(from);
    node->layer = std::max(node->layer, graph_.nodes[from].layer + 1);
  }

  FunctionGraph graph_;
  std::map<size_t, size_t> writer_;  // node by register
};

void LayOut(FunctionGraph* graph) {
  std::map<size_t, double> widths;  // of layers
  for (Node& node : graph->nodes) {
    const size_t letters = std::max(node.label.size(), node.detail.size());
    // Letters of this size are about 7.2 wide; nobody is there yet who could measure them.
    node.width = std::max(80.0, 7.2 * static_cast<double>(letters) + 20);
    double& width = widths[node.layer];
    node.x = width;
    width += node.width + kGap;
    graph->width = std::max(graph->width, width - kGap);
    graph->layers = std::max(graph->layers, node.layer + 1);
  }
  // Layers are centred above each other, so that lines of a chain run straight down.
  for (Node& node : graph->nodes)
    node.x += kMargin + (graph->width - (widths[node.layer] - kGap)) / 2;
}

double TopOf(const Node& node, double top) {
  return top + kTitleHeight + kLayer * static_cast<double>(node.layer);
}

void Draw(const FunctionGraph& graph, double top, Svg* svg) {
  svg->Text(kMargin, top + 24, StrCat("@", graph.name), 16);
  // Lines first, so that boxes lie over them.
  for (const Node& node : graph.nodes) {
    for (const size_t from : node.reads) {
      const Node& read = graph.nodes[from];
      svg->Curve(read.x + read.width / 2, TopOf(read, top) + kBoxHeight, node.x + node.width / 2,
                 TopOf(node, top));
    }
  }
  for (const Node& node : graph.nodes) {
    const double y = TopOf(node, top), middle = node.x + node.width / 2;
    svg->Rect(node.x, y, node.width, kBoxHeight, node.is_input ? "input" : "box", node.hint);
    svg->Text(middle, y + (node.detail.empty() ? 23 : 16), node.label, 13, "middle");
    if (!node.detail.empty()) svg->Text(middle, y + 31, node.detail, 10, "middle");
  }
}

}  // namespace

std::string GraphSvg(const JsonValue& listing) {
  Svg svg(
      "Program",
      "Each function from top to bottom: its parameters, then its instructions, each below what "
      "it reads.");
  double top = 0, width = 0;
  for (const JsonValue& function : Member(listing, "functions").items) {
    FunctionGraph graph = GraphReader().Read(function, Member(listing, "instructions").items);
    LayOut(&graph);
    Draw(graph, top, &svg);
    top += kTitleHeight + kLayer * static_cast<double>(graph.layers);
    width = std::max(width, graph.width);
  }
  return svg.Take(width + 2 * kMargin, top + kMargin);
}

}  // namespace tern::cli
