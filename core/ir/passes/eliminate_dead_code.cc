// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/eliminate_dead_code.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/effects.h"
#include "core/ir/mutator.h"
#include "core/ir/node_map.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

// Mark and sweep in one walk from the end: a binding is kept if something behind it uses it or it
// has an effect.
class DeadCodeEliminator {
 public:
  explicit DeadCodeEliminator(const Effects& effects) : effects_(effects) {}

  FunctionPtr Run(const FunctionPtr& function) {
    const Let* body = function->body()->As<Let>();
    if (body == nullptr) return function;
    const LetPtr kept = Eliminate(LetPtr(body));
    if (kept.get() == body) return function;
    return MakeFunction({function->parameters().begin(), function->parameters().end()}, kept,
                        {function->output_names().begin(), function->output_names().end()});
  }

 private:
  void Mark(const Expr& value) {
    ForEachAtom(value, [this](const Expr& atom) { live_.Add(atom.get()); });
  }

  // From the end to the front, so that uses are known ahead of their binding. Recursive lambdas may
  // be used by later ones of their group and by those before them, so a group is decided as a
  // whole.
  LetPtr Eliminate(const LetPtr& block) {
    Mark(block->result());
    const std::span<const Binding> bindings = block->bindings();
    std::vector<Binding> kept;
    bool changed = false;
    for (size_t end = bindings.size(); end > 0;) {
      size_t begin = end - 1;
      while (bindings[begin].recursive && begin > 0 && bindings[begin - 1].recursive) --begin;
      changed = KeepLive(bindings.subspan(begin, end - begin), &kept) || changed;
      end = begin;
    }
    if (!changed) return block;
    std::reverse(kept.begin(), kept.end());
    return ToBlock(MakeLet(std::move(kept), block->result()));
  }

  // Keeps the live bindings of a group, last first, and says whether anything changed. One that
  // becomes live may make others live, so it repeats until none does.
  bool KeepLive(std::span<const Binding> group, std::vector<Binding>* kept) {
    std::vector<Expr> values(group.size());
    for (bool grown = true; grown;) {
      grown = false;
      for (size_t i = group.size(); i-- > 0;) {
        const bool wanted = live_.contains(group[i].var.get()) || effects_.Has(group[i].value);
        if (values[i] || !wanted) continue;
        values[i] = EliminateInside(group[i].value);
        grown = group.size() > 1;
      }
    }
    bool changed = false;
    for (size_t i = group.size(); i-- > 0;) {
      changed = changed || !(values[i] == group[i].value);
      if (values[i]) kept->push_back({group[i].var, values[i], group[i].recursive});
    }
    return changed;
  }

  class Branches : public ValueMutator {
   public:
    explicit Branches(DeadCodeEliminator* pass) : pass_(*pass) {}
    LetPtr MutateBlock(const LetPtr& block) override { return pass_.Eliminate(block); }

   private:
    DeadCodeEliminator& pass_;
  };

  // Operands are marked only now, when the value is known to be kept.
  Expr EliminateInside(const Expr& value) {
    Mark(value);
    if (const Switch* node = value->As<Switch>()) return EliminateCases(value, *node);
    const Function* lambda = value->As<Function>();
    if (lambda == nullptr) return Branches(this).Descend(value);
    if (lambda->body()->As<Let>() == nullptr) Mark(lambda->body());
    return Run(FunctionPtr(lambda));
  }

  // Fields that nobody uses lose their variables, so that they are not taken out of the subject.
  Expr EliminateCases(const Expr& value, const Switch& node) {
    bool same = true;
    std::vector<SwitchCase> cases(node.cases().begin(), node.cases().end());
    for (SwitchCase& option : cases) {
      const LetPtr block = Eliminate(option.block);
      same = same && block == option.block;
      option.block = block;
      for (VarPtr& field : option.fields) {
        if (!field || live_.contains(field.get())) continue;
        field = nullptr;
        same = false;
      }
    }
    LetPtr otherwise = node.default_block();
    if (otherwise) otherwise = Eliminate(otherwise);
    if (same && otherwise == node.default_block()) return value;
    return MakeSwitch(node.data_type(), node.subject(), std::move(cases), otherwise);
  }

  const Effects& effects_;
  NodeSet live_;
};

// Removes private functions that nothing public leads to.
void RemoveUnreachable(Module* module) {
  std::unordered_set<std::string> reached;
  std::vector<std::string> pending;
  const auto reach = [&](const Expr& callee) {
    const Global* global = callee->As<Global>();
    if (global != nullptr && reached.insert(global->name()).second)
      pending.push_back(global->name());
  };
  for (const Module::Item& item : module->items()) {
    if (!item.is_private) reach(MakeGlobal(item.name));
  }
  while (!pending.empty()) {
    const FunctionPtr function = module->Find(pending.back());
    pending.pop_back();
    if (!function) continue;
    ForEachBinding(function->bindings(), [&](const Binding& binding) {
      if (const Invoke* invoke = binding.value->As<Invoke>()) reach(invoke->callee());
      if (const MakeClosure* closure = binding.value->As<MakeClosure>()) reach(closure->function());
    });
  }
  module->KeepOnly(reached);
}

}  // namespace

Module EliminateDeadCode(const Module& module, const PassContext&) {
  const Effects effects(module);
  Module result = module;
  for (const Module::Item& item : module.items())
    result.Set(item.name, DeadCodeEliminator(effects).Run(item.function));
  RemoveUnreachable(&result);
  return result;
}

}  // namespace tern::ir
