// SPDX-License-Identifier: Apache-2.0
// From a verified module to a vm executable.
//
// One instruction per binding. Registers are taken when a variable is bound and given back after
// its last use: the result of a call goes into a register of an argument that dies there, what else
// dies is killed right after, so that its memory serves the next call. Operators become primitives
// named with their attributes ("conv2d{strides=2,2}"); the origin of a binding becomes debug info
// of its instruction. The signature names parameters and results.
#ifndef TERN_CORE_IR_CODEGEN_VM_CODEGEN_H_
#define TERN_CORE_IR_CODEGEN_VM_CODEGEN_H_

#include "core/ir/module.h"
#include "core/vm/executable.h"

namespace tern::ir {

Result<vm::ExecutablePtr> GenerateCode(const Module& module);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_CODEGEN_VM_CODEGEN_H_
