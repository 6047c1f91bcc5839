// SPDX-License-Identifier: Apache-2.0
// The instructions that are too long for the interpreter's loop. Each reads its operands, then
// stores once: dst may be a register that an operand names too. Operand kinds that the verifier
// guarantees (immediates, constants of a kind) are read with * and no test.
#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/sequence.h"
#include "core/object/device.h"
#include "core/vm/interpreter.h"
#include "core/vm/scalar.h"

namespace tern::vm {
namespace {

Status NotA(std::string_view what, const AnyView& value) {
  return TypeError("expected ", what, ", got ", value.type_name());
}

// Whether the tensor is there already: on the host for a null device, else on the same device. The
// memory of another machine on that device counts, because copying it would gain nothing.
bool IsOn(const Tensor& tensor, const DeviceAllocator* device) {
  if (tensor.on_host() || device == nullptr) return tensor.on_host() && device == nullptr;
  return &tensor.storage()->device()->device() == &device->device();
}

}  // namespace

// The pair of floats, for which the general way (scalar.cc) would build values first. Ints were
// handled by the loop.
bool VirtualMachine::Interpreter::FloatOperation(const DecodedOp& op) {
  // Unary operators have no b.
  if (op.b == kNoValue) return false;
  const TernAny& a = Value(op.a).c_any();
  const TernAny& b = Value(op.b).c_any();
  if (a.type_code != TERN_TYPE_FLOAT || b.type_code != TERN_TYPE_FLOAT) return false;
  const double x = a.v.f;
  const double y = b.v.f;
  const auto number = [&](double value) { Store(op.dst, value); };
  const auto truth = [&](bool value) { Store(op.dst, value); };
  switch (op.handler) {
    case Handler::kAdd: number(x + y); return true;
    case Handler::kSub: number(x - y); return true;
    case Handler::kMul: number(x * y); return true;
    case Handler::kDiv: number(x / y); return true;
    case Handler::kLt: truth(x < y); return true;
    case Handler::kLe: truth(x <= y); return true;
    case Handler::kGt: truth(x > y); return true;
    case Handler::kGe: truth(x >= y); return true;
    case Handler::kEq: truth(x == y); return true;
    case Handler::kNe: truth(x != y); return true;
    // Mod, And and Or have their rules in scalar.cc.
    default: return false;
  }
}

Status VirtualMachine::Interpreter::Scalar(const DecodedOp& op) {
  Any value;
  const AnyView b = op.b == kNoValue ? AnyView() : AnyView(Value(op.b));
  // Handlers of instructions come first in the enumeration, in the order of isa.def.
  TERN_TRY(ScalarOperation(AllInstructions()[static_cast<size_t>(op.handler)].opcode, Value(op.a),
                           b, &value));
  Store(op.dst, std::move(value));
  return OkStatus();
}

Status VirtualMachine::Interpreter::Phi(const DecodedOp& op) {
  const Any& a = regs_[op.a];
  const Any& b = regs_[op.b];
  // Both branches of an if write registers of their own, and the one that did not run left none.
  if (a.is_none() == b.is_none()) {
    return Failed("phi needs exactly one of %", op.a, " and %", op.b, " to hold a value, ",
                  a.is_none() ? "neither does" : "both do");
  }
  Store(op.dst, a.is_none() ? b : a);
  return OkStatus();
}

Status VirtualMachine::Interpreter::Fatal(const DecodedOp& op) {
  // The verifier has checked that the constant is text.
  return std::move(Failed(*Value(op.a).TryCast<std::string_view>()).SetErrorCode("E0301"));
}

Status VirtualMachine::Interpreter::AllocAdt(const DecodedOp& op) {
  Store(op.dst,
        Adt::Make(static_cast<int32_t>(*Value(op.a).TryCast<int64_t>()), Views(ListOf(op))));
  // Containers do not fail when a memory limit is passed; the account is asked right afterwards.
  return vm_.account_.is_over() ? vm_.account_.OverLimit() : OkStatus();
}

Status VirtualMachine::Interpreter::AllocClosure(const DecodedOp& op) {
  Store(op.dst, Closure::Make(static_cast<uint32_t>(op.a), Views(ListOf(op))));
  return vm_.account_.is_over() ? vm_.account_.OverLimit() : OkStatus();
}

// A constant int as a tensor of rank 0: operators take tensors.
Status VirtualMachine::Interpreter::LoadConsti(const DecodedOp& op) {
  TERN_TRY_ASSIGN(TensorPtr tensor, vm_.context_.NewTensor(kI64, Dims()));
  *tensor->data_as<int64_t>() = *Value(op.a).TryCast<int64_t>();
  Store(op.dst, std::move(tensor));
  return OkStatus();
}

// Operands: a = size, b = alignment, then dtype, device. The dtype is for readers of the code only:
// a storage has no type.
Status VirtualMachine::Interpreter::AllocStorage(const DecodedOp& op) {
  const auto size = Value(op.a).TryCast<int64_t>();
  if (!size.has_value()) return NotA("a size in bytes", Value(op.a));
  TERN_TRY_ASSIGN(StoragePtr storage, NewStorage(vm_.context_.devices(), vm_.context_.allocator(),
                                                 *size, *Value(op.b).TryCast<int64_t>(),
                                                 *Value(ListOf(op)[1]).TryCast<int64_t>()));
  Store(op.dst, std::move(storage));
  return OkStatus();
}

// Operands: a = storage or nothing, b = offset, then dtype, shape.
Status VirtualMachine::Interpreter::AllocTensor(const DecodedOp& op) {
  const DType dtype = *Value(ListOf(op)[0]).TryCast<DType>();
  std::vector<int64_t> dims;
  TERN_TRY(ToDims(Value(ListOf(op)[1]), &dims));
  const int64_t offset = *Value(op.b).TryCast<int64_t>();
  // Without a storage the tensor has memory of its own, with nothing in front of it.
  if (op.a == kNoValue) {
    if (offset != 0) return InvalidArgument("an offset of ", offset, " bytes without a storage");
    TERN_TRY_ASSIGN(TensorPtr tensor, vm_.context_.NewTensor(dtype, dims));
    Store(op.dst, std::move(tensor));
    return OkStatus();
  }
  Storage* storage = Value(op.a).TryCast<Storage>();
  if (storage == nullptr) return NotA("a storage", Value(op.a));
  // A negative offset is huge as an unsigned number.
  if (static_cast<uint64_t>(offset) > SIZE_MAX)
    return OutOfRange("an offset of ", offset, " bytes");
  // Bounds and alignment are checked by FromStorage: sizes may be computed at run time.
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
  // Lists of the language are read by the same instruction as tuples.
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
  // One extent may be -1: it follows from the others.
  TERN_TRY(InferExtent(tensor->element_count(), &dims));
  // Shares the memory; a tensor that is not contiguous is refused.
  TERN_TRY_ASSIGN(TensorPtr view, tensor->Reshape(dims));
  Store(op.dst, std::move(view));
  return OkStatus();
}

Status VirtualMachine::Interpreter::DeviceCopy(const DecodedOp& op) {
  const Tensor* tensor = Value(op.a).TryCast<Tensor>();
  if (tensor == nullptr) return NotA("a tensor", Value(op.a));
  TERN_TRY_ASSIGN(DeviceAllocator* const device,
                  FindDevice(vm_.context_.devices(), *Value(op.b).TryCast<int64_t>()));
  // Values are immutable to programs, so the same tensor may stand in two registers.
  if (IsOn(*tensor, device)) {
    Store(op.dst, Value(op.a));
    return OkStatus();
  }
  TERN_TRY_ASSIGN(TensorPtr copy, CopyTensorTo(*tensor, device, vm_.context_.allocator()));
  Store(op.dst, std::move(copy));
  return OkStatus();
}

// Borrowed: for callees that copy what they keep.
std::vector<AnyView> VirtualMachine::Interpreter::Views(std::span<const ValueRef> refs) const {
  std::vector<AnyView> views;
  views.reserve(refs.size());
  for (ValueRef ref : refs) views.emplace_back(Value(ref));
  return views;
}

}  // namespace tern::vm
