// SPDX-License-Identifier: Apache-2.0
// Module: look-up in itself, then depth first in its imports in the order they were added.
#include "core/object/rfc97/module.h"

#include <unordered_set>

#include "core/base/strings.h"

namespace tern {

ModulePtr Module::Make(std::string_view name) { return MakeObject<Module>(name); }

Status Module::Add(FunctionPtr function) {
  TERN_CHECK(function != nullptr, "a null function");
  SpinLockGuard guard(&lock_);
  // Linear: a module has few functions, and look-ups are done once, at link time.
  for (const FunctionPtr& each : functions_) {
    if (each->name() == function->name())
      return AlreadyExists("module '", name_, "' has a function '", function->name(), "' already");
  }
  functions_.push_back(std::move(function));
  return OkStatus();
}

Status Module::Import(ModulePtr module) {
  TERN_CHECK(module != nullptr, "a null module");
  // One import at a time in the process: two modules that import each other at once must not both
  // find that there is no circle. Taken before this module's lock, which Reaches takes of others.
  static SpinLock imports_lock;
  const SpinLockGuard one_at_a_time(&imports_lock);
  if (module->Reaches(this)) {
    return InvalidArgument("module '", name_, "' cannot import '", module->name_,
                           "', which imports it");
  }
  SpinLockGuard guard(&lock_);
  imports_.push_back(std::move(module));
  return OkStatus();
}

// Calls visit(module) of this module and all that it imports, depth first in the order of imports,
// each once however many import it, until visit returns true. A list and not recursion: chains of
// imports may be long. Imports are never taken away, so the pointers stay valid; imports() copies
// under the lock, so that no lock is held while others are visited.
template <typename Visit>
void Module::VisitUntil(const Visit& visit) const {
  std::vector<const Module*> waiting = {this};
  std::unordered_set<const Module*> seen;
  while (!waiting.empty()) {
    const Module* module = waiting.back();
    waiting.pop_back();
    if (!seen.insert(module).second) continue;
    if (visit(*module)) return;
    const std::vector<ModulePtr> imports = module->imports();
    for (auto at = imports.rbegin(); at != imports.rend(); ++at) waiting.push_back(at->get());
  }
}

bool Module::Reaches(const Module* other) const {
  bool reaches = false;
  VisitUntil([&](const Module& module) { return reaches = &module == other; });
  return reaches;
}

FunctionPtr Module::OwnOrNull(std::string_view name) const {
  SpinLockGuard guard(&lock_);
  for (const FunctionPtr& each : functions_) {
    if (each->name() == name) return each;
  }
  return nullptr;
}

FunctionPtr Module::FindOrNull(std::string_view name) const {
  FunctionPtr found;
  VisitUntil([&](const Module& module) {
    found = module.OwnOrNull(name);
    return found != nullptr;
  });
  return found;
}

Result<FunctionPtr> Module::Find(std::string_view name) const {
  if (FunctionPtr found = FindOrNull(name)) return found;
  Status status = NotFound("module '", name_, "' has no function '", name, "'");
  // Only the module's own names are suggested.
  const std::vector<std::string> names = Names();
  const std::string_view meant = DidYouMean(name, names);
  if (!meant.empty()) status.AddNote(StrCat("did you mean '", meant, "'?"));
  return status;
}

std::vector<std::string> Module::Names() const {
  std::vector<std::string> names;
  SpinLockGuard guard(&lock_);
  for (const FunctionPtr& each : functions_) names.emplace_back(each->name());
  return names;
}

std::vector<ModulePtr> Module::imports() const {
  SpinLockGuard guard(&lock_);
  return imports_;
}

}  // namespace tern
