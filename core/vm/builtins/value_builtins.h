// SPDX-License-Identifier: Apache-2.0
// The tern.* functions: what programs of the language do with texts, lists, maps, scalars and
// single elements of tensors. Lists and maps are values: a function that changes one gives a new
// one. tern.list.push, put and extend, tern.map.put and drop are append, set, concat, set and
// remove for callers that do not look at the first argument again: they write in place where nobody
// else holds it. Code generation chooses them.
#ifndef TERN_CORE_VM_BUILTINS_VALUE_BUILTINS_H_
#define TERN_CORE_VM_BUILTINS_VALUE_BUILTINS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/object/function.h"
#include "core/object/run_context.h"

namespace tern::vm {

// At most what an item takes in a list, apart from an object that it is: its place and a slot.
inline constexpr uint64_t kItemBytes = 32;

struct ValueBuiltin {
  std::string_view name;
  int32_t arity;
  Result<Any> (*plain)(AnyArgs args);
  Result<Any> (*with_context)(RunContext& context, AnyArgs args) = nullptr;
};

// The parts of the table.
std::span<const ValueBuiltin> ListBuiltins();
std::span<const ValueBuiltin> MapBuiltins();
std::span<const ValueBuiltin> StringBuiltins();
std::span<const ValueBuiltin> ScalarBuiltins();  // and tensors, print, fail
std::span<const ValueBuiltin> CheckBuiltins();   // what compiled models begin with

// As a line of output has it: texts as they are, everything else as printed, with bounds so wide
// that they only stop runaway values.
std::string TextOf(const AnyView& value);

// Null where there is none of that name in the table, whose rows stay where they are.
FunctionPtr FindIn(std::span<const ValueBuiltin> table, std::string_view name);
// The same of all tables but CheckBuiltins.
FunctionPtr FindValueBuiltin(std::string_view name);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_BUILTINS_VALUE_BUILTINS_H_
