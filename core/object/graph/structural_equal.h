// SPDX-License-Identifier: Apache-2.0
// Structural equality of whole graphs of values, and where two of them first differ.
//
// Two values are equal when they are of one kind and of equal content, all the way down:
//   text by its characters, however it is held; bytes, code points, shapes, storages by content;
//   numbers of one kind by value; a NaN equals every NaN; an int, a bool and a float never;
//   tensors by dtype, shape and elements (strides and flags do not count);
//   lists and arrays item by item; tuples and adts by tag and fields; closures by function and
//   captures;
//   maps and dicts by key, in whatever order; keys that tables tell apart by identity in their
//   order;
//   types with registered fields field by field; all others (functions, modules) by identity.
// By default a graph that shares a node equals the tree it unfolds to (the DAG is the tree); with
// compare_sharing, nodes that one side shares the other must share alike. Graphs with cycles are
// compared too, and never walked twice. The stack is on the heap, however deep the graphs are. Safe
// to call from several threads on values that nobody changes meanwhile.
#ifndef TERN_CORE_OBJECT_GRAPH_STRUCTURAL_EQUAL_H_
#define TERN_CORE_OBJECT_GRAPH_STRUCTURAL_EQUAL_H_

#include <optional>
#include <string>

#include "core/object/any.h"

namespace tern {

struct EqualOptions {
  bool compare_sharing = false;
};

struct Difference {
  std::string path;  // `.fields[1][3]`, `["key"].radius`; "" for the values themselves
  std::string what;  // "int 3 against int 4"
};

// Walks both graphs in order and stops at the first difference.
std::optional<Difference> FirstDifference(const AnyView& a, const AnyView& b,
                                          const EqualOptions& options = {});
bool StructuralEqual(const AnyView& a, const AnyView& b, const EqualOptions& options = {});

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_STRUCTURAL_EQUAL_H_
