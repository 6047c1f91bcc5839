// SPDX-License-Identifier: Apache-2.0
// Registry: packed functions by name. This is how the virtual machine reaches kernels it does not
// know.
//
// Find("conv2d{strides=2,2}") looks for the exact name, then for a factory "conv2d", which parses
// the attributes once and returns a function with them bound (it is kept: the next Find gives the
// same one). Safe from several threads. Functions registered under a name stay until replaced or
// removed.
#ifndef TERN_CORE_OBJECT_REGISTRY_H_
#define TERN_CORE_OBJECT_REGISTRY_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/spin_lock.h"
#include "core/object/attrs.h"
#include "core/object/function.h"

namespace tern {

// full_name is the whole primitive name, to be given to the Function made.
using FunctionFactory = Result<FunctionPtr> (*)(std::string_view full_name, const Attrs& attrs);

// Registers what was left out so far. False: there is nothing more, or it is not to be had now.
using FunctionProvider = bool (*)();

class Registry {
 public:
  // The one that kernels/bind fills and every machine uses unless told otherwise.
  static Registry& Global();

  // Error if the name is taken, unless replace.
  Status Register(FunctionPtr function, bool replace = false);
  Status RegisterFactory(std::string_view op, FunctionFactory factory, bool replace = false);
  // True if there was one.
  bool Remove(std::string_view name);
  // Who is asked, without the lock, for names that are not registered. Null, as it is at first:
  // nobody. For the time before several threads use the registry.
  void SetProvider(FunctionProvider provider) { provider_ = provider; }

  // Errors: not found (with a suggestion), or what the factory says of the attributes.
  Result<FunctionPtr> Find(std::string_view name);
  // Whether Find could succeed, as far as the name before '{' tells.
  bool Contains(std::string_view name) const;
  // Sorted: functions by full name, factories by operator name (instances made by factories are not
  // listed, nor what only the provider has).
  std::vector<std::string> Names() const;

 private:
  // Takes the functions that op's factory made out of the table. The lock is held.
  std::vector<FunctionPtr> TakeInstances(std::string_view op);
  // One try of Find; *is_current is false where the factory that made it was replaced meanwhile.
  Result<FunctionPtr> FindOrMake(std::string_view name, bool* is_current);
  bool IsRegistered(std::string_view name) const;
  Status NotRegistered(std::string_view name) const;

  FunctionProvider provider_ = nullptr;
  mutable SpinLock lock_;
  std::map<std::string, FunctionPtr, std::less<>> functions_;
  std::map<std::string, FunctionFactory, std::less<>> factories_;
  std::map<std::string, FunctionPtr, std::less<>> instances_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_REGISTRY_H_
