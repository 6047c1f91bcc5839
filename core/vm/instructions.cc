// SPDX-License-Identifier: Apache-2.0
// Frames, calls, and the instructions that are too long for the interpreter's loop.
#include <algorithm>
#include <memory>

#include "core/base/strings.h"
#include "core/object/adt.h"
#include "core/object/error.h"
#include "core/object/sequence.h"
#include "core/vm/interpreter.h"
#include "core/vm/scalar.h"

namespace tern::vm {
namespace {

Status NotA(std::string_view what, const AnyView& value) {
  return TypeError("expected ", what, ", got ", value.type_name());
}

// This machine has one device, number 0, the processor.
Status CheckDevice(int64_t device) {
  if (device == 0) return OkStatus();
  return NotFound("there is no device ", device, ": this machine has device 0, the processor");
}

}  // namespace

// --- frames
// --------------------------------------------------------------------------------------------

Status VirtualMachine::Interpreter::CheckRoom(uint32_t function, uint32_t base) const {
  if (Info(function).register_count <= vm_.options_.max_registers - base) return OkStatus();
  return Stopped("register limit reached: ", vm_.options_.max_registers, " in all frames")
      .SetErrorCode("E0303");
}

Status VirtualMachine::Interpreter::Push(uint32_t function, uint32_t return_op, int32_t dst) {
  const uint32_t count = Info(function).register_count;
  if (vm_.frames_.size() >= vm_.options_.max_depth) {
    return Stopped("depth limit reached: ", vm_.options_.max_depth, " frames")
        .SetErrorCode("E0303");
  }
  TERN_TRY(CheckRoom(function, vm_.stack_top_));
  const uint32_t top = vm_.stack_top_ + count;
  if (top > vm_.stack_capacity_) {
    const uint32_t capacity = std::max(top, vm_.stack_capacity_ * 2);
    auto grown = std::make_unique<Any[]>(capacity);
    for (uint32_t i = 0; i < vm_.stack_top_; ++i) grown[i] = std::move(vm_.stack_[i]);
    vm_.stack_ = std::move(grown);
    vm_.stack_capacity_ = capacity;
  }
  vm_.frames_.push_back({function, return_op, vm_.stack_top_, dst});
  vm_.stack_top_ = top;
  if (vm_.frames_.size() > vm_.max_depth_seen_) vm_.max_depth_seen_ = vm_.frames_.size();
  return OkStatus();
}

void VirtualMachine::Interpreter::Pop() {
  const uint32_t base = vm_.frames_.back().base;
  for (uint32_t i = base; i < vm_.stack_top_; ++i) vm_.stack_[i].Reset();
  vm_.stack_top_ = base;
  vm_.frames_.pop_back();
}

// --- calls
// ---------------------------------------------------------------------------------------------

Status VirtualMachine::Interpreter::CallRaw(Function& function, std::span<const TernAny> args,
                                            Any* result) {
  TernAny raw{};
  const int32_t code = function.Call(args.data(), static_cast<int32_t>(args.size()), &raw);
  *result = Any::Adopt(raw);
  if (code == 0) [[likely]]
    return OkStatus();
  const Any value = std::move(*result);
  const Error* error = value.TryCast<Error>();
  if (error == nullptr) return Failed("primitive '", function.name(), "' failed with code ", code);
  return error->ToStatus();
}

Status VirtualMachine::Interpreter::CallPrimitive(const DecodedOp& op) {
  Function& function = *vm_.program_->primitives()[static_cast<size_t>(op.a)];
  TernAny* args = vm_.args_.data();
  int32_t count = 0;
  if (function.needs_context()) args[count++] = AnyView(static_cast<void*>(&vm_.context_)).c_any();
  if ((op.flags & kPassesVm) == 0) {
    for (ValueRef ref : ListOf(op)) args[count++] = Value(ref).c_any();
  } else {
    for (ValueRef ref : ListOf(op)) args[count++] = ValueOrVm(ref).c_any();
  }
  const std::span<const TernAny> views(args, static_cast<size_t>(count));
  Any value;
  TERN_TRY((vm_.hook_events_ & kHookCalls) != 0 ? ObservedCall(op, function, views, &value)
                                                : CallRaw(function, views, &value));
  if (op.dst >= 0) Store(op.dst, std::move(value));
  return OkStatus();
}

Status VirtualMachine::Interpreter::CheckCount(uint32_t function, size_t count,
                                               const Closure& closure) const {
  const FunctionInfo& info = Info(function);
  const size_t captured = closure.free_variables().size();
  if (info.arity() == count + captured) return OkStatus();
  return TypeError("a closure of @", info.name, " takes ",
                   info.arity() - std::min<size_t>(captured, info.arity()), " arguments (and ",
                   captured, " captured values), got ", count);
}

// `op.a` as a closure of this program.
Status VirtualMachine::Interpreter::ClosureOf(const DecodedOp& op, const Closure** closure) const {
  *closure = Value(op.a).TryCast<Closure>();
  if (*closure == nullptr) return NotA("a closure", Value(op.a));
  // A closure may come from outside, of another program.
  if ((*closure)->function_index() >= vm_.executable().functions().size()) {
    return TypeError("the closure's function #", (*closure)->function_index(),
                     " is not in this executable");
  }
  return CheckCount((*closure)->function_index(), static_cast<size_t>(op.count), **closure);
}

Status VirtualMachine::Interpreter::CallFunction(uint32_t function, int32_t dst,
                                                 std::span<const ValueRef> args,
                                                 const Closure* closure) {
  const size_t caller = vm_.frames_.back().base;
  TERN_TRY(Push(function, last_pc_ + 1, dst));
  const Any* from = vm_.stack_.get() + caller;
  Any* to = Registers();
  for (ValueRef ref : args) *to++ = ref >= 0 ? from[ref] : pool_[~ref];
  if (closure != nullptr) {
    for (const Any& value : closure->free_variables()) *to++ = value;
  }
  regs_ = Registers();
  return OkStatus();
}

// The frame is replaced: its destination and return address stay.
Status VirtualMachine::Interpreter::TailCall(uint32_t function, std::span<const ValueRef> args,
                                             const Closure* closure) {
  std::vector<Any> values;
  values.reserve(args.size());
  for (ValueRef ref : args) values.push_back(Value(ref));
  if (closure != nullptr) {
    for (const Any& value : closure->free_variables()) values.push_back(value);
  }
  const Frame frame = vm_.frames_.back();
  TERN_TRY(CheckRoom(function, frame.base));
  Pop();
  TERN_TRY(Push(function, frame.return_op, frame.dst));
  regs_ = Registers();
  std::move(values.begin(), values.end(), regs_);
  return OkStatus();
}

bool VirtualMachine::Interpreter::Return(const DecodedOp& op, const DecodedOp** next) {
  Any value = op.a >= 0 ? std::move(regs_[op.a]) : pool_[~op.a];
  const Frame frame = vm_.frames_.back();
  Pop();
  if (vm_.frames_.empty()) [[unlikely]] {
    vm_.result_ = std::move(value);
    return false;
  }
  regs_ = Registers();
  if (frame.dst >= 0) Store(frame.dst, std::move(value));
  *next = code_ + frame.return_op;
  return true;
}

// --- other long instructions
// ---------------------------------------------------------------------------

Status VirtualMachine::Interpreter::Scalar(const DecodedOp& op) {
  Any value;
  const AnyView b = op.b == kNoValue ? AnyView() : AnyView(Value(op.b));
  TERN_TRY(ScalarOperation(AllInstructions()[static_cast<size_t>(op.handler)].opcode, Value(op.a),
                           b, &value));
  Store(op.dst, std::move(value));
  return OkStatus();
}

Status VirtualMachine::Interpreter::Phi(const DecodedOp& op) {
  const Any& a = regs_[op.a];
  const Any& b = regs_[op.b];
  if (a.is_none() == b.is_none()) {
    return Failed("phi needs exactly one of %", op.a, " and %", op.b, " to hold a value, ",
                  a.is_none() ? "neither does" : "both do");
  }
  Store(op.dst, a.is_none() ? b : a);
  return OkStatus();
}

Status VirtualMachine::Interpreter::LoadConsti(const DecodedOp& op) {
  TERN_TRY_ASSIGN(TensorPtr tensor, vm_.context_.NewTensor(kI64, Dims()));
  *tensor->data_as<int64_t>() = *Value(op.a).TryCast<int64_t>();
  Store(op.dst, std::move(tensor));
  return OkStatus();
}

// a = size, b = alignment, then dtype, device.
Status VirtualMachine::Interpreter::AllocStorage(const DecodedOp& op) {
  const auto size = Value(op.a).TryCast<int64_t>();
  if (!size.has_value()) return NotA("a size in bytes", Value(op.a));
  if (*size < 0) return InvalidArgument("a storage of ", *size, " bytes");
  TERN_TRY(CheckDevice(*Value(ListOf(op)[1]).TryCast<int64_t>()));
  if (static_cast<uint64_t>(*size) > SIZE_MAX) return OutOfMemory("a storage of ", *size, " bytes");
  const auto alignment = static_cast<size_t>(*Value(op.b).TryCast<int64_t>());
  TERN_TRY_ASSIGN(StoragePtr storage,
                  Storage::New(vm_.context_.allocator(), static_cast<size_t>(*size), alignment));
  Store(op.dst, std::move(storage));
  return OkStatus();
}

// a = storage or nothing, b = offset, then dtype, shape.
Status VirtualMachine::Interpreter::AllocTensor(const DecodedOp& op) {
  const DType dtype = *Value(ListOf(op)[0]).TryCast<DType>();
  std::vector<int64_t> dims;
  TERN_TRY(ToDims(Value(ListOf(op)[1]), &dims));
  const int64_t offset = *Value(op.b).TryCast<int64_t>();
  if (op.a == kNoValue) {
    if (offset != 0) return InvalidArgument("an offset of ", offset, " bytes without a storage");
    TERN_TRY_ASSIGN(TensorPtr tensor, vm_.context_.NewTensor(dtype, dims));
    Store(op.dst, std::move(tensor));
    return OkStatus();
  }
  Storage* storage = Value(op.a).TryCast<Storage>();
  if (storage == nullptr) return NotA("a storage", Value(op.a));
  if (static_cast<uint64_t>(offset) > SIZE_MAX)
    return OutOfRange("an offset of ", offset, " bytes");
  TERN_TRY_ASSIGN(TensorPtr tensor, Tensor::FromStorage(StoragePtr(storage),
                                                        static_cast<size_t>(offset), dtype, dims));
  Store(op.dst, std::move(tensor));
  return OkStatus();
}

Status VirtualMachine::Interpreter::GetField(const DecodedOp& op) {
  const int64_t index = *Value(op.b).TryCast<int64_t>();
  const Any& object = Value(op.a);
  if (const Adt* adt = object.TryCast<Adt>(); adt != nullptr) {
    TERN_TRY_ASSIGN(Any field, adt->Field(index));
    Store(op.dst, std::move(field));
    return OkStatus();
  }
  const Sequence* list = object.TryCast<Sequence>();
  if (list == nullptr) return NotA("a tuple or a list", object);
  TERN_TRY_ASSIGN(Any field, list->At(index));
  Store(op.dst, std::move(field));
  return OkStatus();
}

Status VirtualMachine::Interpreter::GetTag(const DecodedOp& op) {
  const Adt* adt = Value(op.a).TryCast<Adt>();
  if (adt == nullptr) return NotA("a tagged tuple", Value(op.a));
  Store(op.dst, adt->tag());
  return OkStatus();
}

Status VirtualMachine::Interpreter::ShapeOf(const DecodedOp& op) {
  const Tensor* tensor = Value(op.a).TryCast<Tensor>();
  if (tensor == nullptr) return NotA("a tensor", Value(op.a));
  Store(op.dst, Shape::Make(tensor->dims()));
  return OkStatus();
}

Status VirtualMachine::Interpreter::ReshapeTensor(const DecodedOp& op) {
  const Tensor* tensor = Value(op.a).TryCast<Tensor>();
  if (tensor == nullptr) return NotA("a tensor", Value(op.a));
  std::vector<int64_t> dims;
  TERN_TRY(ToDims(Value(op.b), &dims));
  TERN_TRY(InferExtent(tensor->element_count(), &dims));
  TERN_TRY_ASSIGN(TensorPtr view, tensor->Reshape(dims));
  Store(op.dst, std::move(view));
  return OkStatus();
}

Status VirtualMachine::Interpreter::DeviceCopy(const DecodedOp& op) {
  if (!Value(op.a).Is<Tensor>()) return NotA("a tensor", Value(op.a));
  TERN_TRY(CheckDevice(*Value(op.b).TryCast<int64_t>()));
  Store(op.dst, Value(op.a));
  return OkStatus();
}

std::vector<AnyView> VirtualMachine::Interpreter::Views(std::span<const ValueRef> refs) const {
  std::vector<AnyView> views;
  views.reserve(refs.size());
  for (ValueRef ref : refs) views.emplace_back(Value(ref));
  return views;
}

}  // namespace tern::vm
