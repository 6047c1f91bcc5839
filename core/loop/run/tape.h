// SPDX-License-Identifier: Apache-2.0
// Tape: a lowered loop function as a flat list of operations over registers, what the reference
// interpreter executes. A register holds the lanes of one value; how many they are is known only
// when vscale is.
#ifndef TERN_CORE_LOOP_RUN_TAPE_H_
#define TERN_CORE_LOOP_RUN_TAPE_H_

#include <vector>

#include "core/loop/stmt.h"

namespace tern::loop {

// What an instruction counts as. kFree: folded into addresses, or done once before the loop.
enum class InstructionClass : int8_t { kFree, kLoad, kStore, kArith, kPredicate, kControl };
inline constexpr int kInstructionClasses = 6;
std::string_view InstructionClassName(InstructionClass instruction_class);

enum class TapeOp : int8_t {
#define TERN_TAPE_OP(Name, meaning) k##Name,
#include "core/loop/run/tape_ops.def"
};

struct TapeInstruction {
  TapeOp op;
  InstructionClass counts = InstructionClass::kFree;
  int8_t sub = 0;
  int32_t dst = -1, a = -1, b = -1, c = -1;
  int32_t buffer = -1;
  int64_t imm = 0;  // a constant's bits, or a jump's target
  const Node* origin = nullptr;
};

struct Tape {
  std::vector<TapeInstruction> code;
  std::vector<DataType> registers;
  std::vector<BufferPtr> buffers;       // parameters, then local ones
  std::vector<int32_t> sizes, scalars;  // registers of the parameters
  // One register per dimension of each parameter buffer, computed by the first `shape_end`
  // operations.
  std::vector<std::vector<int32_t>> shapes;
  size_t shape_end = 0;
};

// function: verified as lowered.
Tape MakeTape(const LoopFunction& function);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_RUN_TAPE_H_
