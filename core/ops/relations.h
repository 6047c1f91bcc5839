// SPDX-License-Identifier: Apache-2.0
// Declares Relate<Name> for every relation that ops.def names, and what they share. Each is defined
// in the .cc file of its family; it may assume that the argument count is right and that arguments
// that are not optional are there.
#ifndef TERN_CORE_OPS_RELATIONS_H_
#define TERN_CORE_OPS_RELATIONS_H_

#include "core/ops/dims.h"
#include "core/ops/ops.h"
#include "core/types/type.h"

namespace tern::ops {

#define TERN_OP(name, family, parameters, outputs, Relation, layout, movement, phrase)         \
  Status Relate##Relation(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args, \
                          RelationOutput* out);
#include "core/ops/ops.def"
#undef TERN_OP

// Apart from the table of operators: what runs programs has that, and need not have the relations.
Relation RelationOf(Op op);

using SymDims = Dims<types::Dim>;

// The shape of argument `index` as the rules take it; error above kMaxDims axes.
Status ReadDims(const OpInfo& op, std::span<const ArgInfo> args, int index, SymDims* dims);
inline bool HasArg(std::span<const ArgInfo> args, size_t index) {
  return index < args.size() && args[index].type != nullptr;
}
// Appends a result.
void AddResult(DType dtype, const SymDims& dims, RelationOutput* out);
// Same element type, or an error naming both.
Status CheckSameDType(const OpInfo& op, std::span<const ArgInfo> args, int a, int b);
// Argument `index`, if present, is i64 or i32 of rank 0 or 1.
Status CheckIntegerVector(const OpInfo& op, std::span<const ArgInfo> args, int index);

// The values that argument `index` or, where it is absent, the attribute list holds. False in
// *known: there is an argument whose elements only a run can tell; *count is then how many, or -1.
struct IntOperand {
  Values values;
  bool known = true;
  int64_t count = -1;
};
Status ReadInts(const OpInfo& op, std::span<const ArgInfo> args, int index,
                std::span<const int64_t> fallback, IntOperand* operand);
// The same where every value must be a number: axes and steps. *known: false where they are not.
Status ReadConstantInts(const OpInfo& op, std::span<const ArgInfo> args, int index,
                        std::span<const int64_t> fallback, std::vector<int64_t>* values,
                        bool* known);
// rank extents of "?".
SymDims AnyDims(int rank);

// The commonest relation: one result of the first argument's element type, whose shape is
// rule(attributes, shape of the first argument).
template <class A>
Status RelateByRule(Status (*rule)(const A&, const SymDims&, SymDims*), const OpInfo& op,
                    const Attrs& attrs, std::span<const ArgInfo> args, RelationOutput* out) {
  TERN_TRY_ASSIGN(A parsed, A::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(rule(parsed, x, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_RELATIONS_H_
