// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/lambda_lift.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/ir/mutator.h"
#include "core/ir/node_map.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

// A lambda that has become a function, and what a call of it passes beside its arguments. The
// captured variables keep their nodes as parameters, so that the body need not be rewritten; a
// variable is still bound once per function.
struct Lifted {
  std::string name;
  std::vector<VarPtr> captured;
};
using Known = std::unordered_map<const Node*, Lifted>;  // by the variable of the lambda

// A lambda of more captured values is called through its closure by other lambdas, which would have
// to capture all of these: a chain of n lambdas, each with a value of its own, would have n²/2.
constexpr size_t kMostPassedOn = 32;

// How a lambda uses the variables around it. One that is only called needs no closure.
struct Uses {
  std::vector<VarPtr> order;  // each once, in order of first use
  NodeSet seen;
  NodeSet as_value;  // used otherwise than as the callee of a call
};

// Finds free variables (Johnsson, "Lambda lifting", 1985), those of inner lambdas included.
class UseFinder {
 public:
  explicit UseFinder(Uses* uses) : uses_(*uses) {}

  void VisitLambda(const Function& lambda) {
    for (const VarPtr& parameter : lambda.parameters()) inner_.Add(parameter.get());
    VisitBlock(*ToBlock(lambda.body()));
  }

 private:
  void VisitBlock(const Let& block) {
    for (const Binding& binding : block.bindings()) inner_.Add(binding.var.get());
    for (const Binding& binding : block.bindings()) VisitValue(binding.value);
    ForEachAtom(block.result(), [this](const Expr& atom) { Use(atom, true); });
  }

  void VisitValue(const Expr& value) {
    if (const Invoke* invoke = value->As<Invoke>()) {
      Use(invoke->callee(), false);
      for (const Expr& arg : invoke->args()) Use(arg, true);
      return;
    }
    if (const Function* lambda = value->As<Function>()) return VisitLambda(*lambda);
    if (const Switch* node = value->As<Switch>()) {
      for (const SwitchCase& option : node->cases()) {
        for (const VarPtr& field : option.fields) inner_.Add(field.get());
      }
    }
    ForEachAtom(value, [this](const Expr& atom) { Use(atom, true); });
    ForEachBlock(value, [this](const Let& block) { VisitBlock(block); });
  }

  void Use(const Expr& atom, bool as_value) {
    const Var* var = atom->As<Var>();
    if (var == nullptr || inner_.contains(var)) return;
    if (uses_.seen.Insert(var)) uses_.order.emplace_back(var);
    if (as_value) uses_.as_value.Add(var);
  }

  Uses& uses_;
  NodeSet inner_;  // bound inside: variables are bound once, so no scopes
};

// Lifts the lambdas of one function. `known_` holds the lambdas whose functions can be called from
// here by name.
class Lifter {
 public:
  explicit Lifter(Module* module) : module_(*module) {}

  FunctionPtr Run(const std::string& name, const FunctionPtr& function, Known known) {
    name_ = name;
    known_ = std::move(known);
    const LetPtr body = ToBlock(function->body());
    const LetPtr lifted = LiftBlock(body);
    if (lifted == body) return function;
    return MakeFunction({function->parameters().begin(), function->parameters().end()}, lifted,
                        {function->output_names().begin(), function->output_names().end()});
  }

 private:
  // Bindings of the block are gathered in out_, because lifting may put closures ahead of a use.
  LetPtr LiftBlock(const LetPtr& block) {
    std::vector<Binding> outer = std::move(out_);
    out_.clear();
    bool changed = false;
    const std::span<const Binding> bindings = block->bindings();
    for (size_t i = 0; i < bindings.size();) {
      const Binding& binding = bindings[i];
      size_t end = i + 1;
      if (binding.value->As<Function>() != nullptr) {
        while (binding.recursive && end < bindings.size() && bindings[end].recursive) ++end;
        // A recursive group is lifted as a whole: its members capture the same variables.
        LiftGroup(bindings.subspan(i, end - i));
      } else {
        const Expr value = LiftValue(binding);
        out_.push_back({binding.var, value, false});
        changed = changed || !(value == binding.value);
      }
      i = end;
    }
    Expr result = LiftResult(block->result());
    std::vector<Binding> made = std::exchange(out_, std::move(outer));
    changed = changed || made.size() != bindings.size() || !(result == block->result());
    // A lifted group leaves closures in the place of its lambdas, so that the count alone does not
    // show the change.
    for (size_t i = 0; !changed && i < made.size(); ++i)
      changed = !(made[i].value == bindings[i].value);
    return changed ? ToBlock(MakeLet(std::move(made), std::move(result))) : block;
  }

  // --- lambdas

  void LiftGroup(std::span<const Binding> group) {
    NodeSet members;
    for (const Binding& binding : group) members.Add(binding.var.get());
    Uses uses;
    for (const Binding& binding : group)
      UseFinder(&uses).VisitLambda(*binding.value->As<Function>());
    // A lambda that does not mention itself needs no entry inside of itself.
    const bool alone = group.size() == 1 && !uses.seen.contains(group[0].var.get());
    Known inside;
    std::vector<VarPtr> captured = Captured(uses, members, &inside);
    for (const Binding& binding : group) {
      Lifted lifted{NameOf(binding), captured};
      // Names are taken at once, so that the functions can call each other.
      module_.Set(lifted.name, FunctionPtr(binding.value->As<Function>()));
      module_.SetPrivate(lifted.name, true);
      if (!alone) inside[binding.var.get()] = lifted;
      known_[binding.var.get()] = std::move(lifted);
    }
    for (const Binding& binding : group) {
      const Lifted& lifted = known_.at(binding.var.get());
      LiftLambda(binding, lifted, inside);
      Expr closure = ClosureOf(lifted, binding.var);
      out_.push_back({binding.var, std::move(closure), false});
      made_here_.Add(binding.var.get());
    }
  }

