// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/recognize_operators.h"

#include <array>
#include <cmath>
#include <utility>

#include "core/ir/passes/pattern.h"
#include "core/ir/rewriter.h"
#include "core/ir/splat.h"
#include "core/ir/visitor.h"
#include "core/ops/math_attrs.h"

namespace tern::ir {

namespace {

using ops::Op;

// Slots of patterns.
constexpr uint8_t kX = 0, kScale = 1, kBias = 2;

struct PatternRow {
  Op op;
  Pattern pattern;
};

// Longer forms stand ahead of those that they contain.
constexpr auto MakeRows() {
  const double root_of_half = 0.70710678118654752, root_of_2_by_pi = 0.79788456080286536;
  const double cubic = 0.044715;
  const Pattern x = Value(kX), scale = Value(kScale), bias = Value(kBias);
  const Pattern erf = Apply(Op::k_erf, x * root_of_half);
  // As torch and transformers, tf2onnx, and ONNX Runtime's own tools write them.
  const Pattern tanh_a = Apply(Op::k_tanh, (x + x * x * x * cubic) * root_of_2_by_pi);
  const Pattern tanh_b = Apply(Op::k_tanh, x * (x * x * cubic + 1) * root_of_2_by_pi);
  const Pattern tanh_c =
      Apply(Op::k_tanh, x * (x * x * (cubic * root_of_2_by_pi) + root_of_2_by_pi));
  const Pattern centered = x - Mean(x);
  const Pattern inverse = Apply(Op::k_rsqrt, Mean(centered * centered) + Epsilon());
  const Pattern rms = Apply(Op::k_rsqrt, Mean(x * x) + Epsilon());
  const Pattern factor = inverse * scale;  // computed once by TensorFlow
  return std::to_array<PatternRow>({
      {Op::k_gelu, x * 0.5 * (erf + 1)},
      {Op::k_gelu, x * (erf * 0.5 + 0.5)},
      {Op::k_gelu_tanh, x * 0.5 * (tanh_a + 1)},
      {Op::k_gelu_tanh, x * (tanh_a * 0.5 + 0.5)},
      {Op::k_gelu_tanh, x * 0.5 * (tanh_b + 1)},
      {Op::k_gelu_tanh, x * (tanh_b * 0.5 + 0.5)},
      {Op::k_gelu_tanh, x * 0.5 * (tanh_c + 1)},
      {Op::k_gelu_tanh, x * (tanh_c * 0.5 + 0.5)},
      {Op::k_layer_norm, x * factor + (bias - Mean(x) * factor)},
      {Op::k_layer_norm, centered * inverse * scale + bias},
      {Op::k_layer_norm, centered * inverse * scale},
      {Op::k_layer_norm, centered * inverse},
      {Op::k_rms_norm, x * rms * scale},
      {Op::k_rms_norm, x * rms},
  });
}
constexpr auto kPatternRows = MakeRows();

// An operator that was found, by the variable of its root.
struct FoundOperator {
  Op op;
  PatternMatch match;
};

class Recognizer : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  void Begin(const Function& function) override { FindIn(function.bindings()); }

  Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override {
    const FoundOperator* found = found_.Find(current().var.get());
    if (found != nullptr) return EmitFound(*found);
    // Nothing reads what became part of an operator, so that anything may stand for it.
    return members_.contains(current().var.get()) && !call.args().empty() ? args[0] : nullptr;
  }

 private:
  // From the last binding to the first, so that longer forms are found ahead of their parts. What
  // is outside of a block stays there: a lambda may be called often.
  void FindIn(std::span<const Binding> bindings) {
    CallsByVar calls;
    for (const Binding& binding : bindings) {
      if (const Call* call = binding.value->As<Call>()) calls[binding.var.get()] = call;
      ForEachBlock(binding.value, [this](const Let& block) { FindIn(block.bindings()); });
    }
    for (size_t i = bindings.size(); i-- > 0;) {
      const Expr root = bindings[i].var;
      const types::TensorType* type = TensorTypeOf(root);
      const bool member = members_.contains(root.get());
      if (calls.Find(root.get()) != nullptr && !member && type != nullptr && type->dtype == kF32)
        Find(root, calls);
    }
  }

  void Find(const Expr& root, const CallsByVar& calls) {
    for (const PatternRow& row : kPatternRows) {
      PatternMatch match;
      if (!FindPattern(row.pattern, root, calls, uses(), &match) || !IsMeant(root, match)) continue;
      for (const Node* member : match.members) members_.Add(member);
      found_[root.get()] = {row.op, std::move(match)};
      return;
    }
  }

  // Scale and bias have the extents of the axes that are normalized. Without a scale there will be
  // ones, for which extents must be known.
  static bool IsMeant(const Expr& root, const PatternMatch& match) {
    const types::TensorType* type = TensorTypeOf(match.values[kX]);
    if (type == nullptr || TypeOf(root) != TypeOf(match.values[kX])) return false;
    if (match.first_axis < 0) return true;
    if (!(match.epsilon >= 0) || !std::isfinite(static_cast<float>(match.epsilon))) return false;
    types::TensorType row = *type;
    row.dims.erase(row.dims.begin(), row.dims.begin() + match.first_axis);
    for (size_t slot : {kScale, kBias}) {
      const Expr& operand = match.values[slot];
      if (operand && TypeOf(operand) != types::Type::Tensor(row)) return false;
    }
    return match.values[kScale] || row.ElementCount().is_constant();
  }

  Expr EmitFound(const FoundOperator& found) {
    const PatternMatch& match = found.match;
    const Expr x = Map(match.values[kX]);
    if (match.first_axis < 0) return builder().Emit(found.op, {x});
    ops::NormAttrs attrs;
    attrs.axis = match.first_axis;
    attrs.epsilon = static_cast<float>(match.epsilon);
    std::vector<Expr> args = {x, match.values[kScale] ? Map(match.values[kScale])
                                                      : Ones(*TensorTypeOf(x), match.first_axis)};
    if (match.values[kBias]) args.push_back(Map(match.values[kBias]));
    return builder().Emit(found.op, std::move(args), attrs.ToAttrs());
  }

  static Expr Ones(const types::TensorType& type, int first_axis) {
    std::vector<int64_t> extents;
    for (size_t i = static_cast<size_t>(first_axis); i < type.dims.size(); ++i)
      extents.push_back(type.dims[i].constant());
    TensorPtr one = Tensor::New(kF32, tern::Dims()).value();
    *one->data_as<float>() = 1;
    return MakeConstant(Any(MakeSplat(*one, extents).value()));
  }

  NodeMap<FoundOperator> found_;
  NodeSet members_;
};

}  // namespace

Module RecognizeOperators(const Module& module, const PassContext& context) {
  return RewriteModule<Recognizer>(module, context.diagnostics);
}

}  // namespace tern::ir
