// SPDX-License-Identifier: Apache-2.0
// Frames and calls: what the interpreter's loop does not do in place. The loop's own versions
// (fast_frames.h) serve calls that need no checks and no growth; these serve all others.
//
// Registers of all frames are one array, `stack_`, and a frame is a window on it from `base` on.
// Push may move the array, so pointers into it are computed anew afterwards.
#include <algorithm>
#include <memory>

#include "core/base/inline_vector.h"
#include "core/base/strings.h"
#include "core/object/error.h"
#include "core/object/memory_account.h"
#include "core/object/tensor.h"
#include "core/vm/interpreter.h"
#include "core/vm/packed_outputs.h"
#include "core/vm/registers.h"
#include "core/vm/specialize.h"

namespace tern::vm {

// --- frames

Status VirtualMachine::Interpreter::CheckRegisters(uint32_t function, uint32_t base) const {
  // Written as a subtraction: base never exceeds the limit, and a sum could overflow.
  if (Info(function).register_count <= vm_.options_.max_registers - base) return OkStatus();
  return Stopped("register limit reached: ", vm_.options_.max_registers, " in all frames")
      .SetErrorCode("E0303");
}

Status VirtualMachine::Interpreter::Push(uint32_t function, uint32_t return_op, int32_t dst) {
  // Recursion is bounded by frames, not by the processor's stack: calls of bytecode do not nest in
  // C++.
  if (vm_.depth_ >= vm_.options_.max_depth) {
    return Stopped("depth limit reached: ", vm_.options_.max_depth, " frames")
        .SetErrorCode("E0303");
  }
  TERN_TRY(CheckRegisters(function, vm_.stack_top_));
  const uint32_t top = vm_.stack_top_ + Info(function).register_count;
  if (top > vm_.stack_capacity_) {
    // Doubles, but never past the limit unless this very frame needs it. The room is asked for
    // first, so that a run with a memory limit fails instead of the process.
    const uint32_t capacity =
        std::min(std::max(top, vm_.stack_capacity_ * 2), std::max(top, vm_.options_.max_registers));
    TERN_TRY(CheckRoom(uint64_t{capacity} * sizeof(Any)));
    auto grown = std::make_unique<Any[]>(capacity);
    // Registers are moved, not copied: no count changes.
    for (uint32_t i = 0; i < vm_.stack_top_; ++i) grown[i] = std::move(vm_.stack_[i]);
    vm_.stack_ = std::move(grown);
    vm_.stack_capacity_ = capacity;
  }
  if (vm_.depth_ == vm_.frame_capacity_) {
    const auto capacity = static_cast<uint32_t>(
        std::min<uint64_t>(uint64_t{vm_.frame_capacity_} * 2, vm_.options_.max_depth));
    TERN_TRY(CheckRoom(uint64_t{capacity} * sizeof(Frame)));
    auto grown = std::make_unique<Frame[]>(capacity);
    std::copy_n(vm_.frames_.get(), vm_.depth_, grown.get());
    vm_.frames_ = std::move(grown);
    vm_.frame_capacity_ = capacity;
  }
  vm_.frames_[vm_.depth_++] = {function, return_op, vm_.stack_top_, dst, 0};
  vm_.stack_top_ = top;
  // For the statistics of a run.
  if (vm_.depth_ > vm_.max_depth_seen_) vm_.max_depth_seen_ = vm_.depth_;
  return OkStatus();
}

// Empties the registers from the top frame's base on. A borrowed parameter is a reference of the
// caller's frame, so it is forgotten and not released.
void VirtualMachine::ReleaseRegisters(const Frame& frame) {
  char* at = reinterpret_cast<char*>(stack_.get() + frame.base);
  const uint32_t count = stack_top_ - frame.base;
  for (uint32_t i = 0; i < count; ++i, at += sizeof(Any)) {
    if (i >= frame.borrowed && CodeAt(at) > 0) ReleaseAt(at);
    // Registers above the top are always none; a new frame relies on it.
    SetWords(at, 0, 0);
  }
}

void VirtualMachine::Interpreter::Pop() {
  const Frame frame = vm_.top();
  vm_.ReleaseRegisters(frame);
  vm_.stack_top_ = frame.base;
  --vm_.depth_;
}

// After an error, or when a run is given up. Interpreter is only a view of the machine, so making
// one is free.
void VirtualMachine::PopAll() {
  while (depth_ > 0) Interpreter(this).Pop();
  context_.CloseArena();
  arena_function_ = kNoArena;
}

// Makes every frame's parameters its own: needed before somebody edits registers, or keeps the
// state, because the caller may then release its values before.
void VirtualMachine::OwnAll() {
  for (uint32_t i = 0; i < depth_; ++i) {
    Frame& frame = frames_[i];
    for (uint32_t r = 0; r < frame.borrowed; ++r) {
      if (Object* object = stack_[frame.base + r].object(); object != nullptr) object->IncRef();
    }
    frame.borrowed = 0;
  }
}

// --- calls

// What a call failed with, when it gave a code instead of 0.
Status VirtualMachine::Interpreter::ErrorOf(const Function& function, int32_t code,
                                            const Any& value) {
  const Error* error = value.TryCast<Error>();
  // A foreign primitive may give a code without an Error object.
  if (error == nullptr) return Failed("primitive '", function.name(), "' failed with code ", code);
  return error->ToStatus();
}

Status VirtualMachine::Interpreter::CallRaw(Function& function, std::span<const TernAny> args,
                                            Any* result) {
  TernAny raw{};
  // The result is adopted at once, so that it is released also on errors.
  const int32_t code = function.Call(args.data(), static_cast<int32_t>(args.size()), &raw);
  Any value = Any::Adopt(raw);
  if (code != 0) return ErrorOf(function, code, value);
  *result = std::move(value);
  return OkStatus();
}

// The hot way of calling a primitive: arguments are copied as two words each into a buffer of the
// machine (args_), which the program sized for the longest list. They are borrowed: registers and
// constants outlive the call.
bool VirtualMachine::Interpreter::TryCallPrimitive(const DecodedOp& op) {
  if (!OfferPlaces(op)) [[likely]]
    return TryCall(op);
  const bool done = TryCall(op);
  vm_.context_.WithdrawPlaces();
  return done;
}

// Whether the results of this call have places, which are then offered for it. Only the function
// that the run began with has an arena: one that calls itself would need as many as there are
// calls.
bool VirtualMachine::Interpreter::OfferPlaces(const DecodedOp& op) {
  if (op.b == kNoValue || vm_.depth_ != 1) [[likely]]
    return false;
  // A tail call may have put another function into the frame.
  if (vm_.top().function != vm_.arena_function_) return false;
  vm_.context_.OfferPlaces(vm_.layout_.PlacesOf(static_cast<size_t>(op.b)));
  return true;
}

bool VirtualMachine::Interpreter::TryCall(const DecodedOp& op) {
  Function& function = *vm_.program_->primitives()[static_cast<size_t>(op.a)];
  char* const args = reinterpret_cast<char*>(vm_.args_.data());
  char* to = args;
  const auto add = [&](const TernAny& value) {
    const auto* from = reinterpret_cast<const char*>(&value);
    SetWords(to, HeadAt(from), PayloadAt(from));
    to += sizeof(TernAny);
  };
  // The context goes in front for functions that asked for it (function.h).
  if (function.needs_context()) add(AnyView(static_cast<void*>(&vm_.context_)).c_any());
  // Operands that may be the machine itself are rare, so the other loop has no test for them.
  if ((op.flags & kPassesVm) == 0) {
    for (ValueRef ref : ListOf(op)) add(Value(ref).c_any());
  } else {
    for (ValueRef ref : ListOf(op)) add(ValueOrVm(ref).c_any());
  }
  const size_t count = static_cast<size_t>(to - args) / sizeof(TernAny);
  const auto outputs = static_cast<size_t>(op.flags >> kOutputsShift);
  TernAny result{};
  // Observed calls and calls with outputs take the way with checks.
  if (outputs != 0 || (vm_.hook_events_ & kHookCalls) != 0) [[unlikely]] {
    Any value;
    const std::span<const TernAny> packed(vm_.args_.data(), count);
    error_ = (vm_.hook_events_ & kHookCalls) != 0 ? ObservedCall(function, outputs, packed, &value)
                                                  : CallPacked(function, outputs, packed, &value);
    if (!error_.ok()) return false;
    result = value.Release();
  } else if (const int32_t code =
                 function.Call(vm_.args_.data(), static_cast<int32_t>(count), &result);
             code != 0) [[unlikely]] {
    error_ = ErrorOf(function, code, Any::Adopt(result));
    return false;
  }
  const auto* from = reinterpret_cast<const char*>(&result);
  // A result without a destination is released here; nobody else will.
  if (op.dst >= 0) {
    StoreScalar(reinterpret_cast<char*>(regs_ + op.dst), HeadAt(from), PayloadAt(from));
  } else if (IsObjectHead(HeadAt(from))) {
    ReleaseAt(from);
  }
  return true;
}

Status VirtualMachine::Interpreter::CallPacked(Function& function, size_t outputs,
                                               std::span<const TernAny> args, Any* result) {
  // Functions that do not write into given tensors are called as usual; outputs are then plain
  // arguments.
  if (outputs == 0 || !function.makes_results()) return CallRaw(function, args, result);
  const size_t count = args.size() - outputs;
  const auto* first = reinterpret_cast<const AnyView*>(args.data() + count);
  return CallInto(function, &vm_.context_, args.first(count), {first, outputs});
}

// A closure's captured values fill the last parameters, so both numbers make the arity.
Status VirtualMachine::Interpreter::CheckCount(uint32_t function, size_t count,
                                               const Closure& closure) const {
  const FunctionInfo& info = Info(function);
  const size_t captured = closure.free_variables().size();
  if (info.arity() == count + captured) return OkStatus();
  return TypeError("a closure of @", info.name, " takes ",
                   info.arity() - std::min<size_t>(captured, info.arity()), " arguments (and ",
                   captured, " captured values), got ", count);
}

// `op.a` as a closure of this program, checked: a register may hold anything.
Status VirtualMachine::Interpreter::ClosureOf(const DecodedOp& op, const Closure** closure) const {
  *closure = Value(op.a).TryCast<Closure>();
  if (*closure == nullptr) return TypeError("expected a closure, got ", Value(op.a).type_name());
  // A closure may come from outside, made by another program, so its index is checked too. (That it
  // then names another function than it was made for cannot be seen.)
  if ((*closure)->function_index() >= vm_.executable().functions().size()) {
    return TypeError("the closure's function #", (*closure)->function_index(),
                     " is not in this executable");
  }
  // A function's constants may not have been read yet (on_demand.h).
  TERN_TRY(vm_.executable().LoadConstants((*closure)->function_index()));
  return CheckCount((*closure)->function_index(), static_cast<size_t>(op.count), **closure);
}

// Pushes a frame with counted copies of the arguments, then captured values. The general way in:
// for closures, for functions that keep their arguments, and where the loop's short way declined.
Status VirtualMachine::Interpreter::EnterFunction(uint32_t function, int32_t dst, uint32_t pc,
                                                  std::span<const ValueRef> args,
                                                  const Closure* closure) {
  const uint32_t caller = vm_.top().base;
  TERN_TRY(Push(function, pc + 1, dst));
  // After Push, which may have moved the stack.
  const Any* from = vm_.stack_.get() + caller;
  Any* to = Registers();
  for (ValueRef ref : args) *to++ = ref >= 0 ? from[ref] : pool_[~ref];
  if (closure != nullptr) {
    for (const Any& value : closure->free_variables()) *to++ = value;
  }
  // Checked in the new frame, so that the arguments lie in a row. An error removes the frame again.
  if (vm_.program_->entries()[function].checks_types) [[unlikely]] {
    Status status = CheckTypes(function, Registers());
    if (!status.ok()) {
      Pop();
      return status;
    }
  }
  regs_ = Registers();
  return OkStatus();
}

// Codes alone decide for most functions: one comparison each. The signature's own check costs more
// and finds the message.
Status VirtualMachine::Interpreter::CheckTypes(uint32_t function, const Any* args) const {
  const FunctionInfo& info = Info(function);
  if (const int32_t* codes = vm_.program_->entries()[function].codes; codes != nullptr) {
    const bool are_right = std::equal(
        args, args + info.arity(), codes,
        [](const Any& value, int32_t code) { return IsOfCode(value.type_code(), code); });
    if (are_right) return OkStatus();
  }
  return info.signature.CheckArguments(info.name, std::vector<AnyView>(args, args + info.arity()));
}

// The caller's last uses: after the callee has its counted copy, the caller's reference would only
// keep the count above one, and the callee could not write in place.
void VirtualMachine::Interpreter::ReleaseOperands(const DecodedOp& op, char* caller) {
  const std::span<const int32_t> lists = vm_.program_->lists();
  const DecodedOp& next = (&op)[1];  // exists: no function ends with a call
  for (const ValueRef ref : ListOf(op)) {
    if (ref < 0 || !DiesAt(op, next, ref, lists)) continue;
    char* const at = caller + size_t{sizeof(Any)} * static_cast<uint32_t>(ref);
    if (CodeAt(at) > 0) ReleaseAt(at);
    SetWords(at, 0, 0);
  }
}

// Replaces the frame: its destination and return address stay, so a loop of tail calls runs in
// constant space. Arguments are taken out first, because the frame's registers are
// released.
Status VirtualMachine::Interpreter::TailCall(uint32_t function, std::span<const ValueRef> args,
                                             const Closure* closure) {
  constexpr size_t kFew = 8;
  const Frame frame = vm_.top();
  // Checked against the base of the frame that is replaced, since the new one takes its place.
  TERN_TRY(CheckRegisters(function, frame.base));
  const size_t captured = closure != nullptr ? closure->free_variables().size() : 0;
  Any few[kFew];
  std::unique_ptr<Any[]> many;
  if (args.size() + captured > kFew) many = std::make_unique<Any[]>(args.size() + captured);
  Any* const values = many != nullptr ? many.get() : few;
  Any* to = values;
  for (ValueRef ref : args) *to++ = Value(ref);
  for (size_t i = 0; i < captured; ++i) *to++ = closure->free_variables()[i];
  if (vm_.program_->entries()[function].checks_types) [[unlikely]]
    TERN_TRY(CheckTypes(function, values));
  // A failure of Push leaves no frame of ours, which is fine: the run ends with the error.
  Pop();
  TERN_TRY(Push(function, frame.return_op, frame.dst));
  regs_ = Registers();
  std::move(values, to, regs_);
  return OkStatus();
}

// The value was taken out before, as it may lie in a register of the frame.
bool VirtualMachine::Interpreter::Return(Any value, uint32_t* return_op) {
  const Frame frame = vm_.top();
  Pop();
  if (vm_.depth_ == 0) [[unlikely]] {
    vm_.result_ = std::move(value);
    return false;
  }
  regs_ = Registers();
  if (frame.dst >= 0) Store(frame.dst, std::move(value));
  *return_op = frame.return_op;
  return true;
}

// --- what the loop calls: error_ is set where it gives false

bool VirtualMachine::Interpreter::TryClosure(const DecodedOp& op, const Closure** closure) {
  error_ = ClosureOf(op, closure);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryResult(const DecodedOp& op) {
  if (LeavesAhead()) return false;
  const Frame& frame = vm_.top();
  const FunctionInfo& function = Info(frame.function);
  // What the function was called with is known where it has left its parameters alone: otherwise
  // their registers hold other values by now.
  const bool knows = vm_.program_->entries()[frame.function].borrows;
  const std::vector<AnyView> args(regs_, regs_ + (knows ? function.arity() : 0));
  error_ = function.signature.CheckResult(function.name, Value(op.a), args);
  return error_.ok();
}
bool VirtualMachine::Interpreter::TryEnter(const DecodedOp& op, uint32_t function,
                                           const Closure* closure, uint32_t pc) {
  if (LeavesAhead()) return false;
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
  const bool has_places = OfferPlaces(op);
  const NativeCall outcome = InvokeNative(function, ListOf(op), closure);
  if (has_places) vm_.context_.WithdrawPlaces();
  return outcome;
}

// --- functions that something replaces

Status VirtualMachine::Interpreter::CallNative(uint32_t function, AnyArgs args, Any* result) {
  Function& native = *vm_.replacements_[function].function;
  // Nine: eight arguments and the context without touching the heap.
  InlineVector<TernAny, 9> raw;
  if (native.needs_context()) raw.push_back(AnyView(static_cast<void*>(&vm_.context_)).c_any());
  for (const AnyView& arg : args) raw.push_back(arg.c_any());
  const std::span<const TernAny> packed(raw.data(), raw.size());
  if ((vm_.hook_events_ & kHookCalls) != 0) return ObservedCall(native, 0, packed, result);
  return CallRaw(native, packed, result);
}

bool VirtualMachine::TakesCall(uint32_t function, AnyArgs args) const {
  const Replacement& replacement = replacements_[function];
  // A replacement without a test takes every call.
  if (replacement.ready == nullptr) return true;
  // The size of the work, as far as arguments tell: small calls are not worth leaving the bytecode.
  int64_t elements = 0;
  for (const AnyView& arg : args) {
    const Tensor* tensor = arg.TryCast<Tensor>();
    if (tensor == nullptr) continue;
    if (__builtin_add_overflow(elements, tensor->element_count(), &elements)) elements = INT64_MAX;
  }
  return replacement.ready(replacement.context, elements) != 0;
}

VirtualMachine::Interpreter::NativeCall VirtualMachine::Interpreter::InvokeNative(
    uint32_t function, std::span<const ValueRef> args, const Closure* closure) {
  InlineVector<AnyView, 8> values;
  for (const ValueRef ref : args) values.emplace_back(Value(ref));
  if (closure != nullptr) {
    for (const Any& value : closure->free_variables()) values.emplace_back(value);
  }
  const AnyArgs views(values.data(), values.size());
  if (!vm_.TakesCall(function, views)) return NativeCall::kDeclined;
  error_ = CallNative(function, views, &native_value_);
  return error_.ok() ? NativeCall::kDone : NativeCall::kFailed;
}

Status VirtualMachine::ReplaceFunction(std::string_view function, FunctionPtr native) {
  // Only between instructions: code that runs must not change under the loop.
  TERN_TRY(CheckMayEdit());
  TERN_TRY_ASSIGN(const uint32_t index, executable().FunctionIndex(function));
  if (replacements_.empty()) replacements_.resize(executable().functions().size());
  // The program's code is shared by machines, so the first replacement makes a copy of both forms.
  if (own_code_.empty()) {
    const size_t count = program_->code().size();
    own_code_.assign(code_, code_ + count);
    own_plain_code_.assign(plain_code_, plain_code_ + count);
    code_ = own_code_.data();
    plain_code_ = own_plain_code_.data();
  }
  ahead_code_.clear();
  replacements_[index] = {std::move(native)};
  MarkReplaced(*program_, index, replacements_[index].function != nullptr, &own_code_,
               &own_plain_code_);
  return OkStatus();
}

}  // namespace tern::vm
