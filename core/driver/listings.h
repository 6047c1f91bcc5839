// SPDX-License-Identifier: Apache-2.0
// What code generation decided, as text for people and golden tests: the stages allocate_registers
// and layout_constants of `tern lower`.
#ifndef TERN_CORE_DRIVER_LISTINGS_H_
#define TERN_CORE_DRIVER_LISTINGS_H_

#include <span>
#include <string>

#include "core/ir/codegen/vm_codegen.h"
#include "core/vm/executable.h"

namespace tern::driver {

// The module with "// r3" behind bindings; behind each function its parameters' registers, how many
// values are live at most, and how many registers there are.
std::string RegistersText(const ir::Module& module,
                          std::span<const ir::RegisterAssignment> assignments);

// The constants in their order: where the data of tensors lies (bytes from the first, aligned as in
// the file) and how many operands name each.
std::string ConstantsText(const vm::Executable& executable);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_LISTINGS_H_
