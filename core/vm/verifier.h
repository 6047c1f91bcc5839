// SPDX-License-Identifier: Apache-2.0
// Verify: proves, before the first instruction runs, that the tables of an executable are sound.
//
// Checked: functions tile the code, names are unique, every instruction decodes, every operand has
// a kind its role allows and an index in range, arities agree, jumps stay inside their function, no
// path runs off the end, every register is written before it is read on every path and not after a
// kill, and Phi's rule: each operand may hold a value, not both always do, and their known kinds
// can agree. What the interpreter may therefore leave unchecked is told in interpreter.cc. The
// first error names section, function, instruction and reason.
#ifndef TERN_CORE_VM_VERIFIER_H_
#define TERN_CORE_VM_VERIFIER_H_

#include "core/base/status.h"
#include "core/vm/executable.h"

namespace tern::vm {

struct VerifyOptions {
  // Also refuse a function that writes one register twice (static single assignment).
  bool ssa = false;
  // Leave indices of constants and functions alone: the tables are not there yet (ExecBuilder).
  bool unlinked = false;
};

// Where the first error is; -1 where it is not in a function or not at an instruction.
struct VerifyFailure {
  int64_t function = -1;
  int64_t pc = -1;  // from the function's first instruction
  std::string reason;
};

Status Verify(const ExecutableParts& parts, const VerifyOptions& options = {},
              VerifyFailure* failure = nullptr);
Status Verify(const Executable& executable, const VerifyOptions& options);
// The one function of parts, by itself.
Status VerifyUnlinked(const ExecutableParts& parts, VerifyFailure* failure);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_VERIFIER_H_
