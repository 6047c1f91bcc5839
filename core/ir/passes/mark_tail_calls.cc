// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/mark_tail_calls.h"

#include "core/ir/control.h"
#include "core/ir/mutator.h"

namespace tern::ir {

namespace {

LetPtr MarkBlock(const Module& module, const LetPtr& block, bool tail);
FunctionPtr MarkFunction(const Module& module, const FunctionPtr& function);

// Whether the callee has a frame that can take the place of its caller's; kernels and primitives
// have none.
bool HasFrame(const Module& module, const Expr& callee) {
  const Global* global = callee->As<Global>();
  if (global == nullptr) return callee->As<Primitive>() == nullptr;
  const Module::Item* item = module.FindItem(global->name());
  return item == nullptr || !item->is_primitive;
}

class Branches : public ValueMutator {
 public:
  Branches(const Module& module, bool tail) : module_(module), tail_(tail) {}
  LetPtr MutateBlock(const LetPtr& block) override { return MarkBlock(module_, block, tail_); }

 private:
  const Module& module_;
  bool tail_;
};

// Marks calls in tail position. That is the last binding whose variable is the block's result; a
// copy behind the call would have to be eliminated first.
Expr MarkValue(const Module& module, const Expr& value, bool tail) {
  if (const Invoke* invoke = value->As<Invoke>()) {
    const bool may = tail && HasFrame(module, invoke->callee());
    if (may == invoke->is_tail()) return value;
    return MakeInvoke(invoke->callee(), {invoke->args().begin(), invoke->args().end()}, may);
  }
  // A lambda's body is a function of its own: its end is a tail position again.
  if (const Function* lambda = value->As<Function>())
    return MarkFunction(module, FunctionPtr(lambda));
  return Branches(module, tail).Descend(value);
}

LetPtr MarkBlock(const Module& module, const LetPtr& block, bool tail) {
  const std::span<const Binding> bindings = block->bindings();
  std::vector<Binding> marked;
  bool changed = false;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const bool last = i + 1 == bindings.size() && block->result() == bindings[i].var;
    marked.push_back({bindings[i].var, MarkValue(module, bindings[i].value, tail && last),
                      bindings[i].recursive});
    changed = changed || !(marked.back().value == bindings[i].value);
  }
  return changed ? ToBlock(MakeLet(std::move(marked), block->result())) : block;
}

FunctionPtr MarkFunction(const Module& module, const FunctionPtr& function) {
  const Let* body = function->body()->As<Let>();
  if (body == nullptr) return function;
  const LetPtr marked = MarkBlock(module, LetPtr(body), true);
  if (marked.get() == body) return function;
  return MakeFunction({function->parameters().begin(), function->parameters().end()}, marked,
                      {function->output_names().begin(), function->output_names().end()});
}

}  // namespace

Module MarkTailCalls(const Module& module, const PassContext&) {
  Module result = module;
  for (const Module::Item& item : module.items())
    result.Set(item.name, MarkFunction(module, item.function));
  return result;
}

}  // namespace tern::ir
