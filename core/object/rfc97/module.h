// SPDX-License-Identifier: Apache-2.0
// Module: a library of functions by name, which may import others.
//
// Safe from several threads. Functions and imports are added, never taken away, so that what was
// found stays valid as long as its FunctionPtr.
#ifndef TERN_CORE_OBJECT_RFC97_MODULE_H_
#define TERN_CORE_OBJECT_RFC97_MODULE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/base/spin_lock.h"
#include "core/object/function.h"

namespace tern {

class Module : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_MODULE;
  static ObjectPtr<Module> Make(std::string_view name);

  std::string_view name() const { return name_; }
  // Under its own name. Error if the module itself has one of that name.
  Status Add(FunctionPtr function);
  // Error if it would make a cycle.
  Status Import(ObjectPtr<Module> module);

  // Its own function, else the first that an import has. The error suggests a name.
  Result<FunctionPtr> Find(std::string_view name) const;
  // Its own, in the order they were added.
  std::vector<std::string> Names() const;
  std::vector<ObjectPtr<Module>> imports() const;

 protected:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  explicit Module(std::string_view name) : Object(kTypeCode, nullptr), name_(name) {}
  ~Module() = default;

 private:
  FunctionPtr OwnOrNull(std::string_view name) const;
  FunctionPtr FindOrNull(std::string_view name) const;
  template <typename Visit>
  void VisitUntil(const Visit& visit) const;
  bool Reaches(const Module* other) const;

  const std::string name_;
  mutable SpinLock lock_;
  std::vector<FunctionPtr> functions_;
  std::vector<ObjectPtr<Module>> imports_;
};

using ModulePtr = ObjectPtr<Module>;

}  // namespace tern

#endif  // TERN_CORE_OBJECT_RFC97_MODULE_H_
