// SPDX-License-Identifier: Apache-2.0
// Gradient (ai.onnx.preview.training) names values of the graph around it. What lies between xs
// and y is converted a second time, with the node's inputs in place of xs and zs, and
// differentiated. Where the inputs are the values themselves, a pass merges the equal calls.
#include <utility>

#include "core/onnx/convert/converters.h"
#include "core/onnx/gradient/derive.h"

namespace tern::onnx {
namespace {

// The names of an attribute; a hostile list of one name twice would have two meanings.
bool CheckNames(NodeContext& node, const std::vector<std::string_view>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (names[i] == names[j]) node.Fail("'", names[i], "' is named twice in xs and zs");
    }
  }
  return node.ok();
}

}  // namespace

void ConvertGradient(NodeContext& node) {
  std::vector<std::string_view> names = node.TextList("xs");
  const size_t count = names.size();
  for (const std::string_view name : node.TextList("zs")) names.push_back(name);
  const std::string_view y = node.Text("y", "");
  if (count == 0 || y.empty())
    return node.Fail("attribute '", count == 0 ? "xs" : "y", "' is missing");
  if (names.size() != static_cast<size_t>(node.input_count())) {
    return node.Fail("it has ", node.input_count(), " inputs, expected ", names.size(),
                     ", one for each name of xs and zs");
  }
  if (!CheckNames(node, names)) return;
  // Variables of their own, so that equal inputs stay apart.
  std::vector<Value> values = node.inputs();
  for (size_t i = 0; i < count && node.ok(); ++i) {
    if (values[i] == nullptr) return node.Fail("input ", i, " is left out, but it is not optional");
    if (!node.DTypeOf(values[i]).is_float()) {
      return node.Fail("'", names[i], "' holds ", node.DTypeOf(values[i]).ToString(),
                       ", expected floats");
    }
    values[i] = node.Call("identity", {values[i]});
  }
  const Value result = node.Recompute(y, names, values);
  if (result == nullptr) return;
  if (!node.DTypeOf(result).is_float())
    return node.Fail("y, '", y, "', holds ", node.DTypeOf(result).ToString(), ", expected floats");
  const std::vector<Value> gradients = Derive(node, result, {values.data(), count});
  for (size_t i = 0; i < gradients.size(); ++i) node.SetOutput(static_cast<int>(i), gradients[i]);
}

}  // namespace tern::onnx
