// SPDX-License-Identifier: Apache-2.0
// The second half of the verifier: every register is written before it is read, on every path, and
// Phi's rule.
//
// The analysis is the usual forward one: `must` holds registers written on every path to a block,
// `may` those written on some path. Bits are kept only for registers that live across blocks, and
// both their number and the work are bounded, so that a hostile function ends in an error and not
// in a long wait.
#ifndef TERN_CORE_VM_VERIFY_FLOW_H_
#define TERN_CORE_VM_VERIFY_FLOW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/vm/executable.h"

namespace tern::vm {

// The kinds a register may hold, where its writers tell: a set of bits.
using KindSet = uint32_t;

// A function whose instructions were each found sound.
struct FlowInput {
  const ExecutableParts& parts;
  const FunctionInfo& function;
  const std::vector<bool>& leaders;   // by instruction: something jumps there
  const std::vector<KindSet>& kinds;  // by register: union over its writers
  bool has_phi = false;
};

struct FlowError {
  int64_t pc = -1;  // -1: none
  std::string reason;
};

FlowError VerifyFlow(const FlowInput& input);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_VERIFY_FLOW_H_
