// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/gradient/derive.h"

#include <unordered_map>
#include <utility>

#include "core/ir/visitor.h"
#include "core/onnx/gradient/rules.h"

namespace tern::onnx {
namespace {

class Derivation final : private GradientSink {
 public:
  Derivation(NodeContext& node, std::span<const Value> xs) : node_(node), in_(node) {
    // As leaves: what the xs are themselves made of is not looked at.
    for (const Value& x : xs) Add({x, nullptr, {}, {}, true});
    inputs_ = xs.size();
  }

  void Run(const Value& y) {
    CollectFrom(y);
    const auto found = index_.find(y.get());
    // A y that depends on no x leaves all gradients null, which are zeros.
    if (found == index_.end() || !values_[found->second].active) return;
    values_[found->second].gradients = {in_.Expand(in_.Like(y, 1), in_.ShapeOf(y))};
    // What uses a value comes before it here, so that a gradient is complete when it is handed on.
    for (size_t i = values_.size(); i > inputs_ && node_.ok(); --i) GoBack(i - 1);
  }

  // Null where y does not depend on it.
  Value GradientOf(size_t x) const {
    return values_[x].gradients.empty() ? nullptr : values_[x].gradients[0];
  }

 private:
  // A variable that y depends on, its definition and what that uses.
  struct Differentiated {
    Value var;
    const ir::Node* definition = nullptr;  // null: one of xs, or a leaf
    std::vector<Value> uses;
    std::vector<Value> gradients;  // one for each field of a tuple; empty: none as yet
    bool active = false;           // y depends on an x through it
  };
  struct Frame {
    Differentiated value;
    size_t next = 0;
  };

  void Add(Differentiated value) {
    index_.emplace(value.var.get(), values_.size());
    values_.push_back(std::move(value));
  }

  bool IsActive(const Value& value) const {
    const auto found = index_.find(value.get());
    return found != index_.end() && values_[found->second].active;
  }

  // Everything that y depends on, in an order in which what is used comes first; with a stack of
  // our own, because models may be deeper than the machine's.
  void CollectFrom(const Value& y) {
    std::vector<Frame> stack;
    if (!index_.contains(y.get())) stack.push_back(Open(y));
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.value.uses.size()) {
        Differentiated done = std::move(top.value);
        stack.pop_back();
        done.active = Depends(done);
        Add(std::move(done));
        continue;
      }
      const Value use = top.value.uses[top.next++];
      if (use->kind() == ir::NodeKind::kVar && !index_.contains(use.get()))
        stack.push_back(Open(use));
    }
  }

  Frame Open(const Value& var) {
    Frame frame;
    frame.value.var = var;
    frame.value.definition = node_.builder().Definition(var);
    if (frame.value.definition == nullptr) return frame;
    // A block of one binding, because that is what uses are counted in.
    const ir::Binding binding[] = {{ir::VarPtr(var->As<ir::Var>()), Value(frame.value.definition)}};
    ir::ForEachUse(binding, ir::MakeNone(),
                   [&](const Value& use) { frame.value.uses.push_back(use); });
    return frame;
  }

  // Elements that are no floats have no derivative, and nothing is differentiated through them.
  bool Depends(const Differentiated& value) const {
    bool flat = false;
    const ir::Call* call = value.definition == nullptr ? nullptr : value.definition->As<ir::Call>();
    if (call != nullptr) FindGradientRule(call->op().op, &flat);
    const types::TensorType* type = ir::TensorTypeOf(value.var);
    if (flat || (type != nullptr && !type->dtype.is_float())) return false;
    for (const Value& use : value.uses) {
      if (IsActive(use)) return true;
    }
    return false;
  }

  void Take(const Value& value, const Value& gradient) override {
    if (node_.ok()) Accumulate(value, 0, 1, gradient);
  }

  void Accumulate(const Value& value, size_t field, size_t fields, const Value& gradient) {
    Differentiated& target = values_[index_.at(value.get())];
    // Fields that nobody reads stay null.
    target.gradients.resize(fields);
    Value& sum = target.gradients[field];
    sum = sum == nullptr ? gradient : in_.Add(sum, gradient);
  }

  void Refuse(const Differentiated& value, std::string_view what) {
    const std::string& origin = value.var->As<ir::Var>()->origin();
    node_.Unsupported("no derivative is known of ", what, ", which node '", origin,
                      "' between xs and y needs");
  }

  // Hands the gradients of one value on to what it was made of.
  void GoBack(size_t index) {
    const Differentiated value = values_[index];
    if (!value.active || value.gradients.empty()) return;
    if (const ir::GetItem* item = value.definition->As<ir::GetItem>()) {
      const size_t fields = ir::TypeOf(item->tuple()).elements().size();
      return Accumulate(item->tuple(), static_cast<size_t>(item->index()), fields,
                        value.gradients[0]);
    }
    const ir::Call* call = value.definition->As<ir::Call>();
    if (call == nullptr) return Refuse(value, "control flow");
    bool flat = false;
    const GradientRule rule = FindGradientRule(call->op().op, &flat);
    if (rule == nullptr) return Refuse(value, call->op().name);
    GradientStep step(node_, SetupOf(value, *call));
    rule(step);
  }

  GradientStep::Setup SetupOf(const Differentiated& value, const ir::Call& call) {
    GradientStep::Setup setup;
    setup.call = &call;
    setup.gradients = value.gradients;
    const types::Type type = ir::TypeOf(value.var);
    if (!type.is_tuple()) setup.results = {value.var};
    for (size_t i = 0; type.is_tuple() && i < type.elements().size(); ++i)
      setup.results.push_back(node_.builder().Field(value.var, static_cast<int>(i)));
    for (const Value& arg : call.args()) setup.active.push_back(IsActive(arg));
    setup.sink = this;
    return setup;
  }

  NodeContext& node_;
  Compose in_;
  size_t inputs_ = 0;
  std::vector<Differentiated> values_;
  std::unordered_map<const ir::Node*, size_t> index_;
};

}  // namespace

std::vector<Value> Derive(NodeContext& node, const Value& y, std::span<const Value> xs) {
  Derivation derivation(node, xs);
  derivation.Run(y);
  Compose in(node);
  std::vector<Value> gradients;
  for (size_t i = 0; i < xs.size() && node.ok(); ++i) {
    const Value gradient = derivation.GradientOf(i);
    // An x that y does not depend on has zeros of its shape, as the standard says.
    gradients.push_back(gradient != nullptr ? gradient
                                            : in.Expand(in.Like(xs[i], 0), in.ShapeOf(xs[i])));
  }
  return gradients;
}

}  // namespace tern::onnx
