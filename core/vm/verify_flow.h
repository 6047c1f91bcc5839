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
#include <span>
#include <string>
#include <vector>

#include "core/vm/executable.h"

namespace tern::vm {

// What an instruction does with a register.
enum class Effect : uint32_t { kRead, kKill, kPhi, kWrite };

// Of all instructions, in the order in which they happen: reads and kills as the operands stand,
// the write last. Made while the operands are checked, so that code is decoded once.
struct Effects {
  static constexpr uint32_t kRegisterBits = 24;  // the most registers a function may have

  std::vector<uint32_t> all;    // effect, register
  std::vector<uint32_t> first;  // by instruction, and one past the last

  void Add(Effect effect, int64_t reg) {
    all.push_back(static_cast<uint32_t>(effect) << kRegisterBits | static_cast<uint32_t>(reg));
  }
  static Effect EffectOf(uint32_t word) { return static_cast<Effect>(word >> kRegisterBits); }
  static uint32_t RegisterOf(uint32_t word) { return word & ((1u << kRegisterBits) - 1); }
  std::span<const uint32_t> Of(uint32_t pc) const {
    return {all.data() + first[pc], first[pc + 1] - first[pc]};
  }
};

// A function whose instructions were each found sound.
struct FlowInput {
  const ExecutableParts& parts;
  const FunctionInfo& function;
  const std::vector<bool>& leaders;  // by instruction: something jumps there
  const Effects& effects;
  bool is_straight = false;  // no jump, no phi, one end
};

struct FlowError {
  int64_t pc = -1;  // -1: none
  std::string reason;
};

// "%3"
std::string RegisterText(int64_t index);

FlowError VerifyFlow(const FlowInput& input);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_VERIFY_FLOW_H_
