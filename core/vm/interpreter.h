// SPDX-License-Identifier: Apache-2.0
// The inside of the virtual machine: what interpreter.cc (the loop) and instructions.cc (its long
// cases) share. Lives for one Resume; everything that outlives it is in VirtualMachine.
#ifndef TERN_CORE_VM_INTERPRETER_H_
#define TERN_CORE_VM_INTERPRETER_H_

#include <span>
#include <utility>
#include <vector>

#include "core/object/closure.h"
#include "core/vm/vm.h"

namespace tern::vm {

class VirtualMachine::Interpreter {
 public:
  explicit Interpreter(VirtualMachine* vm)
      : vm_(*vm),
        code_(vm->program_->code().data()),
        lists_(vm->program_->lists().data()),
        pool_(vm->program_->pool().data()) {}

  Result<StopReason> Run(uint64_t max_instructions);

  // A frame on top of the stack; its arguments are put into registers by the caller of this.
  Status Push(uint32_t function, uint32_t return_op, int32_t dst);
  void Pop();

 private:
  const FunctionInfo& Info(uint32_t function) const {
    return vm_.executable().functions()[function];
  }
  Any* Registers() { return vm_.stack_.get() + vm_.frames_.back().base; }
  const Any& Value(ValueRef ref) const { return ref >= 0 ? regs_[ref] : pool_[~ref]; }
  AnyView ValueOrVm(ValueRef ref) const {
    return ref == kVmValue ? AnyView(static_cast<void*>(&vm_.context_)) : AnyView(Value(ref));
  }
  std::span<const ValueRef> ListOf(const DecodedOp& op) const {
    return {lists_ + op.list, static_cast<size_t>(op.count)};
  }
  void Store(int32_t dst, Any value) { regs_[dst] = std::move(value); }
  // Writes the two words of a value held in place, without reading the 16 bytes that were there: a
  // wide load right behind narrow stores would wait for them.
  static void StoreScalar(Any* reg, TernTypeCode code, int64_t value) {
    if (reg->is_object()) [[unlikely]]
      reg->Reset();
    const uint64_t head = static_cast<uint32_t>(code);
    __builtin_memcpy(static_cast<void*>(reg), &head, sizeof(head));
    __builtin_memcpy(reinterpret_cast<char*>(reg) + sizeof(head), &value, sizeof(value));
  }

  // Each of these is an instruction too long for the loop.
  Status CallPrimitive(const DecodedOp& op);
  Status CallFunction(uint32_t function, int32_t dst, std::span<const ValueRef> args,
                      const Closure* closure);
  Status CheckRoom(uint32_t function, uint32_t base) const;
  Status TailCall(uint32_t function, std::span<const ValueRef> args, const Closure* closure);
  Status CheckCount(uint32_t function, size_t count, const Closure& closure) const;
  Status ClosureOf(const DecodedOp& op, const Closure** closure) const;
  // Ends the top frame; false if it was the last, whose value is then the run's result.
  bool Return(const DecodedOp& op, const DecodedOp** next);
  Status Scalar(const DecodedOp& op);
  Status Phi(const DecodedOp& op);
  Status LoadConsti(const DecodedOp& op);
  Status AllocStorage(const DecodedOp& op);
  Status AllocTensor(const DecodedOp& op);
  Status GetField(const DecodedOp& op);
  Status GetTag(const DecodedOp& op);
  Status ShapeOf(const DecodedOp& op);
  Status ReshapeTensor(const DecodedOp& op);
  Status DeviceCopy(const DecodedOp& op);
  std::vector<AnyView> Views(std::span<const ValueRef> refs) const;

  // observe.cc: what hooks are told. False: a hook pauses, for the reason in stopped_.
  bool ObserveBefore(uint32_t pc);
  bool ObserveAfter();
  void TellWrite(size_t frame, int32_t reg, const Any& old_value);
  void TellFrames(const DecodedOp& op);
  void TellWrites(const DecodedOp& op);
  Status ObservedCall(const DecodedOp& op, Function& function, std::span<const TernAny> args,
                      Any* result);
  static Status CallRaw(Function& function, std::span<const TernAny> args, Any* result);

  // True: go on, with budget_ > 0. False: stopped_ or error_ says why.
  bool Attention(uint32_t pc);
  bool MayGoOn(uint32_t pc);
  void Settle();

  VirtualMachine& vm_;
  const DecodedOp* code_;
  const ValueRef* lists_;
  const Any* pool_;
  Any* regs_ = nullptr;
  int64_t budget_ = 0;
  int64_t granted_ = 0;
  uint64_t max_instructions_ = 0;
  uint64_t executed_ = 0;  // in this Resume, settled
  // Of the instruction that hooks look at: what it may overwrite.
  struct Seen {
    bool due = false;  // to be told after it
    uint32_t pc = 0;
    uint32_t function = 0;
    int32_t dst = -1;  // of its frame
    size_t frame = 0;
    Any old_value;
    std::vector<Any> registers;
  };
  Seen seen_;
  uint32_t last_pc_ = 0;
  StopReason stopped_ = StopReason::kReturned;
  Status error_;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_INTERPRETER_H_
