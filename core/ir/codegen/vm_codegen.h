// SPDX-License-Identifier: Apache-2.0
// From a verified module without lambdas (lambda_lift) to a vm executable.
//
// One instruction per binding. Registers are taken when a variable is bound and given back after
// its last use: the result of a call goes into a register of an argument that dies there, what else
// dies is killed right after, so that its memory serves the next call. Operators become primitives
// named with their attributes ("conv2d{strides=2,2}"); the origin of a binding becomes debug info
// of its instruction, file, line and column where it has the form "name.tn:line:column". The
// signature names parameters and results.
//
// A branch begins with the kills of what only the other ones read. Both end with their result in
// one register: where the first one left it, and where the others are asked to put it. A branch
// whose result is the function's returns by itself, so a tail call in it needs no place to come
// back to.
#ifndef TERN_CORE_IR_CODEGEN_VM_CODEGEN_H_
#define TERN_CORE_IR_CODEGEN_VM_CODEGEN_H_

#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/ir/module.h"
#include "core/vm/executable.h"

namespace tern::ir {

// Which registers the variables of a function were given.
struct RegisterAssignment {
  std::unordered_map<const Node*, int64_t> registers;  // parameters and bindings that got one
  size_t count = 0;
  size_t max_live = 0;  // values at once (analyze_liveness.h)
};

struct CodegenOptions {
  // Gives results of calls places in arenas (vm/places.h), by the plan of plan_memory.h.
  bool places_tensors = true;
  // Where constants lie that a model's file does not align, and what keeps them.
  AlignedCopies aligned = {};
  ObjectPtr<Object> keeper = {};
};

// assignments: one per function of the module, in order; may be null.
Result<vm::ExecutablePtr> GenerateCode(const Module& module,
                                       std::vector<RegisterAssignment>* assignments = nullptr,
                                       const CodegenOptions& options = {});

}  // namespace tern::ir

#endif  // TERN_CORE_IR_CODEGEN_VM_CODEGEN_H_
