// SPDX-License-Identifier: Apache-2.0
// What every pass may rely on and must leave: A-normal form (values are calls, invocations, tuples
// or items of atoms), each variable bound once and before its uses, known types, results of atoms.
// An error names the function and the binding; it is a bug of the pass that ran last, which the
// caller names in a note.
#ifndef TERN_CORE_IR_VERIFIER_H_
#define TERN_CORE_IR_VERIFIER_H_

#include "core/base/status.h"
#include "core/ir/module.h"

namespace tern::ir {

Status Verify(const Module& module);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_VERIFIER_H_
