// SPDX-License-Identifier: Apache-2.0
// Derive: reverse-mode differentiation of what the builder has bound.
//
// It goes back from y over the definitions of the values, so it differentiates operators of
// core/ops, whatever nodes and functions they were converted from, gradients included. Control flow
// that depends on an x is refused, and so is every operator without a rule (rules.def), with the
// name of the node it came from.
#ifndef TERN_CORE_ONNX_GRADIENT_DERIVE_H_
#define TERN_CORE_ONNX_GRADIENT_DERIVE_H_

#include <span>
#include <vector>

#include "core/onnx/node_context.h"

namespace tern::onnx {

// The gradient of the sum of y's elements by each of xs, in their shapes; zeros where y does not
// depend on one. xs: variables of floats, each another one. Fails the node where that is not
// possible.
std::vector<Value> Derive(NodeContext& node, const Value& y, std::span<const Value> xs);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_GRADIENT_DERIVE_H_
