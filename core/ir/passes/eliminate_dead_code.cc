// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/eliminate_dead_code.h"

#include <unordered_set>

namespace tern::ir {

namespace {

using Live = std::unordered_set<const Node*>;

void Mark(const Expr& value, Live* live) {
  const auto mark_all = [live](std::span<const Expr> atoms) {
    for (const Expr& atom : atoms) live->insert(atom.get());
  };
  if (const Call* call = value->As<Call>())
    mark_all(call->args());
  else if (const Invoke* invoke = value->As<Invoke>())
    mark_all(invoke->args());
  else if (const Tuple* tuple = value->As<Tuple>())
    mark_all(tuple->fields());
  else if (const GetItem* item = value->As<GetItem>())
    live->insert(item->tuple().get());
  else
    live->insert(value.get());
}

FunctionPtr Eliminate(const FunctionPtr& function) {
  Live live;
  Mark(function->result(), &live);
  const std::span<const Binding> bindings = function->bindings();
  std::vector<Binding> kept;
  for (size_t i = bindings.size(); i-- > 0;) {
    if (!live.contains(bindings[i].var.get())) continue;
    Mark(bindings[i].value, &live);
    kept.push_back(bindings[i]);
  }
  if (kept.size() == bindings.size()) return function;
  std::vector<Binding> in_order(kept.rbegin(), kept.rend());
  return MakeFunction({function->parameters().begin(), function->parameters().end()},
                      MakeLet(std::move(in_order), function->result()),
                      {function->output_names().begin(), function->output_names().end()});
}

}  // namespace

Module EliminateDeadCode(const Module& module, const PassContext&) {
  Module result = module;
  for (const Module::Item& item : module.items()) result.Set(item.name, Eliminate(item.function));
  return result;
}

}  // namespace tern::ir
