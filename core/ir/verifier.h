// SPDX-License-Identifier: Apache-2.0
// What every pass may rely on and must leave: A-normal form (operands and results of blocks are
// atoms), each variable bound once and before its uses in its own block or in one around it, known
// types, callees that exist and take as many arguments, one case per constructor, tail calls only
// at ends. An error names the function and the binding; it is a bug of the pass that ran last,
// which the caller names in a note.
#ifndef TERN_CORE_IR_VERIFIER_H_
#define TERN_CORE_IR_VERIFIER_H_

#include "core/base/status.h"
#include "core/ir/module.h"

namespace tern::ir {

Status Verify(const Module& module);
// Of a module that was made of a verified one, only the functions that changed, and all where their
// callees might have: passes leave most functions as they are.
Status VerifyChanges(const Module& module, const Module& verified);

// Whether every operand is an atom and every value has a type; what does not may only go to
// to_a_normal_form.
bool IsANormalForm(const Module& module);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_VERIFIER_H_
