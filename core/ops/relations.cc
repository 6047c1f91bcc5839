// SPDX-License-Identifier: Apache-2.0
#include "core/ops/relations.h"

namespace tern::ops {

// One function per row of ops.def, in its order.
Relation RelationOf(Op op) {
  static constexpr Relation kRelations[] = {
#define TERN_OP(name, family, parameters, outputs, Relation, layout, movement, phrase) \
  &Relate##Relation,
#include "core/ops/ops.def"
#undef TERN_OP
  };
  return kRelations[static_cast<size_t>(op)];
}

// More axes than kernels can walk are refused here, once for all relations.
Status ReadDims(const OpInfo& op, std::span<const ArgInfo> args, int index, SymDims* dims) {
  const types::TensorType& type = *args[static_cast<size_t>(index)].type;
  if (type.rank() > kMaxDims) {
    return Unsupported("argument ", index, " (", op.parameter(index), ") is ", type.ToText(),
                       ": more than ", kMaxDims, " axes");
  }
  *dims = SymDims(type.dims);
  return OkStatus();
}

// Adds the type of one more result.
void AddResult(DType dtype, const SymDims& dims, RelationOutput* out) {
  out->types.push_back({dtype, {dims.begin(), dims.end()}});
}

// Operators do not convert their operands; the operator cast does.
Status CheckSameDType(const OpInfo& op, std::span<const ArgInfo> args, int a, int b) {
  const DType da = args[static_cast<size_t>(a)].type->dtype,
              db = args[static_cast<size_t>(b)].type->dtype;
  if (da == db) return OkStatus();
  return TypeError("argument ", b, " (", op.parameter(b), ") is ", db.ToString(), ", expected ",
                   da.ToString(), " as ", op.parameter(a), " is");
}

// One number may be a scalar or a vector of one element.
Status CheckIntegerVector(const OpInfo& op, std::span<const ArgInfo> args, int index) {
  const types::TensorType& type = *args[static_cast<size_t>(index)].type;
  if (type.dtype.is_signed_int() && type.dtype.bits >= 32 && type.rank() <= 1) return OkStatus();
  return TypeError("argument ", index, " (", op.parameter(index), ") is ", type.ToText(),
                   ", expected i64 of rank 0 or 1");
}

// An integer operand that may be an attribute (`fallback`), an argument with tracked values, or an
// argument of which at best the length is known.
Status ReadInts(const OpInfo& op, std::span<const ArgInfo> args, int index,
                std::span<const int64_t> fallback, IntOperand* operand) {
  if (!HasArg(args, static_cast<size_t>(index))) {
    for (int64_t value : fallback) operand->values.push_back(value);
    operand->count = static_cast<int64_t>(fallback.size());
    return OkStatus();
  }
  TERN_TRY(CheckIntegerVector(op, args, index));
  const ArgInfo& arg = args[static_cast<size_t>(index)];
  if (arg.value != nullptr) {
    operand->values = *arg.value;
    operand->count = static_cast<int64_t>(arg.value->size());
    return OkStatus();
  }
  operand->known = false;
  if (arg.type->rank() == 0) operand->count = 1;
  if (arg.type->rank() == 1 && arg.type->dims[0].is_constant())
    operand->count = arg.type->dims[0].constant();
  return OkStatus();
}

// As ReadInts, but only numbers count; *known says whether all are.
Status ReadConstantInts(const OpInfo& op, std::span<const ArgInfo> args, int index,
                        std::span<const int64_t> fallback, std::vector<int64_t>* values,
                        bool* known) {
  IntOperand operand;
  TERN_TRY(ReadInts(op, args, index, fallback, &operand));
  *known = operand.known;
  // Operands such as axes are of no use as symbols: then they count as unknown.
  for (const types::Dim& value : operand.values) {
    *known = *known && value.is_constant();
    if (*known) values->push_back(value.constant());
  }
  return OkStatus();
}

// Extents of which only the number is known.
SymDims AnyDims(int rank) {
  SymDims dims;
  for (int i = 0; i < rank; ++i) dims.push_back(types::Dim::Any());
  return dims;
}

}  // namespace tern::ops
