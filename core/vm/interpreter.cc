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

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/vm/dispatch.h"
#include "core/vm/registers.h"
#include "core/vm/scalar.h"

namespace tern::vm {
namespace {

constexpr uint64_t kSlice = 1 << 14;  // instructions between two looks at cancel and clock
constexpr int64_t kOpBytes = sizeof(DecodedOp);

inline bool BothInts(const char* a, const char* b) {
  return CodeAt(a) == TERN_TYPE_INT && CodeAt(b) == TERN_TYPE_INT;
}
inline int64_t AddressOf(const DecodedOp* op) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(op));
}
inline const DecodedOp* Moved(const DecodedOp* op, int32_t bytes) {
  return reinterpret_cast<const DecodedOp*>(reinterpret_cast<const char*>(op) + bytes);
}
inline int64_t Wrapped(uint64_t value) { return static_cast<int64_t>(value); }
inline uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }

// The data of a shape heap (builtins.h) with an entry at `index`, or null.
inline int64_t* HeapEntry(const char* heap, const char* index) {
  if (CodeAt(heap) != TERN_TYPE_TENSOR || CodeAt(index) != TERN_TYPE_INT) return nullptr;
  const auto* tensor = static_cast<const Tensor*>(ObjectAt(heap));
  if (tensor->dtype() != kI64 || tensor->rank() != 1 || tensor->strides()[0] != 1 ||
      tensor->is_read_only() || !tensor->on_host() ||
      Bits(PayloadAt(index)) >= Bits(tensor->element_count()))
    return nullptr;
  return static_cast<int64_t*>(tensor->data()) + PayloadAt(index);
}

}  // namespace

TERN_KEEPS_REGISTERS [[gnu::noinline]] void ReleaseAt(const char* at) { ObjectAt(at)->DecRef(); }

// --- stopping

uint64_t VirtualMachine::Interpreter::Remaining() const {
  uint64_t remaining = UINT64_MAX;
  if (max_instructions_ != 0) remaining = max_instructions_ - executed_;
  const uint64_t limit = vm_.options_.max_instructions;
  return limit != 0 ? std::min(remaining, limit - vm_.steps_) : remaining;
}

bool VirtualMachine::Interpreter::MayGoOn(uint32_t pc) {
  stopped_ = StopReason::kPaused;
  const uint32_t attend = vm_.attend_.load(std::memory_order_relaxed);
  if ((attend & kAttendCancel) != 0) {
    vm_.attend_.fetch_and(~kAttendCancel, std::memory_order_relaxed);
    stopped_ = StopReason::kCancelled;
    return false;
  }
  if (max_instructions_ != 0 && executed_ >= max_instructions_) return false;
  if (vm_.options_.max_instructions != 0 && vm_.steps_ >= vm_.options_.max_instructions) {
    error_ = Stopped("step limit reached (",
                     FormatGrouped(static_cast<int64_t>(vm_.options_.max_instructions)),
                     " instructions)")
                 .SetErrorCode("S0301");
    return false;
  }
  if ((attend & kAttendMemory) != 0) {
    error_ = vm_.account_.OverLimit();
    return false;
  }
  if ((attend & kAttendTime) != 0 && vm_.Now() >= vm_.deadline_ns_) {
    error_ = Stopped("time limit reached (", vm_.options_.max_time_ns / 1'000'000, " ms)")
                 .SetErrorCode("S0303");
    return false;
  }
  if (!vm_.breakpoints_.empty() && !vm_.skip_breakpoint_ && vm_.HasBreakpoint(pc)) {
    stopped_ = StopReason::kBreakpoint;
    return false;
  }
  return true;
}

