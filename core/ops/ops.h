// SPDX-License-Identifier: Apache-2.0
// The table of operators, expanded from ops.def: names, parameters, and how results follow from
// arguments.
//
// A type relation sees types and, for small integer tensors, values as symbolic dimensions; it
// gives the result types and, where it can, the value of the result. It is pure; errors name what
// is wrong but not the call, which the caller adds. See shape_rules.h and its siblings for the
// rules that relations and kernels share.
#ifndef TERN_CORE_OPS_OPS_H_
#define TERN_CORE_OPS_OPS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/object/attrs.h"

namespace tern::types {
class Dim;
struct TensorType;
}  // namespace tern::types

namespace tern::ops {

enum class Op : int32_t {
#define TERN_OP(name, ...) k_##name,
#include "core/ops/ops.def"
#undef TERN_OP
};

enum class Family : int32_t {
  image,
  norm,
  matmul,
  unary,
  binary,
  reduce,
  shape,
  index,
  make,
  quantize,
  recurrent
};
std::string_view FamilyName(Family family);

// How an operator meets images whose channels are turned to be last (choose_layout).
enum class LayoutRule : int8_t {
  declared,     // takes and gives images as they were declared
  chosen,       // has the attribute `layout`, and kernels that want channels last
  elementwise,  // element by element, with broadcasting: follows as it is
  reduces,      // over axes that can be named anew: arguments `x axes?`
  axis_0,       // along the attribute `axis`, 0 by default
  axis_1,       // the same, 1 by default
  axis_last,    // the same, the last by default
  blocks,       // follows by the attribute `layout`, which it does not choose by itself
  own           // follows in a way that choose_layout has a function for
};

// What becomes of the elements of the first argument.
enum class Movement : int8_t {
  computes,  // others are made of them
  moves,     // they change places, some perhaps left out or repeated
  reshapes,  // they stay in their order: the same memory in another shape
  same       // the same memory and shape
};

struct OpInfo;

// The elements of an integer tensor of rank 0 or 1, as symbolic dimensions.
using Values = std::vector<types::Dim>;

// An argument as a relation sees it. type is null for a missing optional argument; value where it
// is known.
struct ArgInfo {
  const types::TensorType* type = nullptr;
  const Values* value = nullptr;
};

struct RelationOutput {
  std::vector<types::TensorType> types;
  std::optional<Values> value;  // of the first result
};

using Relation = Status (*)(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                            RelationOutput* out);

struct OpInfo {
  Op op;
  std::string_view name;
  Family family;
  std::string_view parameters;  // as in ops.def
  int min_args;
  int max_args;  // INT32_MAX where the last parameter takes any number
  int outputs;   // 0: as the attributes say
  LayoutRule layout;
  Movement movement;

  // The result is the first argument's memory.
  bool IsView() const { return movement >= Movement::reshapes; }

  // "w"; "inputs" for every argument from a starred parameter on.
  std::string_view parameter(int index) const;
  // Missing arguments that are allowed to be.
  bool IsOptional(int index) const;
};

// In the order of ops.def.
std::span<const OpInfo> AllOps();
// Null if there is none of this name.
const OpInfo* FindOp(std::string_view name);
const OpInfo& InfoOf(Op op);
// What it computes, in a few words. Apart from the row, because what only runs has no use for it.
std::string_view PhraseOf(Op op);

// How many results a call gives.
Result<int> OutputCount(const OpInfo& op, const Attrs& attrs);

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_OPS_H_
