// SPDX-License-Identifier: Apache-2.0
// The interpreter: one function with a case per instruction, compiled twice.
//
// For speed it runs the specialised code and looks at nothing between instructions. What bounds it
// is one number, `stop_at`: the address at which straight code would have used up what Attend
// granted. A jump moves it along with `op`, so that counting costs one addition per jump and one
// comparison; it is compared at jumps, calls and returns. Between two of these lies at most a
// function's length of code, and grants leave that much room, so limits are kept to the
// instruction: the last of a budget run in the stepping loop.
//
// The stepping loop (kStep) runs the plain code and asks Attend before every instruction, which
// looks at limits, cancel, breakpoints and hooks. It is a switch everywhere, the fast loop threaded
// where the compiler can.
//
// The code was verified, so nothing here checks registers, indices or jump targets; kinds of values
// are checked, since they are known only now. Registers above the top of the stack are always none,
// so a new frame finds its registers empty. Arguments of primitives are borrowed views; those of
// functions that leave their parameters alone are borrowed from the caller's frame, others counted.
#include "core/vm/interpreter.h"

#include <algorithm>

#include "core/object/containers/adt.h"
#include "core/vm/dispatch.h"
#include "core/vm/fast_frames.h"
#include "core/vm/fast_ops.h"
#include "core/vm/registers.h"
#include "core/vm/scalar.h"

namespace tern::vm {
namespace {

constexpr uint64_t kSlice = 1 << 14;  // instructions between two looks at cancel and clock
constexpr int64_t kOpBytes = sizeof(DecodedOp);

inline int64_t AddressOf(const DecodedOp* op) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(op));
}
inline const DecodedOp* Moved(const DecodedOp* op, int32_t bytes) {
  return reinterpret_cast<const DecodedOp*>(reinterpret_cast<const char*>(op) + bytes);
}

}  // namespace

// Out of line, with a calling convention that keeps registers: releasing is rare next to looking.
TERN_KEEPS_REGISTERS [[gnu::noinline]] void ReleaseAt(const char* at) { ObjectAt(at)->DecRef(); }

// --- stopping

// Called where the loop's grant is used up, or something in attend_ asks for a look. Counts what
// ran, then says how much may run, or why none.
template <bool kStep>
bool VirtualMachine::Interpreter::Attend(uint32_t pc, uint64_t executed_now, uint64_t* granted,
                                         Outcome* outcome) {
  Count(executed_now);
  vm_.pc_ = pc;
  *outcome = Outcome::kStopped;
  // The instruction before is over: its writes are told first, and its hook may pause here.
  if (kStep && !ObserveAfter()) return false;
  if (!kStep && ahead_ != 0) {
    // The stepping loop has asked all that is asked below.
    is_ahead_ = !is_ahead_;
    *granted = ahead_;
    *outcome = Outcome::kStep;
    if (!is_ahead_) EndAhead();
    return is_ahead_;
  }
  if (!MayGoOn(pc)) {
    if (!error_.ok()) *outcome = Outcome::kFailed;
    return false;
  }
  if constexpr (kStep) {
    // Armed again from the second instruction on.
    vm_.skip_breakpoint_ = false;
    if (vm_.hooks_ != nullptr && !ObserveBefore(pc)) {
      if (ahead_ != 0) *outcome = Outcome::kAhead;
      return false;
    }
    // Counted before it runs, so that a hook sees the instruction's own number.
    Count(*granted = 1);
    return true;
  }
  // Near the end of a budget, or when observed, the stepping loop takes over: it alone can stop
  // between any two instructions. The fast loop may overshoot a grant by a function's length at
  // most, which `room` reserves.
  const uint64_t remaining = Remaining();
  const uint64_t room = vm_.program_->longest_function();
  if (remaining <= room || IsObserved() || vm_.options_.always_step) {
    *outcome = Outcome::kStep;
    return false;
  }
  *granted = std::min(kSlice, remaining - room);
  return true;
}

// --- what the loop calls for values: error_ is set where it gives false

