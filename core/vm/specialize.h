// SPDX-License-Identifier: Apache-2.0
// Specialize: the second copy of a program's code, for speed.
//
// Where the kinds of operands (register, small int) are known now, an instruction gets a handler
// for them; a comparison and the branch on it, and an addition and the jump behind it, become one
// op. What is specialised speculates that values are ints: for others the handler runs the plain
// op. Every op keeps its index, so that instruction and op stay one number.
#ifndef TERN_CORE_VM_SPECIALIZE_H_
#define TERN_CORE_VM_SPECIALIZE_H_

#include <span>
#include <vector>

#include "core/vm/linker.h"

namespace tern::vm {

struct SpecializeInput {
  std::span<const FunctionInfo> functions;
  std::span<const EntryInfo> entries;
  std::span<const DecodedOp> plain;
  std::span<const int32_t> lists;
  std::span<const Any> pool;
  int32_t load_dim = -1;  // the primitives that these builtins are, -1: none
  int32_t store_dim = -1;
};
std::vector<DecodedOp> Specialize(const SpecializeInput& input);

// A third copy, for runs that are recorded but not told each instruction (HookAction::RunAhead):
// `code`, in which all is left to the stepping loop but what computes with registers alone. Running
// it again from the same registers gives the same registers.
std::vector<DecodedOp> AheadCode(std::span<const DecodedOp> code, std::span<const DecodedOp> plain);

// Whether what the register holds is not looked at behind the call: `next`, the op behind it, kills
// it, or the call's result takes its place.
bool DiesAt(const DecodedOp& call, const DecodedOp& next, int32_t reg,
            std::span<const int32_t> lists);

// EntryInfo::borrows.
bool LeavesParametersAlone(const FunctionInfo& function, std::span<const DecodedOp> plain,
                           std::span<const int32_t> lists);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_SPECIALIZE_H_
