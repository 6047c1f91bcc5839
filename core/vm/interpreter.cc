// SPDX-License-Identifier: Apache-2.0
// The interpreter: one function with a case per instruction, and the frames it runs on.
//
// The code was verified, so nothing here checks registers, indices or jump targets; kinds of values
// are checked, since they are known only now. One counter is tested per instruction: when it runs
// out, Attention looks at everything that may stop a run (limits, cancel, breakpoints, hooks) and
// grants more. With nobody looking on a grant is kSlice instructions, with hooks or breakpoints
// one. Calls of primitives also look at `cancel_`.
//
// Registers above the top of the stack are always none, so a new frame finds its registers empty.
// Arguments of primitives are borrowed views; a frame's arguments are counted copies.
#include <algorithm>

#include "core/base/strings.h"
#include "core/object/adt.h"
#include "core/vm/dispatch.h"
#include "core/vm/interpreter.h"
#include "core/vm/scalar.h"

namespace tern::vm {
namespace {

constexpr int64_t kSlice = 1 << 14;

inline bool BothInts(const TernAny& a, const TernAny& b) {
  return a.type_code == TERN_TYPE_INT && b.type_code == TERN_TYPE_INT;
}

}  // namespace

// --- stopping
// ------------------------------------------------------------------------------------------

// Counts what was executed since the last grant.
void VirtualMachine::Interpreter::Settle() {
  const auto done = static_cast<uint64_t>(granted_ - budget_);
  executed_ += done;
  vm_.steps_ += done;
  granted_ = budget_ = 0;
}

bool VirtualMachine::Interpreter::MayGoOn(uint32_t pc) {
  stopped_ = StopReason::kPaused;
  if (vm_.cancel_.exchange(false, std::memory_order_relaxed)) {
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
  if (!vm_.breakpoints_.empty() && !vm_.skip_breakpoint_ && vm_.HasBreakpoint(pc)) {
    stopped_ = StopReason::kBreakpoint;
    return false;
  }
  return true;
}

bool VirtualMachine::Interpreter::Attention(uint32_t pc) {
  Settle();
  vm_.pc_ = pc;
  if (!ObserveAfter()) return false;
  if (!MayGoOn(pc)) return false;
  vm_.skip_breakpoint_ = false;
  if (vm_.hooks_ != nullptr && !ObserveBefore(pc)) return false;
  uint64_t grant = vm_.hooks_ != nullptr || !vm_.breakpoints_.empty() ? 1 : kSlice;
  if (max_instructions_ != 0) grant = std::min(grant, max_instructions_ - executed_);
  if (vm_.options_.max_instructions != 0)
    grant = std::min(grant, vm_.options_.max_instructions - vm_.steps_);
  granted_ = budget_ = static_cast<int64_t>(grant);
  return true;
}

// --- the loop
// ------------------------------------------------------------------------------------------

// clang-format off
// Goes to the instruction at `op`, or to attention when the budget is used up. Budget and registers
// are locals of Run, since members would be loaded and stored at every instruction.
#define TERN_GO                                     \
  {                                                 \
    if (budget == 0) [[unlikely]] goto attention;   \
    --budget;                                       \
    TERN_NEXT(op->handler);                         \
  }
#define TERN_STEP   \
  {                 \
    ++op;           \
    TERN_GO         \
  }
// Runs an instruction that may fail.
#define TERN_DO(call)                              \
  {                                                \
    error_ = call;                                 \
    if (!error_.ok()) [[unlikely]] goto failed;    \
    TERN_STEP                                      \
  }
// A call or return that may fail and changes the frame.
#define TERN_ENTER(call, function)                          \
  {                                                         \
    last_pc_ = static_cast<uint32_t>(op - code_);           \
    error_ = call;                                          \
    if (!error_.ok()) [[unlikely]] goto failed;             \
    regs = regs_;                                           \
    op = code_ + Info(function).first_instruction;          \
    TERN_GO                                                 \
  }
#define TERN_VALUE(ref) ((ref) >= 0 ? regs[ref] : pool[~(ref)])
// A binary operation of two ints, in place; everything else goes to the general function.
#define TERN_INT_OPERATION(type, expression)              \
  {                                                       \
    const TernAny& a = TERN_VALUE(op->a).c_any();         \
    const TernAny& b = TERN_VALUE(op->b).c_any();         \
    if (!BothInts(a, b)) [[unlikely]] goto scalar;        \
    [[maybe_unused]] const int64_t x = a.v.i;             \
    [[maybe_unused]] const int64_t y = b.v.i;             \
    StoreScalar(regs + op->dst, type, expression);        \
    TERN_STEP                                             \
  }
#define TERN_WRAPPING(x, sign, y) \
  static_cast<int64_t>(static_cast<uint64_t>(x) sign static_cast<uint64_t>(y))

Result<StopReason> VirtualMachine::Interpreter::Run(uint64_t max_instructions) {
#ifdef TERN_THREADED_DISPATCH
  static const void* const kLabels[] = {
#define TERN_INSTRUCTION(number, symbol, mnemonic, operands, flow, meaning) &&label_##symbol,
#include "core/vm/isa.def"
#undef TERN_INSTRUCTION
  };
#endif
  const DecodedOp* op = code_ + vm_.pc_;
  const Closure* closure = nullptr;
  bool truth = false;
  int64_t budget = 0;
  Any* regs = regs_ = Registers();
  const Any* const pool = pool_;
  max_instructions_ = max_instructions;

attention:
  budget_ = budget;
  if (!Attention(static_cast<uint32_t>(op - code_))) goto stopped;
  budget = budget_ - 1;
  last_pc_ = static_cast<uint32_t>(op - code_);
  TERN_DISPATCH(op->handler) {
    TERN_CASE(Ret) {
      if (!Return(*op, &op)) [[unlikely]] goto returned;
      regs = regs_;
      TERN_GO
    }
    TERN_CASE(Goto) {
      op = code_ + op->list;
      TERN_GO
    }
    TERN_CASE(If) {
      const TernAny& test = regs[op->a].c_any();
      if (test.type_code == TERN_TYPE_BOOL) [[likely]] {
        truth = test.v.i != 0;
      } else {
        error_ = Truth(regs[op->a], &truth);
        if (!error_.ok()) goto failed;
      }
      op = code_ + (truth ? op->list : op->count);
      TERN_GO
    }
    TERN_CASE(IfEqual) {
      const TernAny& a = regs[op->a].c_any();
      const TernAny& b = TERN_VALUE(op->b).c_any();
      if (BothInts(a, b)) [[likely]] {
        truth = a.v.i == b.v.i;
      } else {
        error_ = ScalarsEqual(regs[op->a], TERN_VALUE(op->b), &truth);
        if (!error_.ok()) goto failed;
      }
      op = code_ + (truth ? op->list : op->count);
      TERN_GO
    }
    TERN_CASE(Phi) TERN_DO(Phi(*op))
    TERN_CASE(Fatal) {
      error_ = Failed(*TERN_VALUE(op->a).TryCast<std::string_view>()).SetErrorCode("E0301");
      goto failed;
    }
    TERN_CASE(Move)
    TERN_CASE(LoadConst) {
      Store(op->dst, TERN_VALUE(op->a));
      TERN_STEP
    }
    TERN_CASE(LoadConsti) TERN_DO(LoadConsti(*op))
    TERN_CASE(Kill) {
      for (ValueRef ref : ListOf(*op)) regs[ref].Reset();
      TERN_STEP
    }
    TERN_CASE(Call)
    TERN_CASE(InvokePacked) {
      error_ = CallPrimitive(*op);
      if (!error_.ok()) [[unlikely]] goto failed;
      if (vm_.cancel_.load(std::memory_order_relaxed)) [[unlikely]] {
        ++op;
        goto attention;
      }
      TERN_STEP
    }
    TERN_CASE(Invoke) {
      const auto function = static_cast<uint32_t>(op->a);
      TERN_ENTER(CallFunction(function, op->dst, ListOf(*op), nullptr), function)
    }
    TERN_CASE(InvokeClosure) {
      error_ = ClosureOf(*op, &closure);
      if (!error_.ok()) goto failed;
      const uint32_t function = closure->function_index();
      TERN_ENTER(CallFunction(function, op->dst, ListOf(*op), closure), function)
    }
    TERN_CASE(TailInvoke) {
      const auto function = static_cast<uint32_t>(op->a);
      TERN_ENTER(TailCall(function, ListOf(*op), nullptr), function)
    }
    TERN_CASE(TailInvokeClosure) {
      error_ = ClosureOf(*op, &closure);
      if (!error_.ok()) goto failed;
      const uint32_t function = closure->function_index();
      TERN_ENTER(TailCall(function, ListOf(*op), closure), function)
    }
    TERN_CASE(AllocStorage) TERN_DO(AllocStorage(*op))
    TERN_CASE(AllocTensor)
    TERN_CASE(AllocTensorReg) TERN_DO(AllocTensor(*op))
    TERN_CASE(AllocAdt) {
      Store(op->dst, Adt::Make(static_cast<int32_t>(*TERN_VALUE(op->a).TryCast<int64_t>()),
                               Views(ListOf(*op))));
      TERN_STEP
    }
    TERN_CASE(AllocClosure) {
      Store(op->dst, Closure::Make(static_cast<uint32_t>(op->a), Views(ListOf(*op))));
      TERN_STEP
    }
    TERN_CASE(GetField) TERN_DO(GetField(*op))
    TERN_CASE(GetTag) TERN_DO(GetTag(*op))
    TERN_CASE(ShapeOf) TERN_DO(ShapeOf(*op))
    TERN_CASE(ReshapeTensor) TERN_DO(ReshapeTensor(*op))
    TERN_CASE(DeviceCopy) TERN_DO(DeviceCopy(*op))
    TERN_CASE(Add) TERN_INT_OPERATION(TERN_TYPE_INT, TERN_WRAPPING(x, +, y))
    TERN_CASE(Sub) TERN_INT_OPERATION(TERN_TYPE_INT, TERN_WRAPPING(x, -, y))
    TERN_CASE(Mul) TERN_INT_OPERATION(TERN_TYPE_INT, TERN_WRAPPING(x, *, y))
    TERN_CASE(Lt) TERN_INT_OPERATION(TERN_TYPE_BOOL, x < y)
    TERN_CASE(Le) TERN_INT_OPERATION(TERN_TYPE_BOOL, x <= y)
    TERN_CASE(Gt) TERN_INT_OPERATION(TERN_TYPE_BOOL, x > y)
    TERN_CASE(Ge) TERN_INT_OPERATION(TERN_TYPE_BOOL, x >= y)
    TERN_CASE(Eq) TERN_INT_OPERATION(TERN_TYPE_BOOL, x == y)
    TERN_CASE(Ne) TERN_INT_OPERATION(TERN_TYPE_BOOL, x != y)
    TERN_CASE(Div)
    TERN_CASE(Mod)
    TERN_CASE(And)
    TERN_CASE(Or) goto scalar;
    TERN_CASE(Neg)
    TERN_CASE(Not)
    TERN_CASE(ToInt)
    TERN_CASE(ToFloat)
    TERN_CASE(ToBool) goto scalar;
  }
scalar:
  TERN_DO(Scalar(*op))
  // clang-format on

failed:
  vm_.pc_ = static_cast<uint32_t>(op - code_);
  budget_ = budget;
  Settle();
  return std::move(error_);
stopped:
  vm_.pc_ = static_cast<uint32_t>(op - code_);
  if (!error_.ok()) return std::move(error_);
  return StopReason(stopped_);
returned:
  last_pc_ = static_cast<uint32_t>(op - code_);
  budget_ = budget;
  Settle();
  ObserveAfter();
  return StopReason(StopReason::kReturned);
}

}  // namespace tern::vm
