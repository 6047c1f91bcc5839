// SPDX-License-Identifier: Apache-2.0
// Registry: look-up by exact name, then by factory.
#include "core/object/registry.h"

#include <utility>

#include "core/base/sort.h"
#include "core/base/strings.h"

namespace tern {
namespace {

std::string_view OperatorOf(std::string_view name) { return name.substr(0, name.find('{')); }

// Made before main and never destroyed: functions may be called from destructors of statics.
// Instances, such as "conv2d{strides=2,2}", belong to the operator in front of the brace.
Registry* const global_registry = new Registry;

}  // namespace

Registry& Registry::Global() { return *global_registry; }

Status Registry::Register(FunctionPtr function, bool replace) {
  TERN_CHECK(function != nullptr, "a null function");
  const std::string name(function->name());
  FunctionPtr old;  // released after the lock: its destructor may run anything
  SpinLockGuard guard(&lock_);
  FunctionPtr& slot = functions_[name];
  if (slot != nullptr && !replace)
    return AlreadyExists("a function '", name, "' is registered already");
  old = std::exchange(slot, std::move(function));
  return OkStatus();
}

Status Registry::RegisterFactory(std::string_view op, FunctionFactory factory, bool replace) {
  TERN_CHECK(factory != nullptr, "a null factory");
  // As in Register, old functions are released after the lock.
  std::vector<FunctionPtr> old;
  SpinLockGuard guard(&lock_);
  FunctionFactory& slot = factories_[std::string(op)];
  if (slot != nullptr && !replace)
    return AlreadyExists("an operator '", op, "' is registered already");
  slot = factory;
  // What the old factory made must not be found again.
  old = TakeInstances(op);
  return OkStatus();
}

std::vector<FunctionPtr> Registry::TakeInstances(std::string_view op) {
  std::vector<FunctionPtr> taken;
  for (auto it = instances_.begin(); it != instances_.end();) {
    if (OperatorOf(it->first) != op) {
      ++it;
      continue;
    }
    taken.push_back(std::move(it->second));
    it = instances_.erase(it);
  }
  return taken;
}

bool Registry::Remove(std::string_view name) {
  // As in Register, released after the lock.
  std::vector<FunctionPtr> old;
  SpinLockGuard guard(&lock_);
  bool removed = false;
  if (const auto it = functions_.find(name); it != functions_.end()) {
    old.push_back(std::move(it->second));
    functions_.erase(it);
    removed = true;
  }
  if (const auto it = factories_.find(name); it != factories_.end()) {
    for (FunctionPtr& instance : TakeInstances(name)) old.push_back(std::move(instance));
    factories_.erase(it);
    removed = true;
  }
  return removed;
}

Result<FunctionPtr> Registry::Find(std::string_view name) {
  // The factory runs outside the lock: it parses attributes, may take long and may ask the registry
  // itself. Where it was replaced meanwhile, what it made is dropped and the new one asked.
  for (;;) {
    bool is_current = false;
    TERN_TRY_ASSIGN(FunctionPtr found, FindOrMake(name, &is_current));
    if (is_current) return found;
  }
}

Result<FunctionPtr> Registry::FindOrMake(std::string_view name, bool* is_current) {
  *is_current = true;
  FunctionFactory factory = nullptr;
  {
    SpinLockGuard guard(&lock_);
    if (const auto it = functions_.find(name); it != functions_.end()) return it->second;
    if (const auto it = instances_.find(name); it != instances_.end()) return it->second;
    if (const auto it = factories_.find(OperatorOf(name)); it != factories_.end())
      factory = it->second;
  }
  if (factory == nullptr) {
    if (!Contains(name)) return NotRegistered(name);
    *is_current = false;  // the provider has registered it meanwhile
    return FunctionPtr();
  }
  TERN_TRY_ASSIGN(const PrimitiveName parsed, ParsePrimitiveName(name));
  TERN_TRY_ASSIGN(FunctionPtr made, factory(name, parsed.attrs));
  SpinLockGuard guard(&lock_);
  const auto it = factories_.find(OperatorOf(name));
  *is_current = it != factories_.end() && it->second == factory;
  if (!*is_current) return made;
  // Another thread may have been first; then its function stays, so that all callers share one.
  return instances_.try_emplace(std::string(name), std::move(made)).first->second;
}

Status Registry::NotRegistered(std::string_view name) const {
  const std::string_view op = OperatorOf(name);
  Status status = NotFound("no function or operator '", op, "' is registered");
  const std::vector<std::string> names = Names();
  const std::string_view meant = DidYouMean(op, names);
  if (!meant.empty()) status.AddNote(StrCat("did you mean '", meant, "'?"));
  return status;
}

bool Registry::Contains(std::string_view name) const {
  if (IsRegistered(name)) return true;
  return provider_ != nullptr && provider_() && IsRegistered(name);
}

bool Registry::IsRegistered(std::string_view name) const {
  SpinLockGuard guard(&lock_);
  return functions_.contains(name) || factories_.contains(OperatorOf(name));
}

std::vector<std::string> Registry::Names() const {
  // Names() takes the lock itself, so NotRegistered must be called without it.
  std::vector<std::string> names;
  SpinLockGuard guard(&lock_);
  for (const auto& entry : functions_) names.push_back(entry.first);
  for (const auto& entry : factories_) names.push_back(entry.first);
  Sort(&names);
  return names;
}

}  // namespace tern
