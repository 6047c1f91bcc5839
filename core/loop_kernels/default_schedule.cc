// SPDX-License-Identifier: Apache-2.0
#include "core/loop_kernels/default_schedule.h"

#include "core/loop/analysis/linear_form.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

constexpr int64_t kFewSteps = 4;  // fewer do not fill a vector

// Whether neighbouring steps of a variable read neighbours, or the same element, in every load.
// Otherwise vectors would gather, which is slower than scalars on most processors.
class ContiguityFinder : public Visitor {
 public:
  explicit ContiguityFinder(const Var* var) : var_(var) {}
  void VisitExpr(const Expr& expr) override {
    if (const Load* load = expr->As<Load>()) {
      for (size_t i = 0; i < load->indices.size(); ++i)
        Look(load->indices[i], i + 1 == load->indices.size());
    }
    Descend(expr);
  }
  bool contiguous = true;

 private:
  // In the last index the step must be one element; in the others the variable must not stand.
  void Look(const Expr& index, bool is_last) {
    if (!UsesVar(index, var_)) return;
    const LinearForm form = LinearFormOf(index);
    contiguous &= is_last && index->type == kIndexType && !form.HidesVar(var_) &&
                  form.CoefficientOf(var_) == 1;
  }
  const Var* var_;
};

// The variable of the tensor's innermost loop, or null where vectors would not help.
const Var* AxisToVectorize(const te::Compute& compute) {
  const Reduction* reduction = compute.value->As<Reduction>();
  const bool reduces = reduction != nullptr && !reduction->axes.empty();
  if (!reduces && compute.axes.empty()) return nullptr;
  const Var* axis = reduces ? reduction->axes.back().var.get() : compute.axes.back().get();
  const Expr& extent = reduces ? reduction->axes.back().extent : compute.tensor->shape.back();
  const IntImm* constant = AsInt(extent);
  if (constant != nullptr && constant->value < kFewSteps) return nullptr;
  ContiguityFinder finder(axis);
  finder.VisitExpr(reduction != nullptr ? reduction->value : compute.value);
  return finder.contiguous ? axis : nullptr;
}

}  // namespace

std::vector<te::Directive> DefaultSchedule(const te::Definition& definition) {
  std::vector<te::Directive> schedule;
  for (const te::Compute& compute : definition.computes) {
    const Var* axis = AxisToVectorize(compute);
    if (axis == nullptr) continue;
    te::Directive directive;
    directive.primitive = te::Primitive::kVectorize;
    directive.scalable = true;  // where the target can
    directive.tensor = compute.tensor->name;
    directive.names = {axis->name};
    directive.span = compute.span;
    schedule.push_back(std::move(directive));
  }
  return schedule;
}

}  // namespace tern::loop
