// SPDX-License-Identifier: Apache-2.0
// The vm.builtin.* functions: shape heaps, moves, lists; what a program needs beside its
// instructions. The tern.* functions of value_builtins.h are found here too.
#ifndef TERN_CORE_VM_BUILTINS_BUILTINS_H_
#define TERN_CORE_VM_BUILTINS_BUILTINS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/status.h"
#include "core/object/registry.h"

namespace tern::vm {

// Null where there is none of that name. Linking finds them without any registration.
FunctionPtr FindBuiltin(std::string_view name);
// The same of the vm.builtin.* functions and of what compiled models check with.
FunctionPtr FindMachineBuiltin(std::string_view name);
// Registers the latter, so that a registry knows them without asking its provider; does nothing if
// they are there already.
Status RegisterBuiltins(Registry* registry);

// What vm.builtin.match_shape does with an axis. Numbers of bytecode: never renumber.
enum MatchCode : int64_t {
  kMatchIgnore = 0,
  kMatchStore = 1,      // puts the extent into the heap
  kMatchEqualHeap = 2,  // compares it with a heap entry
  kMatchEqualValue = 3,
};
// The parts of the name that it is given, which may say what the axes are called: of "x[n, m]" the
// argument "x", and of axis 1 the symbol "m". Empty where the name does not tell.
std::string_view MatchArgument(std::string_view name);
std::string_view MatchSymbol(std::string_view name, size_t axis);

// For listings: name, signature and one phrase.
struct BuiltinInfo {
  std::string_view name;
  std::string_view signature;
  std::string_view meaning;
};
std::span<const BuiltinInfo> AllBuiltins();

}  // namespace tern::vm

#endif  // TERN_CORE_VM_BUILTINS_BUILTINS_H_