  // What a group captures: the variables that it uses, except the group itself. For an outer lambda
  // that it only calls, it captures that lambda's captured values instead, if they are few, so that
  // it can call the function directly.
  std::vector<VarPtr> Captured(const Uses& uses, const NodeSet& members, Known* inside) const {
    std::vector<VarPtr> captured;
    NodeSet seen;
    const auto add = [&](const VarPtr& var) {
      if (seen.Insert(var.get())) captured.push_back(var);
    };
    for (const VarPtr& var : uses.order) {
      if (members.contains(var.get())) continue;
      const auto known = known_.find(var.get());
      if (known == known_.end() || uses.as_value.contains(var.get()) ||
          known->second.captured.size() > kMostPassedOn) {
        add(var);
        continue;
      }
      for (const VarPtr& inner : known->second.captured) add(inner);
      (*inside)[var.get()] = known->second;
    }
    return captured;
  }

  std::string NameOf(const Binding& binding) const {
    const std::string& hint = binding.var->name();
    std::string name;
    for (char c : hint.empty() ? std::string_view("lambda") : std::string_view(hint)) {
      const bool plain =
          (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      name += plain ? c : '_';
    }
    return module_.FreshName(StrCat(name_, ".", name));
  }

  void LiftLambda(const Binding& binding, const Lifted& lifted, const Known& inside) {
    const Function& lambda = *binding.value->As<Function>();
    std::vector<VarPtr> parameters(lambda.parameters().begin(), lambda.parameters().end());
    // Captured values are the last parameters, which fold_branches and codegen rely on.
    parameters.insert(parameters.end(), lifted.captured.begin(), lifted.captured.end());
    const FunctionPtr function = MakeFunction(std::move(parameters), lambda.body(), {});
    // The function's own lambdas are lifted in turn.
    module_.Set(lifted.name, Lifter(&module_).Run(lifted.name, function, inside));
  }

  // The captured variables have to be atoms of this place; one of them may be a lambda itself.
  Expr ClosureOf(const Lifted& lifted, const VarPtr& user) {
    const std::vector<Expr> captured(lifted.captured.begin(), lifted.captured.end());
    return MakeMakeClosure(MakeGlobal(lifted.name), LiftAtoms(captured, user));
  }

  // --- uses

  // A lambda's variable as a value: bound to its closure where it was made. Inside of its own
  // function a closure is made anew, because no variable holds it there.
  Expr LiftAtom(const Expr& atom, const VarPtr& user) {
    const auto known = known_.find(atom.get());
    if (known == known_.end() || made_here_.contains(atom.get())) return atom;
    const Var& var = *atom->As<Var>();
    VarPtr closure = MakeVar(var.name(), var.type(), user ? user->origin() : var.origin());
    Expr value = ClosureOf(known->second, user);
    out_.push_back({closure, std::move(value), false});
    return closure;
  }

  std::vector<Expr> LiftAtoms(std::span<const Expr> atoms, const VarPtr& user) {
    std::vector<Expr> lifted;
    for (const Expr& atom : atoms) lifted.push_back(LiftAtom(atom, user));
    return lifted;
  }

  Expr LiftResult(const Expr& result) {
    const Tuple* tuple = result->As<Tuple>();
    if (tuple == nullptr) return LiftAtom(result, nullptr);
    std::vector<Expr> fields = LiftAtoms(tuple->fields(), nullptr);
    return std::equal(fields.begin(), fields.end(), tuple->fields().begin()) ? result
                                                                             : MakeTuple(fields);
  }

  Expr LiftInvoke(const Expr& value, const Invoke& invoke, const VarPtr& user) {
    std::vector<Expr> args = LiftAtoms(invoke.args(), user);
    // A direct call, with the captured values behind the arguments: no closure is needed.
    const auto known = known_.find(invoke.callee().get());
    if (known != known_.end()) {
      for (const VarPtr& var : known->second.captured) args.push_back(LiftAtom(var, user));
      return MakeInvoke(MakeGlobal(known->second.name), std::move(args), invoke.is_tail());
    }
    const bool same = std::equal(args.begin(), args.end(), invoke.args().begin());
    return same ? value : MakeInvoke(invoke.callee(), std::move(args), invoke.is_tail());
  }

  // The operands and branches of any other value.
  class Inside : public ValueMutator {
   public:
    Inside(Lifter* lifter, const VarPtr& user) : lifter_(*lifter), user_(user) {}
    Expr MutateAtom(const Expr& atom) override { return lifter_.LiftAtom(atom, user_); }
    LetPtr MutateBlock(const LetPtr& block) override { return lifter_.LiftBlock(block); }

   private:
    Lifter& lifter_;
    const VarPtr& user_;
  };

  Expr LiftValue(const Binding& binding) {
    const Expr& value = binding.value;
    if (const Invoke* invoke = value->As<Invoke>()) return LiftInvoke(value, *invoke, binding.var);
    if (IsAtom(value)) return LiftAtom(value, binding.var);
    return Inside(this, binding.var).Descend(value);
  }

  Module& module_;
  std::string name_;
  Known known_;
  NodeSet made_here_;         // lambdas whose closure is bound in this function
  std::vector<Binding> out_;  // of the block that is open
};

}  // namespace

Module LambdaLift(const Module& module, const PassContext&) {
  Module result = module;
  for (const Module::Item& item : module.items())
    result.Set(item.name, Lifter(&result).Run(item.name, item.function, {}));
  return result;
}

}  // namespace tern::ir