template <bool kStep>
bool VirtualMachine::Interpreter::Attend(uint32_t pc, uint64_t executed_now, uint64_t* granted,
                                         Outcome* outcome) {
  Count(executed_now);
  vm_.pc_ = pc;
  *outcome = Outcome::kStopped;
  if (kStep && !ObserveAfter()) return false;
  if (!MayGoOn(pc)) {
    if (!error_.ok()) *outcome = Outcome::kFailed;
    return false;
  }
  if constexpr (kStep) {
    vm_.skip_breakpoint_ = false;
    if (vm_.hooks_ != nullptr && !ObserveBefore(pc)) return false;
    Count(*granted = 1);
    return true;
  }
  const uint64_t remaining = Remaining();
  const uint64_t room = vm_.program_->longest_function();
  if (remaining <= room || IsObserved() || vm_.options_.always_step) {
    *outcome = Outcome::kStep;
    return false;
  }
  *granted = std::min(kSlice, remaining - room);
  return true;
}

// --- the loop

// clang-format off
#define TERN_REG(offset) At(regs, offset)
#define TERN_VALUE(ref)                                                      \
  ((ref) >= 0 ? regs + size_t{sizeof(Any)} * static_cast<uint32_t>(ref)     \
              : pool + size_t{sizeof(Any)} * static_cast<uint32_t>(~(ref)))
// To the op that `op` is set to, which stands behind the one before.
#define TERN_GO                            \
  {                                        \
    if constexpr (kStep) goto attention;   \
    else TERN_NEXT(op->handler)            \
  }
#define TERN_STEP   \
  {                 \
    ++op;           \
    TERN_GO         \
  }
// To a target of a jump, `distance` (an index, when stepping) behind the `length` ops of this one.
#define TERN_JUMP(distance, length)                            \
  {                                                            \
    const int32_t to = distance;                               \
    if constexpr (kStep) {                                     \
      op = code + to;                                          \
      goto attention;                                          \
    } else {                                                   \
      op = Moved(op + (length), to);                           \
      stop_at += to;                                           \
      if (AddressOf(op) >= stop_at) [[unlikely]] goto attention; \
      TERN_NEXT(op->handler)                                   \
    }                                                          \
  }
// To the op with this index, from a call or return.
#define TERN_TRANSFER(index)                                   \
  {                                                            \
    const DecodedOp* const to = code + (index);                \
    if constexpr (!kStep) stop_at += AddressOf(to) - AddressOf(op + 1); \
    op = to;                                                   \
    if constexpr (kStep) goto attention;                       \
    if (AddressOf(op) >= stop_at) [[unlikely]] goto attention; \
    TERN_NEXT(op->handler)                                     \
  }
// Runs an instruction that may fail, out of line: here it costs a call and a test.
#define TERN_DO(method)                                                        \
  {                                                                            \
    if (!Try<&Interpreter::method>(*op)) [[unlikely]] goto failed;             \
    TERN_STEP                                                                  \
  }
#define TERN_FAST_CASE(symbol) \
  TERN_CASE(symbol) if constexpr (kStep) { __builtin_unreachable(); } else
#define TERN_ARITHMETIC(other, expression)                                   \
  {                                                                          \
    const char* const a = TERN_REG(op->a);                                   \
    if (!(other)) [[unlikely]] goto scalar;                                  \
    [[maybe_unused]] const uint64_t x = Bits(PayloadAt(a));                  \
    StoreScalar(TERN_REG(op->dst), kIntHead, Wrapped(expression));           \
    TERN_STEP                                                                \
  }
#define TERN_INT_A CodeAt(a) == TERN_TYPE_INT
#define TERN_INT_AB BothInts(a, TERN_REG(op->b))
#define TERN_B Bits(PayloadAt(TERN_REG(op->b)))
#define TERN_B_SIGNED PayloadAt(TERN_REG(op->b))
#define TERN_IMM Bits(op->b)
#define TERN_COMPARISON(other, expression)                                   \
  {                                                                          \
    const char* const a = TERN_REG(op->a);                                   \
    if (!(other)) [[unlikely]] goto scalar;                                  \
    const int64_t x = PayloadAt(a);                                          \
    StoreScalar(TERN_REG(op->dst), kBoolHead, (expression) ? 1 : 0);         \
    TERN_STEP                                                                \
  }
