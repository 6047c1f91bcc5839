// SPDX-License-Identifier: Apache-2.0
// Scope: the values of one graph, subgraph or function body by name, and what its nodes are read
// with.
#ifndef TERN_CORE_ONNX_GRAPH_SCOPE_H_
#define TERN_CORE_ONNX_GRAPH_SCOPE_H_

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

// "" for the default domain, which may also be spelled "ai.onnx".
inline std::string_view PlainDomain(std::string_view domain) {
  return domain == "ai.onnx" ? "" : domain;
}
// For texts: the standard's own domain is empty in files, and has this name in its documents.
inline std::string_view ShownDomain(std::string_view domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

// What a node finds the function of a model by; line breaks keep the parts apart.
inline std::string FunctionKey(std::string_view domain, std::string_view name,
                               std::string_view overload) {
  return StrCat(PlainDomain(domain), "\n", name, "\n", overload);
}

struct Scope {
  std::span<const Node> nodes;
  std::span<const OpsetImport> imports;
  // A null value is an optional parameter of a function that the caller left out.
  std::unordered_map<std::string_view, Value> values;

  // Of a function body and of the subgraphs in it.
  const Function* function = nullptr;
  FunctionAttributes attributes;
  // Of a function body or a subgraph: the scope of the node that has or calls it.
  const Scope* outer = nullptr;
  bool sees_outer = false;  // of a subgraph: the values around it are its own, where not hidden
  std::string prefix;       // "block1/": names that node in the names of the nodes inside

  // The version of a domain; 0 if it is not imported.
  int64_t OpsetOf(std::string_view domain) const;
  bool IsInside(const Function& function) const;
  // The value of that name here or, for a subgraph, in the graphs around it; null if there is none.
  const Value* Find(std::string_view name) const;
  int depth() const;
};

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_GRAPH_SCOPE_H_
