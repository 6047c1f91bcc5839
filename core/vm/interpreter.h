// SPDX-License-Identifier: Apache-2.0
// The inside of the virtual machine: what interpreter.cc (the loops), frames.cc (calls),
// instructions.cc (long cases), limits.cc (how far to go) and observe.cc (what hooks see) share.
// Lives for one Resume; everything that outlives it is in VirtualMachine.
#ifndef TERN_CORE_VM_INTERPRETER_H_
#define TERN_CORE_VM_INTERPRETER_H_

#include <span>
#include <utility>
#include <vector>

#include "core/object/containers/closure.h"
#include "core/vm/vm.h"

namespace tern::vm {

class VirtualMachine::Interpreter {
 public:
  explicit Interpreter(VirtualMachine* vm)
      : vm_(*vm), lists_(vm->program_->lists().data()), pool_(vm->program_->pool().data()) {}

  Result<StopReason> Run(uint64_t max_instructions);

  // A frame on top of the stack; its arguments are put into registers by the caller of this.
  Status Push(uint32_t function, uint32_t return_op, int32_t dst);
  void Pop();
  // Calls what replaces a function.
  Status CallNative(uint32_t function, AnyArgs args, Any* result);

 private:
  // Declined: the replacement leaves this call to the bytecode.
  enum class NativeCall : uint8_t { kDone, kDeclined, kFailed };
  enum class Outcome : uint8_t { kReturned, kStopped, kFailed, kStep, kAhead };

  // interpreter.cc. kStep: one instruction at a time, asking before each; else code for speed,
  // asking at jumps back, calls and returns. As outcomes: kStep goes on with that loop, kAhead with
  // the other, as far as a hook allows.
  template <bool kStep>
  [[gnu::visibility("hidden")]] Outcome Loop();

  template <auto kMethod>
  bool Try(const DecodedOp& op);
  [[gnu::noinline]] bool TryScalar(const DecodedOp& op);
  [[gnu::noinline]] bool TryTruth(const char* value, bool* truth);
  [[gnu::noinline]] bool TryEqual(const DecodedOp& op, bool* truth);

  // --- fast_frames.h
  bool PushFrame(const DecodedOp& op, const EntryInfo& callee, uint32_t pc);
  bool AreOfCodes(const DecodedOp& op, const char* regs, const char* pool,
                  const int32_t* codes) const;
  void PassArguments(const DecodedOp& op, const char* regs, const char* pool, bool lends, char* to);
  // Where a call returns to: the op behind it, and the register of its result (-1: none).
  struct Returned {
    uint32_t op;
    int32_t dst;
  };
  Returned PopFrame(char* regs);

  const FunctionInfo& Info(uint32_t function) const {
    return vm_.executable().functions()[function];
  }
  Any* Registers() { return vm_.stack_.get() + vm_.top().base; }
  const Any& Value(ValueRef ref) const { return ref >= 0 ? regs_[ref] : pool_[~ref]; }
  AnyView ValueOrVm(ValueRef ref) const {
    return ref == kVmValue ? AnyView(static_cast<void*>(&vm_.context_)) : AnyView(Value(ref));
  }
  std::span<const ValueRef> ListOf(const DecodedOp& op) const {
    return {lists_ + op.list, static_cast<size_t>(op.count)};
  }
  void Store(int32_t dst, Any value) { regs_[dst] = std::move(value); }

  // --- frames.cc
  // False, or kFailed: error_ says why.
  [[gnu::noinline]] bool TryClosure(const DecodedOp& op, const Closure** closure);
  [[gnu::noinline]] bool TryResult(const DecodedOp& op);
  [[gnu::noinline]] bool TryEnter(const DecodedOp& op, uint32_t function, const Closure* closure,
                                  uint32_t pc);
  [[gnu::noinline]] bool TryTailCall(const DecodedOp& op, uint32_t function,
                                     const Closure* closure);
  [[gnu::noinline]] NativeCall TryNative(const DecodedOp& op, uint32_t function,
                                         const Closure* closure);
  bool TryCallPrimitive(const DecodedOp& op);
  bool TryCall(const DecodedOp& op);
  bool OfferPlaces(const DecodedOp& op);
  Status EnterFunction(uint32_t function, int32_t dst, uint32_t pc, std::span<const ValueRef> args,
                       const Closure* closure);
  // After entering a function that counts its arguments: releases the caller's references at once
  // rather than when the call is over.
  [[gnu::noinline]] void ReleaseOperands(const DecodedOp& op, char* caller);
  // Where the function is one that checks types.
  Status CheckTypes(uint32_t function, const Any* args) const;
  Status CheckRegisters(uint32_t function, uint32_t base) const;
  Status TailCall(uint32_t function, std::span<const ValueRef> args, const Closure* closure);
  // A call of a function or closure that something replaces, into native_value_.
  NativeCall InvokeNative(uint32_t function, std::span<const ValueRef> args,
                          const Closure* closure);
  Status CheckCount(uint32_t function, size_t count, const Closure& closure) const;
  Status ClosureOf(const DecodedOp& op, const Closure** closure) const;
  // Ends the top frame; false if it was the last, whose value is then the run's result.
  bool Return(Any value, uint32_t* return_op);
  static Status ErrorOf(const Function& function, int32_t code, const Any& value);
  // The last `outputs` of args are where the results go.
  Status CallPacked(Function& function, size_t outputs, std::span<const TernAny> args, Any* result);
  static Status CallRaw(Function& function, std::span<const TernAny> args, Any* result);

