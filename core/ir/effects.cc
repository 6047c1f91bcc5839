// SPDX-License-Identifier: Apache-2.0
#include "core/ir/effects.h"

#include "core/ir/visitor.h"

namespace tern::ir {

Effects::Effects(const Module& module) {
  // A closure may be any lambda of the module, so that an effect anywhere makes every closure
  // suspect.
  const auto note = [this](const Binding& binding) {
    if (binding.value->As<Fatal>() != nullptr) closures_ = true;
    const Invoke* invoke = binding.value->As<Invoke>();
    const Primitive* primitive = invoke == nullptr ? nullptr : invoke->callee()->As<Primitive>();
    if (primitive != nullptr && primitive->has_effect()) closures_ = true;
  };
  // A kernel's loop program is what the function does; a body without operators is no effect.
  for (const Module::Item& item : module.items()) {
    if (item.kernel == nullptr) ForEachBinding(item.function->bindings(), note);
  }
  // A fixed point: a function has an effect if one that it calls has one. Each round adds a
  // function.
  for (bool grown = closures_; grown;) {
    grown = false;
    for (const Module::Item& item : module.items()) {
      if (functions_.contains(item.name) || item.kernel != nullptr) continue;
      const Let* body = item.function->body()->As<Let>();
      if (body != nullptr && HasBlock(*body)) grown = functions_.insert(item.name).second || grown;
    }
  }
}

bool Effects::HasBlock(const Let& block) const {
  for (const Binding& binding : block.bindings()) {
    if (Has(binding.value)) return true;
  }
  return false;
}

bool Effects::Has(const Expr& value) const {
  // Without any source of effects, nothing has one. This is the usual case, models.
  if (!closures_) return false;
  if (value->As<Fatal>() != nullptr) return true;
  // Making a lambda runs nothing.
  if (value->As<Function>() != nullptr) return false;
  if (const Invoke* invoke = value->As<Invoke>()) {
    if (const Primitive* primitive = invoke->callee()->As<Primitive>())
      return primitive->has_effect();
    const Global* global = invoke->callee()->As<Global>();
    return global == nullptr || functions_.contains(global->name());
  }
  bool has = false;
  ForEachBlock(value, [&](const Let& block) { has = has || HasBlock(block); });
  return has;
}

}  // namespace tern::ir
