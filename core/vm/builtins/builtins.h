// SPDX-License-Identifier: Apache-2.0
// The vm.builtin.* functions: shape heaps, moves, lists; what a program needs beside its
// instructions. The tern.* functions of value_builtins.h are found here too.
#ifndef TERN_CORE_VM_BUILTINS_BUILTINS_H_
#define TERN_CORE_VM_BUILTINS_BUILTINS_H_

#include <span>
#include <string_view>

#include "core/base/status.h"
#include "core/object/registry.h"

namespace tern::vm {

// Null where there is none of that name. Linking finds them without any registration.
FunctionPtr FindBuiltin(std::string_view name);
// Registers all of them; does nothing if they are there already.
Status RegisterBuiltins(Registry* registry);

// For listings: name, signature and one phrase.
struct BuiltinInfo {
  std::string_view name;
  std::string_view signature;
  std::string_view meaning;
};
std::span<const BuiltinInfo> AllBuiltins();

}  // namespace tern::vm

#endif  // TERN_CORE_VM_BUILTINS_BUILTINS_H_
