// SPDX-License-Identifier: Apache-2.0
// Rules of differentiation: from the gradient of an operator's results to those of its arguments.
//
// A rule sees one call of core/ops on the way back from y and gives each argument that y depends on
// through it a gradient of the shape of the result, or of the argument: the step sums up what was
// broadcast. What it calls are ordinary operators, so a gradient can be differentiated again.
#ifndef TERN_CORE_ONNX_GRADIENT_RULES_H_
#define TERN_CORE_ONNX_GRADIENT_RULES_H_

#include <utility>
#include <vector>

#include "core/ir/expr.h"
#include "core/onnx/convert/compose.h"
#include "core/onnx/node_context.h"

namespace tern::onnx {

// Takes the gradient of a value, one of several that are added up.
class GradientSink {
 public:
  virtual void Take(const Value& value, const Value& gradient) = 0;

 protected:
  ~GradientSink() = default;
};

// One call, while its arguments are given their gradients.
class GradientStep {
 public:
  // results, gradients: one for each result; a gradient is null where y does not depend on it.
  // active: whether a gradient of argument i is wanted.
  struct Setup {
    const ir::Call* call;
    std::vector<Value> results, gradients;
    std::vector<bool> active;
    GradientSink* sink;
  };
  GradientStep(NodeContext& node, Setup setup) : node(node), in(node), setup_(std::move(setup)) {}

  NodeContext& node;
  Compose in;

  const ir::Call& call() const { return *setup_.call; }
  size_t arg_count() const { return setup_.call->args().size(); }
  // Null where it is missing.
  Value arg(size_t index) const;
  const Value& result(size_t index = 0) const { return setup_.results[index]; }
  const Value& gradient(size_t index = 0) const { return setup_.gradients[index]; }
  bool wants(size_t index) const { return index < arg_count() && setup_.active[index]; }
  void Give(size_t index, const Value& gradient);
  // gradient summed up over the axes along which x was broadcast to it, in the shape of x.
  Value SumTo(const Value& gradient, const Value& x);
  Value ZerosLike(const Value& x);
  // The attributes; they have been checked when the call was made.
  template <class A>
  A AttrsOf() const {
    return A::From(call().attrs(), call().op().name).value();
  }
  // The rule does not cover this form of the operator.
  void Refuse(std::string_view what);

 private:
  Setup setup_;
};

using GradientRule = void (*)(GradientStep& step);

// Null where the operator has none. *flat: its derivative is zero wherever there is one.
GradientRule FindGradientRule(ops::Op op, bool* flat);

// Declaring a function as often as the table names it is legal.
#define TERN_GRADIENT(name, Rule) void Rule(GradientStep& step);
#define TERN_DERIVATIVE(name, derivative)
#define TERN_FLAT(name)
#include "core/onnx/gradient/rules.def"

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_GRADIENT_RULES_H_
