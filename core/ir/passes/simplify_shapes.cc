// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/simplify_shapes.h"

#include "core/ir/splat.h"
#include "core/ops/image_attrs.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_rules.h"

namespace tern::ir {

using ops::Ints;
using ops::Op;
using types::Dim;
using types::TensorType;

namespace {

// The call that the expression's variable is bound to, or null.
const Call* DefinitionOf(const Builder& builder, const Expr& expr) {
  const Node* node = builder.Definition(expr);
  return node == nullptr ? nullptr : node->As<Call>();
}

bool IsReshaping(const Call& call) { return call.op().movement == ops::Movement::reshapes; }

// The first value in a chain of calls that only reshape.
Expr BehindReshapes(const Builder& builder, Expr x) {
  const Call* inner = DefinitionOf(builder, x);
  while (inner != nullptr && IsReshaping(*inner)) {
    x = inner->args()[0];
    inner = DefinitionOf(builder, x);
  }
  return x;
}

// reshape, flatten, squeeze and unsqueeze all become one reshape by attributes, of the first value
// in a chain of them: none of them moves an element.
Expr SimplifyReshape(const Call& call, const std::vector<Expr>& args, const Var& var,
                     Builder* builder) {
  if (!var.type().is_tensor()) return nullptr;
  const Expr x = BehindReshapes(*builder, args[0]);
  const TensorType* from = TensorTypeOf(x);
  if (from == nullptr) return nullptr;
  if (TypeOf(x) == var.type()) return x;
  Attrs attrs;
  // A target of two or more unknown extents cannot be written as attributes.
  if (!ReshapeTarget(*from, var.type().tensor(), &attrs)) return nullptr;
  // Already in this form: emitting it again would not end.
  if (call.Is(Op::k_reshape) && x == args[0] && args.size() == 1 && attrs == call.attrs())
    return nullptr;
  return builder->Emit(Op::k_reshape, {x}, attrs);
}

// The permutation with its default written out; empty if it does not fit the rank.
std::vector<int64_t> PermOf(const Call& call, int rank) {
  const ops::TransposeAttrs attrs = ops::TransposeAttrs::From(call.attrs()).value();
  int resolved[ops::kMaxDims];
  if (rank > ops::kMaxDims || !ops::ResolvePerm(attrs.perm, rank, resolved).ok()) return {};
  return {resolved, resolved + rank};
}

// Whether no element moves: axes of extent 1 may be anywhere.
bool KeepsOrder(const TensorType& x, std::span<const int64_t> perm) {
  int64_t last = -1;
  for (int64_t axis : perm) {
    if (x.dims[static_cast<size_t>(axis)] == Dim(1)) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

// Two transposes become one, and one that moves no element a reshape.
Expr SimplifyTranspose(const Call& call, const std::vector<Expr>& args, const Var& var,
                       Builder* builder) {
  Expr x = args[0];
  const TensorType* type = TensorTypeOf(x);
  if (type == nullptr || !var.type().is_tensor()) return nullptr;
  std::vector<int64_t> perm = PermOf(call, type->rank());
  if (const Call* inner = DefinitionOf(*builder, x);
      inner != nullptr && inner->Is(Op::k_transpose)) {
    const std::vector<int64_t> first = PermOf(*inner, type->rank());
    // The permutation of a permutation.
    for (int64_t& axis : perm) axis = first[static_cast<size_t>(axis)];
    x = inner->args()[0];
    type = TensorTypeOf(x);
  }
  if (type == nullptr || perm.size() != type->dims.size()) return nullptr;
  bool same = true;
  for (size_t i = 0; i < perm.size(); ++i) same = same && perm[i] == static_cast<int64_t>(i);
  if (same) return x;
  Attrs attrs;
  if (KeepsOrder(*type, perm)) {
    const Expr first = BehindReshapes(*builder, x);
    const TensorType* from = TensorTypeOf(first);
    if (from != nullptr && ReshapeTarget(*from, var.type().tensor(), &attrs))
      return builder->Emit(Op::k_reshape, {first}, attrs);
  }
  if (x == args[0]) return nullptr;
  return builder->Emit(Op::k_transpose, {x}, ops::TransposeAttrs{perm}.ToAttrs());
}

// True also for an empty list.
bool AllEqual(const Ints& values, int64_t expected) {
  for (int64_t value : values) {
    if (value != expected) return false;
  }
  return true;
}

// Reads an integer argument that is a constant into the list. True also where there is no argument:
// the attributes say it then.
bool TakeInts(const std::vector<Expr>& args, size_t index, Ints* list) {
  if (index >= args.size() || IsNone(args[index])) return true;
  return ConstantInts(args[index], list);
}

// Constant arguments become attributes, which later passes read more easily.
Expr SimplifySlice(const Call& call, const std::vector<Expr>& args, const Var& var,
                   Builder* builder) {
  ops::SliceAttrs attrs = ops::SliceAttrs::From(call.attrs()).value();
  if (!TakeInts(args, 1, &attrs.starts) || !TakeInts(args, 2, &attrs.ends) ||
      !TakeInts(args, 3, &attrs.axes) || !TakeInts(args, 4, &attrs.steps)) {
    return nullptr;
  }
  if (AllEqual(attrs.steps, 1) && TypeOf(args[0]) == var.type()) return args[0];
  return args.size() == 1 ? nullptr : builder->Emit(Op::k_slice, {args[0]}, attrs.ToAttrs());
}

Expr SimplifyPad(const Call& call, const std::vector<Expr>& args, Builder* builder) {
  ops::PadAttrs attrs = ops::PadAttrs::From(call.attrs()).value();
  if (!TakeInts(args, 1, &attrs.pads)) return nullptr;
  if (AllEqual(attrs.pads, 0)) return args[0];
  const Tensor* value = args.size() > 2 ? ConstantTensor(args[2]) : nullptr;
  const bool has_value = args.size() > 2 && !IsNone(args[2]);
  // A value that is computed or of another type stays an argument.
  if (has_value && (value == nullptr || value->dtype() != kF32 || value->element_count() != 1)) {
    return args.size() > 1 && !IsNone(args[1])
               ? builder->Emit(Op::k_pad, {args[0], MakeNone(), args[2]}, attrs.ToAttrs())
               : nullptr;
  }
  if (has_value) attrs.value = *value->data_as<float>();
  return args.size() == 1 ? nullptr : builder->Emit(Op::k_pad, {args[0]}, attrs.ToAttrs());
}

// An expand that changes nothing is its operand.
Expr SimplifyExpand(const Call& call, const std::vector<Expr>& args, const Var& var,
                    Builder* builder) {
  if (TypeOf(args[0]) == var.type()) return args[0];
  ops::ShapeAttrs attrs = ops::ShapeAttrs::From(call.attrs()).value();
  if (args.size() == 1 || !TakeInts(args, 1, &attrs.shape) || attrs.shape.empty()) return nullptr;
  return builder->Emit(Op::k_expand, {args[0]}, attrs.ToAttrs());
}

Expr SimplifyTile(const Call& call, const std::vector<Expr>& args, Builder* builder) {
  ops::TileAttrs attrs = ops::TileAttrs::From(call.attrs()).value();
  if (!TakeInts(args, 1, &attrs.repeats)) return nullptr;
  if (AllEqual(attrs.repeats, 1)) return args[0];
  return args.size() == 1 ? nullptr : builder->Emit(Op::k_tile, {args[0]}, attrs.ToAttrs());
}

// k as an attribute makes the extent of the results known.
Expr SimplifyTopK(const Call& call, const std::vector<Expr>& args, Builder* builder) {
  ops::TopKAttrs attrs = ops::TopKAttrs::From(call.attrs()).value();
  Ints k;
  if (args.size() < 2 || !ConstantInts(args[1], &k) || k.size() != 1) return nullptr;
  attrs.k = k[0];
  return builder->Emit(Op::k_topk, {args[0]}, attrs.ToAttrs());
}

// Sizes as an attribute, only if neither regions nor scales are given.
Expr SimplifyResize(const Call& call, const std::vector<Expr>& args, Builder* builder) {
  ops::ResizeAttrs attrs = ops::ResizeAttrs::From(call.attrs()).value();
  if (args.size() < 4 || !IsNone(args[1]) || !IsNone(args[2]) ||
      !ConstantInts(args[3], &attrs.sizes))
    return nullptr;
  return builder->Emit(Op::k_resize, {args[0]}, attrs.ToAttrs());
}

// With noop_if_empty, no axes mean that nothing is reduced.
Expr SimplifyReduce(const Call& call, const std::vector<Expr>& args, Builder* builder) {
  ops::ReduceAttrs attrs = ops::ReduceAttrs::From(call.attrs()).value();
  if (args.size() < 2 || !ConstantInts(args[1], &attrs.axes)) return nullptr;
  if (attrs.axes.empty() && attrs.noop_if_empty) return args[0];
  return builder->Emit(call.op(), {args[0]}, attrs.ToAttrs());
}

const Call* DefinedBy(const Builder& builder, const Expr& expr, Op op) {
  const Call* call = DefinitionOf(builder, expr);
  return call != nullptr && call->Is(op) ? call : nullptr;
}

// The channel shuffle of ShuffleNet v2 as PyTorch exports it: x [n, c, h, w] is reshaped to [n c /
// 2, 2, h w], transposed to [2, n c / 2, h w] and reshaped to [2, n, c / 2, h, w], and one half of
// that is taken. That half is every second channel of x, which is one slice with a step.
Expr SimplifyGather(const Call& call, const std::vector<Expr>& args, const Var& var,
                    Builder* builder) {
  Ints index;
  const TensorType* halves = TensorTypeOf(args[0]);
  if (call.attrs().GetInt("axis", 0) != 0 || halves == nullptr || halves->rank() != 5)
    return nullptr;
  if (!ConstantInts(args[1], &index) || index.size() != 1 || TensorTypeOf(args[1])->rank() != 0)
    return nullptr;
  const Call* together = DefinedBy(*builder, args[0], Op::k_reshape);
  const Call* transpose =
      together == nullptr ? nullptr : DefinedBy(*builder, together->args()[0], Op::k_transpose);
  const Call* apart =
      transpose == nullptr ? nullptr : DefinedBy(*builder, transpose->args()[0], Op::k_reshape);
  if (apart == nullptr || PermOf(*transpose, 3) != Ints{1, 0, 2}) return nullptr;
  const TensorType* x = TensorTypeOf(apart->args()[0]);
  const TensorType* pairs = TensorTypeOf(transpose->args()[0]);
  if (x == nullptr || x->rank() != 4 || pairs->rank() != 3 || !var.type().is_tensor())
    return nullptr;
  const Dim groups = halves->dims[0];
  const bool fits = groups.is_constant() && pairs->dims[1] == groups &&
                    pairs->dims[2] == x->dims[2] * x->dims[3] && halves->dims[1] == x->dims[0] &&
                    halves->dims[2] * groups == x->dims[1] && halves->dims[3] == x->dims[2] &&
                    halves->dims[4] == x->dims[3];
  if (!fits || index[0] < 0 || index[0] >= groups.constant()) return nullptr;
  const ops::SliceAttrs slice{{index[0]}, {INT64_MAX}, {1}, {groups.constant()}};
  return builder->Emit(Op::k_slice, {apart->args()[0]}, slice.ToAttrs());
}

// Where a box of x begins along each of its first axes, if index vectors name its elements in their
// order: counts[0] * counts[1] * … of them, as many numbers each as there are counts.
bool ReadBox(std::span<const int64_t> indices, std::span<const int64_t> counts, Ints* begins) {
  const size_t depth = counts.size();
  begins->assign(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(depth));
  Ints at(depth, 0);
  for (size_t i = 0; i < indices.size(); i += depth) {
    for (size_t k = 0; k < depth; ++k) {
      if (indices[i + k] != (*begins)[k] + at[k]) return false;
    }
    for (size_t k = depth; k-- > 0 && ++at[k] == counts[k];) at[k] = 0;
  }
  return true;
}

// What exporters write for x[:, begin:end] = updates, with every element's index: x with a stretch
// of one axis replaced.
Expr SimplifyScatterNd(const Call& call, const std::vector<Expr>& args, Builder* builder) {
  const TensorType* x = TensorTypeOf(args[0]);
  const Tensor* indices = ConstantTensor(args[1]);
  const bool reduces = call.attrs().Has("reduction");
  if (reduces || x == nullptr || indices == nullptr || indices->dtype() != kI64 ||
      indices->element_count() == 0 || SplatElement(*indices))
    return nullptr;
  const std::span<const int64_t> counts =
      indices->dims().first(static_cast<size_t>(indices->rank() - 1));
  if (indices->dim(indices->rank() - 1) != static_cast<int64_t>(counts.size())) return nullptr;
  Ints begins;
  if (!ReadBox(indices->values<int64_t>(), counts, &begins)) return nullptr;
  int64_t replaced = -1;  // the axis of which a stretch is
  for (size_t k = 0; k < counts.size(); ++k) {
    const Dim& extent = x->dims[k];
    if (!extent.is_constant() || begins[k] < 0 || begins[k] + counts[k] > extent.constant())
      return nullptr;
    if (counts[k] == extent.constant()) continue;
    if (replaced >= 0) return nullptr;
    replaced = static_cast<int64_t>(k);
  }
  if (replaced < 0) return args[2];
  const auto axis = static_cast<size_t>(replaced);
  const int64_t begin = begins[axis], end = begin + counts[axis];
  std::vector<Expr> parts;
  const auto keep = [&](int64_t from, int64_t to) {
    const ops::SliceAttrs slice{{from}, {to}, {replaced}, {}};
    parts.push_back(builder->Emit(Op::k_slice, {args[0]}, slice.ToAttrs()));
  };
  if (begin > 0) keep(0, begin);
  parts.push_back(args[2]);
  if (end < x->dims[axis].constant()) keep(end, INT64_MAX);
  return builder->Emit(Op::k_concat, std::move(parts), ops::AxisAttrs{replaced}.ToAttrs());
}

}  // namespace

// An extent is written as a number, as 0 ("as in x, same axis"), or once as -1 ("what is left").
bool ReshapeTarget(const TensorType& x, const TensorType& to, Attrs* attrs) {
  ops::ReshapeAttrs reshape;
  bool inferred = false, zero = false, kept = false;
  for (size_t i = 0; i < to.dims.size(); ++i) {
    const Dim& extent = to.dims[i];
    if (extent.is_constant()) {
      zero = zero || extent.constant() == 0;
      reshape.shape.push_back(extent.constant());
    } else if (i < x.dims.size() && extent == x.dims[i]) {
      kept = true;
      reshape.shape.push_back(0);
    } else if (!inferred) {
      inferred = true;
      reshape.shape.push_back(-1);
    } else {
      return false;
    }
  }
  // 0 cannot mean both an empty axis and "as in x".
  if (zero && (inferred || kept)) return false;
  reshape.allow_zero = zero;
  reshape.scalar = to.dims.empty();
  *attrs = reshape.ToAttrs();
  return true;
}

Expr SimplifyShape(const Call& call, const std::vector<Expr>& args, const Var& var,
                   Builder* builder) {
  if (IsReshaping(call)) return SimplifyReshape(call, args, var, builder);
  switch (call.op().op) {
    case Op::k_transpose: return SimplifyTranspose(call, args, var, builder);
    case Op::k_slice: return SimplifySlice(call, args, var, builder);
    case Op::k_pad: return SimplifyPad(call, args, builder);
    case Op::k_expand: return SimplifyExpand(call, args, var, builder);
    case Op::k_tile: return SimplifyTile(call, args, builder);
    case Op::k_topk: return SimplifyTopK(call, args, builder);
    case Op::k_resize: return SimplifyResize(call, args, builder);
    case Op::k_scatter_nd: return SimplifyScatterNd(call, args, builder);
    case Op::k_gather: return SimplifyGather(call, args, var, builder);
    default: break;
  }
  const bool reduces = call.op().layout == ops::LayoutRule::reduces;
  return reduces ? SimplifyReduce(call, args, builder) : nullptr;
}

}  // namespace tern::ir