  // --- instructions.cc: each is an instruction too long for the loop
  // A binary operation of two floats; false: they are something else.
  bool FloatOperation(const DecodedOp& op);
  Status Scalar(const DecodedOp& op);
  Status Phi(const DecodedOp& op);
  Status Fatal(const DecodedOp& op);
  Status AllocAdt(const DecodedOp& op);
  Status AllocClosure(const DecodedOp& op);
  Status LoadConsti(const DecodedOp& op);
  Status AllocStorage(const DecodedOp& op);
  Status AllocTensor(const DecodedOp& op);
  Status GetField(const DecodedOp& op);
  Status GetTag(const DecodedOp& op);
  Status ShapeOf(const DecodedOp& op);
  Status ReshapeTensor(const DecodedOp& op);
  Status DeviceCopy(const DecodedOp& op);
  std::vector<AnyView> Views(std::span<const ValueRef> refs) const;

  // --- observe.cc: what hooks are told. False: a hook pauses, for the reason in stopped_
  bool ObserveBefore(uint32_t pc);
  bool ObserveAfter();
  void TellWrite(size_t frame, int32_t reg, const Any& old_value);
  bool BeganFrame(const DecodedOp& op) const;
  void TellFrames(const DecodedOp& op);
  void TellWrites(const DecodedOp& op);
  Status ObservedCall(Function& function, size_t outputs, std::span<const TernAny> args,
                      Any* result);

  // --- running ahead of hooks (HookAction::RunAhead)
  // Notes what a hook granted, within the limits; false: nothing is left of it.
  bool GrantAhead(uint64_t steps, uint32_t pc);
  void EndAhead();
  // Whether the instruction must be told, and so be left to the stepping loop.
  bool LeavesAhead() { return leaves_ = is_ahead_; }

  // --- stopping
  // Whether each instruction must be looked at, whatever hooks say.
  bool IsPinned() const { return !vm_.breakpoints_.empty() || vm_.options_.always_step; }
  bool IsObserved() const { return vm_.hooks_ != nullptr || !vm_.breakpoints_.empty(); }
  // Instructions that may still run.
  uint64_t Remaining() const;
  bool MayGoOn(uint32_t pc);
  bool IsCancelledInside();
  // `executed_now` instructions are done and `pc` is next. Gives *granted > 0 instructions to run,
  // or says what else is to be done.
  template <bool kStep>
  bool Attend(uint32_t pc, uint64_t executed_now, uint64_t* granted, Outcome* outcome);
  void Count(uint64_t executed_now) {
    executed_ += executed_now;
    vm_.steps_ += executed_now;
  }

  VirtualMachine& vm_;
  const ValueRef* lists_;
  const Any* pool_;
  Any* regs_ = nullptr;
  uint64_t max_instructions_ = 0;
  uint64_t executed_ = 0;  // in this Resume
  StopReason stopped_ = StopReason::kReturned;
  Status error_;
  Any native_value_;         // what TryNative made
  uint64_t ahead_ = 0;       // instructions that may run without being told
  uint64_t ahead_from_ = 0;  // vm_.steps_ where that began
  uint32_t ahead_pc_ = 0;
  bool is_ahead_ = false;  // the fast loop runs them
  bool leaves_ = false;
  // Of the instruction that hooks look at: what it may overwrite. Null without hooks.
  struct Seen {
    bool due = false;  // to be told after it
    uint32_t pc = 0;
    uint32_t function = 0;
    int32_t dst = -1;  // of its frame
    size_t frame = 0;
    Any old_value;
    std::vector<Any> registers;
  };
  std::unique_ptr<Seen> seen_;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_INTERPRETER_H_