template <auto kMethod>
[[gnu::noinline]] bool VirtualMachine::Interpreter::Try(const DecodedOp& op) {
  error_ = (this->*kMethod)(op);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryScalar(const DecodedOp& op) {
  if (FloatOperation(op)) return true;
  // What tensors hold may be another number when the run is done again.
  if (is_ahead_ && (Value(op.a).is_object() || (op.b != kNoValue && Value(op.b).is_object())))
    return !LeavesAhead();
  if (Try<&Interpreter::Scalar>(op)) return true;
  // The stepping loop meets the error again, and tells it.
  if (LeavesAhead()) error_ = OkStatus();
  return false;
}
bool VirtualMachine::Interpreter::TryTruth(const char* value, bool* truth) {
  if (LeavesAhead()) return false;
  error_ = Truth(*reinterpret_cast<const Any*>(value), truth);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryEqual(const DecodedOp& op, bool* truth) {
  if (LeavesAhead()) return false;
  error_ = ScalarsEqual(Value(op.a), Value(op.b), truth);
  return error_.ok();
}

template <bool kStep>
VirtualMachine::Interpreter::Outcome VirtualMachine::Interpreter::Loop() {
#ifdef TERN_THREADED_DISPATCH
  // One label per Handler, in the order of the enumeration: instructions first, then the fast
  // forms.
  static const void* const kLabels[] = {
#define TERN_INSTRUCTION(number, symbol, mnemonic, operands, flow, meaning) &&label_##symbol,
#include "core/vm/isa.def"
#undef TERN_INSTRUCTION
#define TERN_FAST_HANDLER(symbol) &&label_##symbol,
      TERN_FAST_HANDLERS(TERN_FAST_HANDLER)
#undef TERN_FAST_HANDLER
  };
#endif
  const DecodedOp* const code = kStep         ? vm_.plain_code_
                                : ahead_ != 0 ? vm_.ahead_code_.data()
                                              : vm_.code_;
  const DecodedOp* op = code + vm_.pc_;
  const char* const pool = reinterpret_cast<const char*>(pool_);
  const EntryInfo* const entries = vm_.program_->entries().data();
  // No grant yet, so Attend is asked before the first instruction.
  int64_t stop_at = AddressOf(op);
  uint64_t granted = 0;
  char* regs = reinterpret_cast<char*>(regs_ = Registers());
  // Declared ahead of the labels, because a goto may not cross an initialisation.
  const Closure* closure = nullptr;
  bool truth = false;
  uint32_t index = 0;
  uint64_t head = 0;
  int64_t payload = 0;
  const char* from = nullptr;
  Outcome outcome = Outcome::kStopped;

attention : {
  // What is left of the grant is the distance to stop_at, in ops. It is negative after an
  // overshoot; done is then more than was granted, as it must be.
  const uint64_t left = kStep ? 0 : static_cast<uint64_t>((stop_at - AddressOf(op)) / kOpBytes);
  const uint64_t done = kStep ? 0 : granted - left;
  if (!Attend<kStep>(static_cast<uint32_t>(op - code), done, &granted, &outcome)) {
    return outcome;
  }
  stop_at = AddressOf(op) + static_cast<int64_t>(granted) * kOpBytes;
}
  // clang-format off
  TERN_DISPATCH_BEGIN(op->handler) {
    // The value is taken into two words before the frame is removed: the register may be its only
    // owner.
    TERN_CASE(Ret) {
      const EntryInfo& entry = entries[vm_.top().function];
      from = TERN_VALUE(op->a);
      if (entry.checks_types && !IsOfCode(CodeAt(from), entry.result_code)) [[unlikely]]
        if (!TryResult(*op)) goto failed;
      goto return_copy;
    }
    TERN_FAST_CASE(RetPool) {
      from = TERN_VALUE(op->a);
      goto return_copy;
    }
    // The last one of a run is told.
    TERN_FAST_CASE(RetInner) {
      if (vm_.depth_ == 1) goto attention;
      const EntryInfo& entry = entries[vm_.top().function];
      from = TERN_VALUE(op->a);
      if (entry.checks_types && !IsOfCode(CodeAt(from), entry.result_code)) [[unlikely]]
        if (!TryResult(*op)) goto failed;
      goto return_copy;
    }
    TERN_FAST_CASE(Leave) goto attention;
    // A lent parameter belongs to the caller: copied with a count.
    TERN_FAST_CASE(RetParameter) {
      from = TERN_REG(op->a);
      goto return_copy;
    }
    // The register dies with the frame, so its reference moves to the result.
    TERN_FAST_CASE(RetOwned) {
      char* const moved = TERN_REG(op->a);
      head = HeadAt(moved);
      payload = PayloadAt(moved);
      SetWords(moved, 0, 0);
      goto return_words;
    }
    TERN_CASE(Goto) TERN_JUMP(op->list, 1)
    TERN_CASE(If) {
      // In the specialised code tests are always registers.
      const char* const test = kStep ? TERN_VALUE(op->a) : TERN_REG(op->a);
      if (CodeAt(test) == TERN_TYPE_BOOL) [[likely]] {
        truth = PayloadAt(test) != 0;
      } else if (CodeAt(test) == TERN_TYPE_INT) {
        truth = PayloadAt(test) != 0;
      } else {
        if (!TryTruth(test, &truth)) goto failed;
      }
      TERN_BRANCH(truth, 1)
    }
    TERN_CASE(IfEqual) {
      if (!TryEqual(*op, &truth)) goto failed;
      TERN_BRANCH(truth, 1)
    }
    TERN_FAST_CASE(IfEqualRR) {
      bool is_true;
      if (!ComputeInts<kEqual, Second::kRegister>(*op, regs, &is_true)) [[unlikely]]
        goto compare_and_branch;
      TERN_BRANCH(is_true, 1)
    }
    TERN_FAST_CASE(IfEqualRI) {
      bool is_true;
      if (!ComputeInts<kEqual, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]]
        goto compare_and_branch;
      TERN_BRANCH(is_true, 1)
    }
    TERN_CASE(Phi) {
      if (!Try<&Interpreter::Phi>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(Fatal) {
      Try<&Interpreter::Fatal>(*op);
      goto failed;
    }
    TERN_FAST_CASE(MoveRR) {
      CopyOver(TERN_REG(op->dst), TERN_REG(op->a));
      TERN_STEP
    }
    TERN_CASE(Move)
    TERN_CASE(LoadConst) {
      CopyOver(regs + size_t{sizeof(Any)} * static_cast<uint32_t>(op->dst), TERN_VALUE(op->a));
      TERN_STEP
    }
    TERN_CASE(LoadConsti) {
      if (!Try<&Interpreter::LoadConsti>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(Kill) {
      const ValueRef* ref = lists_ + op->list;
      for (const ValueRef* const end = ref + op->count; ref != end; ++ref) {
        char* const at = regs + size_t{sizeof(Any)} * static_cast<uint32_t>(*ref);
        if (CodeAt(at) > 0) ReleaseAt(at);
        SetWords(at, 0, 0);
      }
      TERN_STEP
    }
    // Entries of a shape heap without a call; `call` does the same by the primitive, checked.
    TERN_FAST_CASE(LoadDim) {
      const int64_t* const entry = HeapEntry(TERN_VALUE(op->a), TERN_VALUE(op->b));
      if (entry == nullptr) [[unlikely]] goto call;
      StoreScalar(TERN_REG(op->dst), kIntHead, *entry);
      TERN_STEP
    }
    TERN_FAST_CASE(StoreDim) {
      const char* const extent = TERN_VALUE(op->list);
      int64_t* const entry = HeapEntry(TERN_VALUE(op->a), TERN_VALUE(op->b));
      if (entry == nullptr || CodeAt(extent) != TERN_TYPE_INT) [[unlikely]] goto call;
      *entry = PayloadAt(extent);
      TERN_STEP
    }
    TERN_CASE(Call)
    TERN_CASE(InvokePacked) goto call;
    // The short way of a call: three tests, then a frame. `invoke` is the long way for the same op.
    TERN_FAST_CASE(InvokeFrame) {
      const EntryInfo& callee = entries[op->a];
      char* const frame = reinterpret_cast<char*>(vm_.stack_.get() + vm_.stack_top_);
      if (callee.codes != nullptr && !AreOfCodes(*op, regs, pool, callee.codes)) [[unlikely]]
        goto invoke;
      if (!PushFrame(*op, callee, static_cast<uint32_t>(op - code))) [[unlikely]] goto invoke;
      PassArguments(*op, regs, pool, callee.borrows, frame);
      if ((op->flags & kReleasesOperands) != 0 && !callee.borrows) ReleaseOperands(*op, regs);
      regs_ = reinterpret_cast<Any*>(regs = frame);
      TERN_TRANSFER(callee.first)
    }
    TERN_CASE(Invoke)
    TERN_LABEL(invoke) {
      index = static_cast<uint32_t>(op->a);
      if (!TryEnter(*op, index, nullptr, static_cast<uint32_t>(op - code))) goto failed;
      regs = reinterpret_cast<char*>(regs_);
      TERN_TRANSFER(entries[index].first)
    }
    TERN_CASE(InvokeClosure) {
      if (!TryClosure(*op, &closure)) goto failed;
      index = closure->function_index();
      if (vm_.IsReplaced(index)) [[unlikely]] goto invoke_native;
      if (!TryEnter(*op, index, closure, static_cast<uint32_t>(op - code))) goto failed;
      regs = reinterpret_cast<char*>(regs_);
      TERN_TRANSFER(entries[index].first)
    }
    TERN_CASE(TailInvokeClosure) {
      if (!TryClosure(*op, &closure)) goto failed;
      // The closure lives in a register until the callee has its values.
      index = closure->function_index();
      if (vm_.IsReplaced(index)) [[unlikely]] goto tail_invoke_native;
      goto tail_invoke;
    }
    TERN_CASE(TailInvoke) {
      index = static_cast<uint32_t>(op->a);
      closure = nullptr;
    tail_invoke:
      if (!TryTailCall(*op, index, closure)) goto failed;
      regs = reinterpret_cast<char*>(regs_);
      TERN_TRANSFER(entries[index].first)
    }
    TERN_CASE(InvokeNative) {
      index = static_cast<uint32_t>(op->a);
      closure = nullptr;
    invoke_native:
      switch (TryNative(*op, index, closure)) {
        case NativeCall::kFailed: goto failed;
        case NativeCall::kDone: break;
        case NativeCall::kDeclined:
          if (!TryEnter(*op, index, closure, static_cast<uint32_t>(op - code))) goto failed;
          regs = reinterpret_cast<char*>(regs_);
          TERN_TRANSFER(entries[index].first)
      }
      if (op->dst >= 0) Store(op->dst, std::move(native_value_));
      TERN_STEP
    }
    TERN_CASE(TailInvokeNative) {
      index = static_cast<uint32_t>(op->a);
      closure = nullptr;
    tail_invoke_native:
      switch (TryNative(*op, index, closure)) {
        case NativeCall::kFailed: goto failed;
        case NativeCall::kDone: break;
        case NativeCall::kDeclined: goto tail_invoke;
      }
      if (!Return(std::move(native_value_), &index)) goto returned;
      regs = reinterpret_cast<char*>(regs_);
      TERN_TRANSFER(index)
    }
    TERN_CASE(AllocStorage) {
      if (!Try<&Interpreter::AllocStorage>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(AllocTensor)
    TERN_CASE(AllocTensorReg) {
      if (!Try<&Interpreter::AllocTensor>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(AllocAdt) {
      if (!Try<&Interpreter::AllocAdt>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(AllocClosure) {
      if (!Try<&Interpreter::AllocClosure>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(GetField) {
      if (!Try<&Interpreter::GetField>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(GetTag) {
      if (!Try<&Interpreter::GetTag>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(ShapeOf) {
      if (!Try<&Interpreter::ShapeOf>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(ReshapeTensor) {
      if (!Try<&Interpreter::ReshapeTensor>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_CASE(DeviceCopy) {
      if (!Try<&Interpreter::DeviceCopy>(*op)) [[unlikely]] goto failed;
      TERN_STEP
    }
    TERN_FAST_CASE(AddRR) {
      if (!StoreInt<kPlus, Second::kRegister>(*op, regs)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(SubRR) {
      if (!StoreInt<kMinus, Second::kRegister>(*op, regs)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(MulRR) {
      if (!StoreInt<kTimes, Second::kRegister>(*op, regs)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(AddRI) {
      if (!StoreInt<kPlus, Second::kImmediate>(*op, regs)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(MulRI) {
      if (!StoreInt<kTimes, Second::kImmediate>(*op, regs)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(AddRIGoto) {
      if (!StoreInt<kPlus, Second::kImmediate>(*op, regs)) [[unlikely]] goto scalar;
      TERN_JUMP(op->list, 2)
    }
    TERN_FAST_CASE(LtRR) {
      bool is_true;
      if (!StoreBool<kLess, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(LeRR) {
      bool is_true;
      if (!StoreBool<kLessEqual, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(EqRR) {
      bool is_true;
      if (!StoreBool<kEqual, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(NeRR) {
      bool is_true;
      if (!StoreBool<kNotEqual, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(LtRI) {
      bool is_true;
      if (!StoreBool<kLess, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(GtRI) {
      bool is_true;
      if (!StoreBool<kGreater, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(EqRI) {
      bool is_true;
      if (!StoreBool<kEqual, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(NeRI) {
      bool is_true;
      if (!StoreBool<kNotEqual, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_STEP
    }
    TERN_FAST_CASE(IfLtRR) {
      bool is_true;
      if (!StoreBool<kLess, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    TERN_FAST_CASE(IfLeRR) {
      bool is_true;
      if (!StoreBool<kLessEqual, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    TERN_FAST_CASE(IfEqRR) {
      bool is_true;
      if (!StoreBool<kEqual, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    TERN_FAST_CASE(IfNeRR) {
      bool is_true;
      if (!StoreBool<kNotEqual, Second::kRegister>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    TERN_FAST_CASE(IfLtRI) {
      bool is_true;
      if (!StoreBool<kLess, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    TERN_FAST_CASE(IfGtRI) {
      bool is_true;
      if (!StoreBool<kGreater, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    TERN_FAST_CASE(IfEqRI) {
      bool is_true;
      if (!StoreBool<kEqual, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    TERN_FAST_CASE(IfNeRI) {
      bool is_true;
      if (!StoreBool<kNotEqual, Second::kImmediate>(*op, regs, &is_true)) [[unlikely]] goto scalar;
      TERN_BRANCH(is_true, 2)
    }
    // Positive divisors only: the rest has rules (scalar.cc), and overflows for INT64_MIN / -1.
    TERN_CASE(Div) {
      const char* const a = TERN_VALUE(op->a);
      const char* const b = TERN_VALUE(op->b);
      if (!BothInts(a, b) || PayloadAt(b) <= 0) [[unlikely]] goto scalar;
      StoreScalar(regs + size_t{sizeof(Any)} * static_cast<uint32_t>(op->dst), kIntHead,
                  PayloadAt(a) / PayloadAt(b));
      TERN_STEP
    }
    TERN_CASE(Mod) {
      const char* const a = TERN_VALUE(op->a);
      const char* const b = TERN_VALUE(op->b);
      if (!BothInts(a, b) || PayloadAt(b) <= 0) [[unlikely]] goto scalar;
      StoreScalar(regs + size_t{sizeof(Any)} * static_cast<uint32_t>(op->dst), kIntHead,
                  PayloadAt(a) % PayloadAt(b));
      TERN_STEP
    }
    TERN_CASE(Add)
    TERN_CASE(Sub)
    TERN_CASE(Mul)
    TERN_CASE(Lt)
    TERN_CASE(Le)
    TERN_CASE(Gt)
    TERN_CASE(Ge)
    TERN_CASE(Eq)
    TERN_CASE(Ne)
    TERN_CASE(And)
    TERN_CASE(Or)
    TERN_CASE(Neg)
    TERN_CASE(Not)
    TERN_CASE(ToInt)
    TERN_CASE(ToFloat)
    TERN_CASE(ToBool) goto scalar;
  }
// Where a fast form goes when values are not what it is specialised for: to the plain op at the
// same place. Both code arrays have the same length. The second op of a pair is whole, so the pair
// goes on there.
return_copy:
  head = HeadAt(from);
  payload = PayloadAt(from);
  if (IsObjectHead(head)) ObjectAt(from)->IncRef();
TERN_LABEL(return_words) {
  const Returned back = PopFrame(regs);
  if (vm_.depth_ == 0) [[unlikely]] {
    SetWords(reinterpret_cast<char*>(&vm_.result_), head, payload);
    goto returned;
  }
  regs = reinterpret_cast<char*>(regs_ = Registers());
  StoreResult(regs, back.dst, head, payload);
  TERN_TRANSFER(back.op)
}
scalar:
  if (!TryScalar(vm_.plain_code_[op - code])) goto failed;
  TERN_STEP
TERN_LABEL(compare_and_branch)
  if (!TryEqual(vm_.plain_code_[op - code], &truth)) goto failed;
  TERN_BRANCH(truth, 1)
call:
  if (!TryCallPrimitive(vm_.plain_code_[op - code])) [[unlikely]] goto failed;
  // A primitive may have been what asked for attention: a cancel, a memory limit.
  if (vm_.attend_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    ++op;
    goto attention;
  }
  TERN_STEP
  // clang-format on

failed:
  if constexpr (!kStep) {
    if (leaves_) {
      leaves_ = false;
      goto attention;
    }
  }
  outcome = Outcome::kFailed;
  goto leave;
returned:
  outcome = Outcome::kReturned;
leave:
  vm_.pc_ = static_cast<uint32_t>(op - code);
  // The instruction that ends the run counts. When stepping it was counted before it ran.
  if constexpr (!kStep)
    Count(granted + 1 - static_cast<uint64_t>((stop_at - AddressOf(op)) / kOpBytes));
  if (kStep && outcome == Outcome::kReturned) ObserveAfter();
  return outcome;
}

Result<StopReason> VirtualMachine::Interpreter::Run(uint64_t max_instructions) {
  max_instructions_ = max_instructions;
  // Fast until something needs the stepping loop, which then goes on to the end of this Resume, but
  // for what hooks let run ahead.
  Outcome outcome = Loop<false>();
  while (outcome == Outcome::kStep || outcome == Outcome::kAhead)
    outcome = outcome == Outcome::kStep ? Loop<true>() : Loop<false>();
  if (outcome == Outcome::kFailed && !IsCancelledInside()) return std::move(error_);
  return outcome == Outcome::kReturned ? StopReason::kReturned : stopped_;
}

}  // namespace tern::vm
