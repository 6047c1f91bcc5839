// SPDX-License-Identifier: Apache-2.0
// Frames of calls that need no checks and no growth, in place: what the interpreter's loop does for
// the calls and returns that are frequent. frames.cc has all others. Always inlined, as fast_ops.h.
#ifndef TERN_CORE_VM_FAST_FRAMES_H_
#define TERN_CORE_VM_FAST_FRAMES_H_

#include "core/vm/dispatch.h"
#include "core/vm/interpreter.h"
#include "core/vm/registers.h"
#include "core/vm/type_codes.h"

namespace tern::vm {

// Pushes the callee's frame without setting its registers. False where the stack has no room; Push
// then grows it or says that the limit is reached.
[[gnu::always_inline]] inline bool VirtualMachine::Interpreter::PushFrame(const DecodedOp& op,
                                                                          const EntryInfo& callee,
                                                                          uint32_t pc) {
  const uint32_t base = vm_.stack_top_;
  const uint32_t top = base + callee.registers;
  const uint32_t depth = vm_.depth_;
  if (depth == vm_.frame_capacity_ || top > vm_.stack_capacity_) return false;
  vm_.frames_[depth] = {static_cast<uint32_t>(op.a), pc + 1, base, op.dst,
                        callee.borrows ? callee.arity : 0};
  vm_.depth_ = depth + 1;
  if (depth + 1 > vm_.max_depth_seen_) vm_.max_depth_seen_ = depth + 1;
  vm_.stack_top_ = top;
  return true;
}

// Whether the caller's values have the codes that the callee's parameters must have.
[[gnu::always_inline]] inline bool VirtualMachine::Interpreter::AreOfCodes(
    const DecodedOp& op, const char* regs, const char* pool, const int32_t* codes) const {
  const ValueRef* ref = lists_ + op.list;
  for (const ValueRef* const end = ref + op.count; ref != end; ++ref, ++codes) {
    if (!IsOfCode(CodeAt(TERN_VALUE(*ref)), *codes)) return false;
  }
  return true;
}

// Copies the caller's values into the registers at `to`, counted unless they are lent. A lent value
// belongs to the caller's frame, which outlives the callee's.
[[gnu::always_inline]] inline void VirtualMachine::Interpreter::PassArguments(
    const DecodedOp& op, const char* regs, const char* pool, bool lends, char* to) {
  const ValueRef* ref = lists_ + op.list;
  for (const ValueRef* const end = ref + op.count; ref != end; ++ref, to += sizeof(Any)) {
    const char* const from = TERN_VALUE(*ref);
    const uint64_t head = HeadAt(from);
    if (IsObjectHead(head) && !lends) ObjectAt(from)->IncRef();
    SetWords(to, head, PayloadAt(from));
  }
}

// Ends the top frame and releases what its registers own. They are none afterwards, as all above
// the top.
[[gnu::always_inline]] inline VirtualMachine::Interpreter::Returned
VirtualMachine::Interpreter::PopFrame(char* regs) {
  // Fields are read one by one: the frame was written in narrow stores, and a wide load would wait
  // for them.
  const Frame& frame = vm_.frames_[vm_.depth_ - 1];
  const uint32_t base = frame.base;
  const Returned to = {frame.return_op, frame.dst};
  char* const borrowed_end = regs + size_t{sizeof(Any)} * frame.borrowed;
  char* const end = regs + size_t{sizeof(Any)} * (vm_.stack_top_ - base);
  for (char* at = regs; at != end; at += sizeof(Any)) {
    if (CodeAt(at) > 0 && at >= borrowed_end) [[unlikely]]
      ReleaseAt(at);
    SetWords(at, 0, 0);
  }
  vm_.stack_top_ = base;
  --vm_.depth_;
  return to;
}

// Puts a call's result into the register that wants it, or releases it.
[[gnu::always_inline]] inline void StoreResult(char* regs, int32_t dst, uint64_t head,
                                               int64_t payload) {
  if (dst >= 0) [[likely]] {
    StoreScalar(regs + size_t{sizeof(Any)} * static_cast<uint32_t>(dst), head, payload);
  } else if (IsObjectHead(head)) {
    char words[sizeof(Any)];
    SetWords(words, head, payload);
    ReleaseAt(words);
  }
}

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FAST_FRAMES_H_
