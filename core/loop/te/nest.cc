// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/nest.h"

namespace tern::loop::te {

// The extent of a root axis. Of a reduce axis it may depend on axes before it: their loops are
// outside of its own (schedule.cc checks it), so that their values are known by loop variables.
Expr Nest::RootExtent(int index) const {
  const size_t i = static_cast<size_t>(index);
  if (i < ranges_.size()) return ranges_[i].extent;
  const Expr& extent = axis(index).extent;
  std::vector<Substitution> map;
  for (size_t k = 0; k < i; ++k) {
    if (UsesVar(extent, axis(static_cast<int>(k)).var.get())) AddValue(k, &map);
  }
  return map.empty() ? extent : Substitute(extent, map);
}

// Fused loops would run as often as the product says, and two negative extents have a positive one.
Expr Nest::NotNegative(Expr extent) const {
  if (simplifier_.BoundsOf(extent).low >= 0) return extent;
  return MakeBinary(BinaryOp::kMax, std::move(extent), MakeInt(0));
}

// Follows the relations from the roots to the loops: fused axes multiply, splits round up.
Expr Nest::Extent(int axis) const {
  const Relation* r = stage_.MadeBy(axis);
  if (r == nullptr) return RootExtent(axis);
  if (!r->is_split) {
    const Expr first = simplifier_.Simplify(Extent(r->outer));
    const Expr second = simplifier_.Simplify(Extent(r->inner));
    return simplifier_.Simplify(Mul(NotNegative(first), NotNegative(second)));
  }
  const Expr factor = MakeInt(r->factor.count);
  if (axis == r->inner) return factor;
  const Expr parent = Extent(r->parent);
  return simplifier_.Simplify(FloorDiv(Add(parent, Sub(factor, MakeInt(1))), factor));
}

// Follows them the other way: a root's value by the variables of the loops that it became.
Expr Nest::Value(int axis) const {
  const Relation* r = stage_.UsedBy(axis);
  if (r == nullptr) return this->axis(axis).var;
  if (r->is_split) return Add(Mul(Value(r->outer), MakeInt(r->factor.count)), Value(r->inner));
  const Expr fused = Value(r->parent), second = Extent(r->inner);
  return MakeBinary(axis == r->outer ? BinaryOp::kDiv : BinaryOp::kMod, fused, second);
}

// Whether the inner loop of a split can stop at the end of the axis, as min(factor, what is left).
// That needs the outer variable, so the outer loop must be outside, and an axis that no other line
// made.
bool Nest::EndsWithAxis(const Relation& split) const {
  const int outer = stage_.LeafIndex(split.outer), inner = stage_.LeafIndex(split.inner);
  // Copies of an unrolled loop are a constant number.
  if (axis(split.inner).kind == ForKind::kUnrolled) return false;
  return stage_.MadeBy(split.parent) == nullptr && outer >= 0 && inner > outer;
}

bool Nest::ComesOutEven(const Relation& split) const {
  return simplifier_.ProvesMultiple(Extent(split.parent), MakeInt(split.factor.count));
}

// The extent as the loop runs it, which is that of the axis unless the loop ends early.
Expr Nest::LoopExtent(int axis) const {
  const Relation* r = stage_.MadeBy(axis);
  const bool is_inner = r != nullptr && r->is_split && axis == r->inner;
  if (!is_inner || !EndsWithAxis(*r)) return Extent(axis);
  const Expr parent = Extent(r->parent), factor = MakeInt(r->factor.count);
  if (ComesOutEven(*r)) return factor;
  const Expr done = Mul(this->axis(r->outer).var, factor);
  return MakeBinary(BinaryOp::kMin, factor, Sub(parent, done));
}

// Roots that are loops themselves need no replacement.
void Nest::AddValue(size_t root, std::vector<Substitution>* map) const {
  const VarPtr& var = stage_.axes[root].var;
  Expr value = Value(static_cast<int>(root));
  if (root < ranges_.size()) value = Add(ranges_[root].min, std::move(value));
  if (value != var) map->push_back({var.get(), simplifier_.Simplify(value)});
}

std::vector<Substitution> Nest::RootValues() const {
  std::vector<Substitution> map;
  for (size_t i = 0; i < stage_.axes.size() && stage_.axes[i].extent; ++i) AddValue(i, &map);
  return map;
}

}  // namespace tern::loop::te
