// SPDX-License-Identifier: Apache-2.0
// Loads, stores, masks and reductions.
#include "core/loop/emit/llvm_function.h"

namespace tern::loop {
namespace {

bool IsContiguous(const Expr& index) {
  const auto* ramp = index->As<Ramp>();
  return ramp != nullptr && IsInt(ramp->stride, 1);
}

bool IsPowerOfTwo(int32_t value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace

// Checked here, because LLVM ends the process for scalable vectors that a target cannot hold.
bool LlvmFunction::CheckLanes(DataType type) {
  if (!type.is_scalable()) return true;
  if (!IsScalable(flavor_)) {
    NoScalableVectors(StrCat("vectors of unknown length (", type.ToString(), ")"));
  } else if (!IsPowerOfTwo(type.vscale_factor()) || type.vscale_factor() < 2) {
    Fail(Unsupported("loop function '", function_.name, "' has vectors of type ", type.ToString(),
                     "; targets have multiples of vscale by a power of two from 2 on")
             .SetErrorCode("E0802"));
  }
  return status_.ok();
}

void LlvmFunction::NoScalableVectors(std::string_view what) {
  Fail(Unsupported("loop function '", function_.name, "' has ", what, ", and the target has none")
           .AddNote("help: vectorize with a fixed width for this target")
           .SetErrorCode("E0802")
           .Clone());
}

// Their number of lanes is asked here for the same reason.
std::string LlvmFunction::ComputeVScale() {
  if (IsScalable(flavor_)) return CallIntrinsic("vscale.i64", "i64", {});
  NoScalableVectors("'vscale', the length of vectors of unknown length");
  return "poison";
}

std::string LlvmFunction::FromMemory(DataType type, const std::string& value) {
  if (!type.is_bool()) return value;
  return Compare(BinaryOp::kNe, type.InMemory(), value, Zero(type.InMemory()));
}

std::string LlvmFunction::ToMemory(DataType type, const std::string& value) {
  if (!type.is_bool()) return value;
  return Let(StrCat("zext ", Typed(type, value), " to ", LlvmMemoryType(type)));
}

// The index with its type. getelementptr takes narrow indices as signed, so unsigned ones are
// widened.
std::string LlvmFunction::Index(const Expr& index) {
  const DataType type = index->type;
  if (type.is_signed() || type.bits() == 64) return Typed(index);
  const DataType wide = type.WithElement(kI64);
  return Typed(wide, Let(StrCat("zext ", Typed(index), " to ", LlvmType(wide))));
}

std::string LlvmFunction::Address(const Buffer& buffer, const Expr& index) {
  const std::string at = Index(index);
  return Let(StrCat("getelementptr inbounds ", LlvmMemoryType(DataType(buffer.dtype)), ", ptr ",
                    buffers_[&buffer], ", ", at));
}

// Without inbounds: lanes that are off may hold any index.
std::string LlvmFunction::Addresses(const Buffer& buffer, const Expr& index) {
  const std::string at = Index(index);
  return Let(StrCat("getelementptr ", LlvmMemoryType(DataType(buffer.dtype)), ", ptr ",
                    buffers_[&buffer], ", ", at));
}

std::string LlvmFunction::ComputeLoad(const Load& load) {
  if (load.indices.size() != 1) {
    NotLowered(
        StrCat("an access of '", load.buffer->name, "' by ", load.indices.size(), " indices"));
    return "poison";
  }
  const Expr& index = load.index();
  const DataType type = load.type, in_memory = type.InMemory();
  const std::string spelled = LlvmType(in_memory);
  const auto align = static_cast<int>(type.element_bytes());
  if (index->type.is_scalar() && !load.predicate) {
    const std::string at = Address(*load.buffer, index);
    return FromMemory(type, Let(StrCat("load ", spelled, ", ptr ", at, ", align ", align)));
  }
  const std::string mask = load.predicate ? Value(load.predicate) : AllTrue(type.lane_count());
  const std::string typed_mask = Typed(kBoolType.With(type.lane_count()), mask);
  // Lanes that are off load 0, as in the interpreter.
  const std::string zero = StrCat(spelled, " zeroinitializer");
  if (!IsContiguous(index)) {
    const std::string pointers = LlvmPointers(type.lane_count());
    const std::string at = Addresses(*load.buffer, index);
    return FromMemory(
        type, CallIntrinsic(StrCat("masked.gather.", LlvmSuffix(in_memory), ".",
                                   LlvmPointersSuffix(type.lane_count())),
                            spelled,
                            {StrCat(pointers, " ", at), StrCat("i32 ", align), typed_mask, zero}));
  }
  const std::string at = Address(*load.buffer, index->As<Ramp>()->base);
  if (!load.predicate)
    return FromMemory(type, Let(StrCat("load ", spelled, ", ptr ", at, ", align ", align)));
  return FromMemory(type,
                    CallIntrinsic(StrCat("masked.load.", LlvmSuffix(in_memory), ".p0"), spelled,
                                  {StrCat("ptr ", at), StrCat("i32 ", align), typed_mask, zero}));
}

void LlvmFunction::WriteStore(const Store& store) {
  if (store.indices.size() != 1)
    return NotLowered(
        StrCat("an access of '", store.buffer->name, "' by ", store.indices.size(), " indices"));
  const Expr& index = store.index();
  const DataType type = store.value->type, in_memory = type.InMemory();
  const std::string value = Typed(in_memory, ToMemory(type, Value(store.value)));
  const auto align = static_cast<int>(type.element_bytes());
  if (index->type.is_scalar() && !store.predicate) {
    const std::string at = Address(*store.buffer, index);
    return Line(StrCat("store ", value, ", ptr ", at, ", align ", align));
  }
  const Lanes lanes = type.lane_count();
  const std::string mask = store.predicate ? Value(store.predicate) : AllTrue(lanes);
  const std::string typed_mask = Typed(kBoolType.With(lanes), mask);
  if (!IsContiguous(index)) {
    const std::string at = Addresses(*store.buffer, index);
    CallIntrinsic(StrCat("masked.scatter.", LlvmSuffix(in_memory), ".", LlvmPointersSuffix(lanes)),
                  "void",
                  {value, StrCat(LlvmPointers(lanes), " ", at), StrCat("i32 ", align), typed_mask});
    return;
  }
  const std::string at = Address(*store.buffer, index->As<Ramp>()->base);
  if (!store.predicate) return Line(StrCat("store ", value, ", ptr ", at, ", align ", align));
  CallIntrinsic(StrCat("masked.store.", LlvmSuffix(in_memory), ".p0"), "void",
                {value, StrCat("ptr ", at), StrCat("i32 ", align), typed_mask});
}

// SVE's whilelt is exactly this mask. Elsewhere the active lanes are counted first, by a
// subtraction that saturates, and no more bits are compared in each lane than the count needs.
std::string LlvmFunction::ComputeMask(const LaneMask& mask) {
  if (IsTailOfLoop(mask)) return ComputeTail(mask);
  const DataType type = mask.type;
  const std::string base = Value(mask.base), bound = Value(mask.bound);
  if (flavor_ == LlvmFlavor::kSve && type.is_scalable()) {
    return CallIntrinsic(StrCat("aarch64.sve.whilelt.", LlvmSuffix(type), ".i64"), LlvmType(type),
                         {StrCat("i64 ", base), StrCat("i64 ", bound)});
  }
  const auto limit = [&](const char* name, const std::string& a, const std::string& b) {
    return CallIntrinsic(StrCat(name, ".i64"), "i64", {StrCat("i64 ", a), StrCat("i64 ", b)});
  };
  std::string count = limit("smax", limit("ssub.sat", bound, base), "0");
  int bits = 64;
  if (!type.is_scalable()) {
    count = limit("smin", count, StrCat(type.lanes()));
    bits = type.lanes() <= 8 ? 64 : type.lanes() <= 16 ? 32 : type.lanes() <= 32 ? 16 : 8;
    if (type.lanes() > 64) bits = 32;
    if (bits < 64) count = Let(StrCat("trunc i64 ", count, " to i", bits));
  }
  return CallIntrinsic(StrCat("get.active.lane.mask.", LlvmSuffix(type), ".i", bits),
                       LlvmType(type), {StrCat("i", bits, " 0"), StrCat("i", bits, " ", count)});
}

namespace {

// What follows "llvm.vector.reduce.". Sums and products of floats start at the identity and go from
// lane 0 upwards: without `reassoc`, LLVM keeps that order.
struct ReduceNames {
  BinaryOp op;
  std::string_view of_floats, of_signed, of_unsigned;
  std::string_view identity = {};
};
constexpr ReduceNames kReduceNames[] = {
    {BinaryOp::kAdd, "fadd", "add", "add", "-0.0"},
    {BinaryOp::kMul, "fmul", "mul", "mul", "1.0"},
    {BinaryOp::kMin, "fminimum", "smin", "umin"},
    {BinaryOp::kMax, "fmaximum", "smax", "umax"},
    {BinaryOp::kAnd, "", "and", "and"},
    {BinaryOp::kOr, "", "or", "or"},
};

}  // namespace

std::string LlvmFunction::ComputeReduce(const VectorReduce& reduce) {
  const DataType vector = reduce.value->type, scalar = reduce.type;
  const std::string value = Value(reduce.value);
  if (!status_.ok()) return "poison";
  const bool storage = scalar.element() == kBf16;
  // For bfloat16 there is no instruction, and scalable targets have no product over lanes.
  if (storage || (reduce.op == BinaryOp::kMul && vector.is_scalable()))
    return ReduceByLanes(reduce, value);
  const auto reduced = [&](std::string_view name, const std::vector<std::string>& args) {
    return CallIntrinsic(StrCat("vector.reduce.", name, ".", LlvmSuffix(vector)), LlvmType(scalar),
                         args);
  };
  for (const ReduceNames& names : kReduceNames) {
    if (names.op != reduce.op) continue;
    if (!scalar.is_float())
      return reduced(scalar.is_signed() ? names.of_signed : names.of_unsigned,
                     {Typed(vector, value)});
    if (names.identity.empty()) return reduced(names.of_floats, {Typed(vector, value)});
    return reduced(names.of_floats, {Typed(scalar, names.identity), Typed(vector, value)});
  }
  NotLowered("a reduction that is none");
  return "poison";
}

// A loop over the lanes with an accumulator, because the number of lanes is known only when it
// runs.
std::string LlvmFunction::ReduceByLanes(const VectorReduce& reduce, const std::string& vector) {
  const DataType type = reduce.value->type, scalar = reduce.type;
  std::string lanes = StrCat(type.lane_count().count);
  if (type.is_scalable())
    lanes = Let(StrCat("mul i64 ", CallIntrinsic("vscale.i64", "i64", {}), ", ", lanes));
  const std::string first = Let(StrCat("extractelement ", Typed(type, vector), ", i64 0"));
  const std::string before = block_;
  const std::string head = Fresh("lanes"), body = Fresh("lanes.body"), done = Fresh("lanes.done");
  const std::string lane = StrCat("%", Fresh("lane")), next = StrCat(lane, ".after");
  const std::string sum = StrCat("%", Fresh("fold")), folded = StrCat(sum, ".after");
  Jump(head);
  Label(head);
  Line(StrCat(lane, " = phi i64 [ 1, %", before, " ], [ ", next, ", %", body, " ]"));
  Line(StrCat(sum, " = phi ", LlvmType(scalar), " [ ", first, ", %", before, " ], [ ", folded,
              ", %", body, " ]"));
  Branch(Let(StrCat("icmp slt i64 ", lane, ", ", lanes)), body, done);
  Label(body);
  // Values of these variables and of what is computed from them are for this block alone.
  const auto outside = values_;
  const VarPtr a = MakeVar("a", scalar), b = MakeVar("b", scalar);
  variables_[a.get()] = sum;
  variables_[b.get()] = Let(StrCat("extractelement ", Typed(type, vector), ", i64 ", lane));
  const Expr step = Legalized(MakeBinary(reduce.op, Expr(a.get()), Expr(b.get())));
  const std::string result = Value(step);
  // A select names the value, so that the phi above can refer to it before it is written.
  Line(StrCat(folded, " = select i1 true, ", Typed(scalar, result), ", ", Typed(scalar, result)));
  Line(StrCat(next, " = add nsw i64 ", lane, ", 1"));
  Jump(head);
  Label(done);
  values_ = outside;
  variables_.erase(a.get());
  variables_.erase(b.get());
  return sum;
}

}  // namespace tern::loop