#define TERN_BRANCH(other, expression)                                       \
  {                                                                          \
    const char* const a = TERN_REG(op->a);                                   \
    if (!(other)) [[unlikely]] goto scalar;                                  \
    const int64_t x = PayloadAt(a);                                          \
    const bool is_true = (expression);                                       \
    StoreScalar(TERN_REG(op->dst), kBoolHead, is_true ? 1 : 0);              \
    if (is_true) TERN_JUMP(op->list, 2)                                      \
    TERN_JUMP(op->count, 2)                                                  \
  }
#define TERN_BRANCH_EQUAL(other, expression)                                 \
  {                                                                          \
    const char* const a = TERN_REG(op->a);                                   \
    if (!(other)) [[unlikely]] goto compare_and_branch;                      \
    const int64_t x = PayloadAt(a);                                          \
    if (expression) TERN_JUMP(op->list, 1)                                   \
    TERN_JUMP(op->count, 1)                                                  \
  }

// --- what the loop calls: error_ is set where it gives false

template <auto kMethod>
[[gnu::noinline]] bool VirtualMachine::Interpreter::Try(const DecodedOp& op) {
  error_ = (this->*kMethod)(op);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryScalar(const DecodedOp& op) {
  return FloatOperation(op) || Try<&Interpreter::Scalar>(op);
}
bool VirtualMachine::Interpreter::TryTruth(const char* value, bool* truth) {
  error_ = Truth(*reinterpret_cast<const Any*>(value), truth);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryEqual(const DecodedOp& op, bool* truth) {
  error_ = ScalarsEqual(Value(op.a), Value(op.b), truth);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryClosure(const DecodedOp& op, const Closure** closure) {
  error_ = ClosureOf(op, closure);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryResult(const DecodedOp& op) {
  const Frame& frame = vm_.top();
  const FunctionInfo& function = Info(frame.function);
  // What the function was called with is known where it has left its parameters alone.
  const bool knows = vm_.program_->entries()[frame.function].borrows;
  const std::vector<AnyView> args(regs_, regs_ + (knows ? function.arity() : 0));
  error_ = function.signature.CheckResult(function.name, Value(op.a), args);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryEnter(const DecodedOp& op, uint32_t function,
                                           const Closure* closure, uint32_t pc) {
  const uint32_t caller = vm_.top().base;
  error_ = EnterFunction(function, op.dst, pc, ListOf(op), closure);
  if (error_.ok() && (op.flags & kReleasesOperands) != 0)
    ReleaseOperands(op, reinterpret_cast<char*>(vm_.stack_.get() + caller));
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryTailCall(const DecodedOp& op, uint32_t function,
                                              const Closure* closure) {
  error_ = TailCall(function, ListOf(op), closure);
  return error_.ok();
}
VirtualMachine::Interpreter::NativeCall VirtualMachine::Interpreter::TryNative(
    const DecodedOp& op, uint32_t function, const Closure* closure) {
  return InvokeNative(function, ListOf(op), closure);
}

template <bool kStep>
VirtualMachine::Interpreter::Outcome VirtualMachine::Interpreter::Loop() {
#ifdef TERN_THREADED_DISPATCH
  static const void* const kLabels[] = {
#define TERN_INSTRUCTION(number, symbol, mnemonic, operands, flow, meaning) &&label_##symbol,
#include "core/vm/isa.def"
#undef TERN_INSTRUCTION
#define TERN_FAST_HANDLER(symbol) &&label_##symbol,
      TERN_FAST_HANDLERS(TERN_FAST_HANDLER)
#undef TERN_FAST_HANDLER
  };
#endif
  const DecodedOp* const code = kStep ? vm_.plain_code_ : vm_.code_;
  const DecodedOp* op = code + vm_.pc_;
  const char* const pool = reinterpret_cast<const char*>(pool_);
  const EntryInfo* const entries = vm_.program_->entries().data();
  int64_t stop_at = AddressOf(op);
  uint64_t granted = 0;
  char* regs = reinterpret_cast<char*>(regs_ = Registers());
  const Closure* closure = nullptr;
  bool truth = false;
  uint32_t index = 0;
  uint64_t head = 0;
  int64_t payload = 0;
  const char* from = nullptr;
  Outcome outcome = Outcome::kStopped;

attention:
  {
    const uint64_t left = kStep ? 0 : static_cast<uint64_t>((stop_at - AddressOf(op)) / kOpBytes);
    const uint64_t done = kStep ? 0 : granted - left;
    if (!Attend<kStep>(static_cast<uint32_t>(op - code), done, &granted, &outcome)) {
      return outcome;
    }
    stop_at = AddressOf(op) + static_cast<int64_t>(granted) * kOpBytes;
  }
  TERN_DISPATCH_BEGIN(op->handler) {
    // The value into two words, then the frame goes.
    TERN_CASE(Ret) {
      if (entries[vm_.top().function].checks_types && !TryResult(*op)) [[unlikely]] goto failed;
      from = TERN_VALUE(op->a);
      goto return_copy;
    }
    TERN_FAST_CASE(RetPool) {
      from = TERN_VALUE(op->a);
      goto return_copy;
    }
    TERN_FAST_CASE(RetParameter) {
      from = TERN_REG(op->a);
      goto return_copy;
    }
    TERN_FAST_CASE(RetOwned) {
      char* const moved = TERN_REG(op->a);
      head = HeadAt(moved);
      payload = PayloadAt(moved);
      SetWords(moved, 0, 0);
      goto return_words;
    }
    TERN_CASE(Goto) TERN_JUMP(op->list, 1)
    TERN_CASE(If) {
      const char* const test = kStep ? TERN_VALUE(op->a) : TERN_REG(op->a);
      if (CodeAt(test) == TERN_TYPE_BOOL) [[likely]] {
        truth = PayloadAt(test) != 0;
      } else if (CodeAt(test) == TERN_TYPE_INT) {
        truth = PayloadAt(test) != 0;
      } else {
        if (!TryTruth(test, &truth)) goto failed;
      }
      if (truth) TERN_JUMP(op->list, 1)
      TERN_JUMP(op->count, 1)
    }
    TERN_CASE(IfEqual) {
      if (!TryEqual(*op, &truth)) goto failed;
      if (truth) TERN_JUMP(op->list, 1)
      TERN_JUMP(op->count, 1)
    }
    TERN_FAST_CASE(IfEqualRR) TERN_BRANCH_EQUAL(TERN_INT_AB, x == TERN_B_SIGNED)
    TERN_FAST_CASE(IfEqualRI) TERN_BRANCH_EQUAL(TERN_INT_A, x == op->b)
    TERN_CASE(Phi) TERN_DO(Phi)
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
    TERN_CASE(LoadConsti) TERN_DO(LoadConsti)
    TERN_CASE(Kill) {
      const ValueRef* ref = lists_ + op->list;
      for (const ValueRef* const end = ref + op->count; ref != end; ++ref) {
        char* const at = regs + size_t{sizeof(Any)} * static_cast<uint32_t>(*ref);
        if (CodeAt(at) > 0) ReleaseAt(at);
        SetWords(at, 0, 0);
      }
      TERN_STEP
    }
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
    TERN_FAST_CASE(InvokeFrame) {
      const EntryInfo& callee = entries[op->a];
      const uint32_t base = vm_.stack_top_;
      const uint32_t top = base + callee.registers;
      const uint32_t depth = vm_.depth_;
      if (depth == vm_.frame_capacity_ || top > vm_.stack_capacity_) [[unlikely]] goto invoke;
      vm_.frames_[depth] = {static_cast<uint32_t>(op->a), static_cast<uint32_t>(op - code) + 1,
                            base, op->dst, callee.borrows ? callee.arity : 0};
      vm_.depth_ = depth + 1;
      if (depth + 1 > vm_.max_depth_seen_) vm_.max_depth_seen_ = depth + 1;
      vm_.stack_top_ = top;
      char* to = reinterpret_cast<char*>(vm_.stack_.get() + base);
      const ValueRef* ref = lists_ + op->list;
      for (const ValueRef* const end = ref + op->count; ref != end; ++ref, to += sizeof(Any)) {
        from = TERN_VALUE(*ref);
        head = HeadAt(from);
        if (IsObjectHead(head) && !callee.borrows) ObjectAt(from)->IncRef();
        SetWords(to, head, PayloadAt(from));
      }
      if ((op->flags & kReleasesOperands) != 0 && !callee.borrows) ReleaseOperands(*op, regs);
      regs_ = vm_.stack_.get() + base;
      regs = reinterpret_cast<char*>(regs_);
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
    TERN_CASE(AllocStorage) TERN_DO(AllocStorage)
    TERN_CASE(AllocTensor)
    TERN_CASE(AllocTensorReg) TERN_DO(AllocTensor)
    TERN_CASE(AllocAdt) TERN_DO(AllocAdt)
    TERN_CASE(AllocClosure) TERN_DO(AllocClosure)
    TERN_CASE(GetField) TERN_DO(GetField)
    TERN_CASE(GetTag) TERN_DO(GetTag)
    TERN_CASE(ShapeOf) TERN_DO(ShapeOf)
    TERN_CASE(ReshapeTensor) TERN_DO(ReshapeTensor)
    TERN_CASE(DeviceCopy) TERN_DO(DeviceCopy)
    TERN_FAST_CASE(AddRR) TERN_ARITHMETIC(TERN_INT_AB, x + TERN_B)
    TERN_FAST_CASE(SubRR) TERN_ARITHMETIC(TERN_INT_AB, x - TERN_B)
    TERN_FAST_CASE(MulRR) TERN_ARITHMETIC(TERN_INT_AB, x * TERN_B)
    TERN_FAST_CASE(AddRI) TERN_ARITHMETIC(TERN_INT_A, x + TERN_IMM)
    TERN_FAST_CASE(MulRI) TERN_ARITHMETIC(TERN_INT_A, x * TERN_IMM)
    TERN_FAST_CASE(AddRIGoto) {
      const char* const a = TERN_REG(op->a);
      if (CodeAt(a) != TERN_TYPE_INT) [[unlikely]] goto scalar;
      StoreScalar(TERN_REG(op->dst), kIntHead, Wrapped(Bits(PayloadAt(a)) + TERN_IMM));
      TERN_JUMP(op->list, 2)
    }
    TERN_FAST_CASE(LtRR) TERN_COMPARISON(TERN_INT_AB, x < TERN_B_SIGNED)
    TERN_FAST_CASE(LeRR) TERN_COMPARISON(TERN_INT_AB, x <= TERN_B_SIGNED)
    TERN_FAST_CASE(EqRR) TERN_COMPARISON(TERN_INT_AB, x == TERN_B_SIGNED)
    TERN_FAST_CASE(NeRR) TERN_COMPARISON(TERN_INT_AB, x != TERN_B_SIGNED)
    TERN_FAST_CASE(LtRI) TERN_COMPARISON(TERN_INT_A, x < op->b)
    TERN_FAST_CASE(GtRI) TERN_COMPARISON(TERN_INT_A, x > op->b)
    TERN_FAST_CASE(EqRI) TERN_COMPARISON(TERN_INT_A, x == op->b)
    TERN_FAST_CASE(NeRI) TERN_COMPARISON(TERN_INT_A, x != op->b)
    TERN_FAST_CASE(IfLtRR) TERN_BRANCH(TERN_INT_AB, x < TERN_B_SIGNED)
    TERN_FAST_CASE(IfLeRR) TERN_BRANCH(TERN_INT_AB, x <= TERN_B_SIGNED)
    TERN_FAST_CASE(IfEqRR) TERN_BRANCH(TERN_INT_AB, x == TERN_B_SIGNED)
    TERN_FAST_CASE(IfNeRR) TERN_BRANCH(TERN_INT_AB, x != TERN_B_SIGNED)
    TERN_FAST_CASE(IfLtRI) TERN_BRANCH(TERN_INT_A, x < op->b)
    TERN_FAST_CASE(IfGtRI) TERN_BRANCH(TERN_INT_A, x > op->b)
    TERN_FAST_CASE(IfEqRI) TERN_BRANCH(TERN_INT_A, x == op->b)
    TERN_FAST_CASE(IfNeRI) TERN_BRANCH(TERN_INT_A, x != op->b)
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
// Instructions whose values are not what their op is specialised for. The op behind is whole, so a
// pair of them goes on there.
return_copy:
  head = HeadAt(from);
  payload = PayloadAt(from);
  if (IsObjectHead(head)) ObjectAt(from)->IncRef();
TERN_LABEL(return_words) {
  // Fields one by one: the frame was written in narrow stores.
  const Frame& frame = vm_.frames_[vm_.depth_ - 1];
  const uint32_t base = frame.base;
  const int32_t dst = frame.dst;
  const uint32_t return_op = frame.return_op;
  char* at = regs;
  char* const borrowed_end = regs + size_t{sizeof(Any)} * frame.borrowed;
  char* const end = regs + size_t{sizeof(Any)} * (vm_.stack_top_ - base);
  for (; at != end; at += sizeof(Any)) {
    if (CodeAt(at) > 0 && at >= borrowed_end) [[unlikely]] ReleaseAt(at);
    SetWords(at, 0, 0);
  }
  vm_.stack_top_ = base;
  if (--vm_.depth_ == 0) [[unlikely]] {
    SetWords(reinterpret_cast<char*>(&vm_.result_), head, payload);
    goto returned;
  }
  regs_ = vm_.stack_.get() + vm_.frames_[vm_.depth_ - 1].base;
  regs = reinterpret_cast<char*>(regs_);
  if (dst >= 0) [[likely]] {
    StoreScalar(regs + size_t{sizeof(Any)} * static_cast<uint32_t>(dst), head, payload);
  } else if (IsObjectHead(head)) {
    char words[sizeof(Any)];
    SetWords(words, head, payload);
    ReleaseAt(words);
  }
  TERN_TRANSFER(return_op)
}
scalar:
  if (!TryScalar(vm_.plain_code_[op - code])) goto failed;
  TERN_STEP
TERN_LABEL(compare_and_branch)
  if (!TryEqual(vm_.plain_code_[op - code], &truth)) goto failed;
  if (truth) TERN_JUMP(op->list, 1)
  TERN_JUMP(op->count, 1)
call:
  if (!TryCallPrimitive(vm_.plain_code_[op - code])) [[unlikely]] goto failed;
  if (vm_.attend_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    ++op;
    goto attention;
  }
  TERN_STEP
  // clang-format on

failed:
  outcome = Outcome::kFailed;
  goto leave;
returned:
  outcome = Outcome::kReturned;
leave:
  vm_.pc_ = static_cast<uint32_t>(op - code);
  // This instruction counts; when stepping it was counted before it ran.
  if constexpr (!kStep)
    Count(granted + 1 - static_cast<uint64_t>((stop_at - AddressOf(op)) / kOpBytes));
  if (kStep && outcome == Outcome::kReturned) ObserveAfter();
  return outcome;
}

// An operator that was cancelled has left its arguments alone: it is the next instruction still.
bool VirtualMachine::Interpreter::IsCancelledInside() {
  constexpr auto kOrder = std::memory_order_relaxed;
  if (error_.error_code() != "S0302" || (vm_.attend_.load(kOrder) & kAttendCancel) == 0)
    return false;
  vm_.attend_.fetch_and(~kAttendCancel, kOrder);
  stopped_ = StopReason::kCancelled;
  --vm_.steps_;
  --executed_;
  return true;
}

Result<StopReason> VirtualMachine::Interpreter::Run(uint64_t max_instructions) {
  max_instructions_ = max_instructions;
  Outcome outcome = Loop<false>();
  if (outcome == Outcome::kStep) outcome = Loop<true>();
  if (outcome == Outcome::kFailed && !IsCancelledInside()) return std::move(error_);
  return outcome == Outcome::kReturned ? StopReason::kReturned : stopped_;
}

}  // namespace tern::vm
