// SPDX-License-Identifier: Apache-2.0
// Works from the loops up to the axes of the formula: which values each axis takes in one step of
// the loop, as a range. Then it finds the range of each index by which the tensor is read. The idea
// is that of bounds inference in Halide, restricted to ranges of linear indices.
#include "core/loop/te/needed_part.h"

#include <algorithm>
#include <optional>

#include "core/loop/analysis/linear_form.h"

namespace tern::loop::te {
namespace {

// The values that an axis takes in one step of the loop; all lie below the axis' extent.
struct AxisRange {
  Expr min, extent;
  bool some = false;  // whether there is one for sure

  bool IsSingle() const { return IsInt(extent, 1); }
};

class LoadCollector : public Visitor {
 public:
  explicit LoadCollector(const Buffer* buffer) : buffer_(buffer) {}
  void VisitExpr(const Expr& expr) override {
    const Load* load = expr->As<Load>();
    if (load != nullptr && load->buffer.get() == buffer_) loads.push_back(load);
    Descend(expr);
  }
  std::vector<const Load*> loads;

 private:
  const Buffer* buffer_;
};

bool ReadsAny(const Expr& expr, std::span<const Buffer* const> buffers) {
  return std::any_of(buffers.begin(), buffers.end(), [&](const Buffer* buffer) {
    LoadCollector collector(buffer);
    collector.VisitExpr(expr);
    return !collector.loads.empty();
  });
}

// Ranges must be exact where an index outside of the tensor would be computed: a producer may read
// its own inputs there. `some` says that a range is not empty for sure, without which its ends mean
// nothing.
class PartFinder {
 public:
  PartFinder(const Nest& nest, size_t level, const Simplifier& simplifier)
      : nest_(nest), stage_(nest.stage()), level_(level), simplifier_(simplifier) {}

  NeededPart Run(const Buffer& tensor, std::span<const Buffer* const> inside) {
    FindRoots();
    LoadCollector collector(&tensor);
    collector.VisitExpr(stage_.compute.value);
    for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
      const Expr& shape = tensor.shape[dim];
      const std::optional<Range> range = RangeOf(collector.loads, dim, shape, inside);
      out_.ranges.push_back(range.value_or(Range{MakeInt(0), shape}));
    }
    return std::move(out_);
  }

 private:
  Expr Simple(const Expr& expr) const { return simplifier_.Simplify(expr); }
  bool IsPositive(const Expr& expr) const { return simplifier_.BoundsOf(expr).low >= 1; }

  // Finds the ranges of the axes of the formula (those that have an extent).
  void FindRoots() {
    for (size_t i = 0; i < stage_.axes.size() && stage_.axes[i].extent; ++i) {
      AxisRange range = Find(static_cast<int>(i));
      // The consumer itself may compute a part only, which does not begin at 0.
      if (i < nest_.ranges().size()) range.min = Simple(Add(nest_.ranges()[i].min, range.min));
      roots_.push_back(std::move(range));
    }
  }

  AxisRange Find(int axis) {
    const Relation* r = stage_.UsedBy(axis);
    if (r == nullptr) return FindLoop(axis);
    return r->is_split ? FindSplit(*r) : FindFused(*r, axis);
  }

  // Loops outside of the level hold still at their variable; those inside run through all values.
  AxisRange FindLoop(int axis) const {
    if (stage_.LeafIndex(axis) <= static_cast<int>(level_))
      return {nest_.axis(axis).var, MakeInt(1), true};
    const Expr extent = Simple(nest_.Extent(axis));
    return {MakeInt(0), extent, IsPositive(extent)};
  }

  // parent = outer * factor + inner.
  AxisRange FindSplit(const Relation& r) {
    const AxisRange outer = Find(r.outer), inner = Find(r.inner);
    const Expr parent = Simple(nest_.Extent(r.parent)), factor = MakeInt(r.factor.count);
    const bool outer_is_whole =
        IsInt(outer.min, 0) && SameExpr(outer.extent, Simple(nest_.Extent(r.outer)));
    // Both parts run fully: all of the parent.
    if (outer_is_whole && IsInt(inner.min, 0) && SameExpr(inner.extent, factor))
      return {MakeInt(0), parent, IsPositive(parent)};
    const Expr min = Simple(Add(Mul(outer.min, factor), inner.min));
    // The outer part runs: from the first step to the end of the parent.
    if (outer_is_whole && !outer.IsSingle()) return UpTo(min, Sub(parent, min), false);
    if (!outer.IsSingle()) {
      const Expr steps = Add(Mul(Sub(outer.extent, MakeInt(1)), factor), inner.extent);
      return UpTo(min, MakeBinary(BinaryOp::kMin, steps, Sub(parent, min)), false);
    }
    if (nest_.ComesOutEven(r)) return {min, inner.extent, inner.some};
    // The first value of the outer axis' step exists, so the rest has at least one.
    const bool some = inner.some && IsInt(inner.min, 0);
    if (!inner.IsSingle())
      return UpTo(min, MakeBinary(BinaryOp::kMin, inner.extent, Sub(parent, min)), some);
    // Neither part is known to exist: the consumer's guard must be asked before the producer runs.
    if (!some && !nest_.EndsWithAxis(r))
      AddCondition(Simple(MakeBinary(BinaryOp::kLt, min, parent)));
    return {min, inner.extent, true};
  }

  AxisRange UpTo(const Expr& min, const Expr& extent, bool some) const {
    const Expr simple = Simple(extent);
    return {min, simple, some || IsPositive(simple)};
  }

  // Quotient and remainder of one value are one value each. Of several values, all that the axis
  // has are taken, because a range of quotients and remainders is not a range of values.
  AxisRange FindFused(const Relation& r, int axis) {
    const AxisRange fused = Find(r.parent);
    const Expr extent = Simple(nest_.Extent(axis));
    if (!fused.IsSingle()) return {MakeInt(0), extent, IsPositive(extent)};
    const BinaryOp op = axis == r.outer ? BinaryOp::kDiv : BinaryOp::kMod;
    const Expr second = Simple(nest_.Extent(r.inner));
    return {Simple(MakeBinary(op, fused.min, second)), MakeInt(1), true};
  }

  void AddCondition(const Expr& condition) {
    const bool known = IsInt(condition, 1) ||
                       std::any_of(out_.conditions.begin(), out_.conditions.end(),
                                   [&](const Expr& other) { return SameExpr(other, condition); });
    if (!known) out_.conditions.push_back(condition);
  }

  // The range of one index over the ranges of the axes.
  struct IndexRange {
    Range range;
    bool some = true;    // whether it holds an index for sure
    bool inside = true;  // whether it is shown to lie in the dimension
  };

  // The range of one dimension; nothing where all of it is needed. An index that is read from
  // memory is evaluated ahead of the loops inside, which is only allowed if they are sure to
  // evaluate it too.
  std::optional<Range> RangeOf(const std::vector<const Load*>& loads, size_t dim, const Expr& shape,
                               std::span<const Buffer* const> inside) const {
    std::optional<IndexRange> all;
    for (const Load* load : loads) {
      const Expr index = MakeCast(kI64, load->indices[dim]);
      if (HasLoads(index) && (!AllRootsHaveSome() || ReadsAny(index, inside))) return std::nullopt;
      const std::optional<IndexRange> one = RangeOfIndex(index, shape);
      // The range must cover all loads of the tensor.
      all = all.has_value() && one.has_value() ? Union(*all, *one) : one;
      if (!all.has_value()) return std::nullopt;
    }
    if (!all.has_value()) return std::nullopt;
    // A range that may leave the tensor is cut to it.
    return all->inside ? all->range : Clamped(all->range, shape);
  }

  bool AllRootsHaveSome() const {
    return std::all_of(roots_.begin(), roots_.end(),
                       [](const AxisRange& root) { return root.some; });
  }

  // The range of an index; nothing where it is not linear in the axes that take several values.
  std::optional<IndexRange> RangeOfIndex(const Expr& index, const Expr& shape) const {
    const LinearForm form = LinearFormOf(index);
    std::vector<Substitution> first;
    Expr below = MakeInt(0), span = MakeInt(0);
    int several = 0;
    bool some = true;
    for (size_t i = 0; i < roots_.size(); ++i) {
      const AxisRange& root = roots_[i];
      const Var* var = stage_.axes[i].var.get();
      first.push_back({var, root.min});
      if (root.IsSingle()) continue;
      const int64_t coefficient = form.CoefficientOf(var);
      // INT64_MIN has no negation.
      if (form.HidesVar(var) || form.overflow || coefficient == INT64_MIN) return std::nullopt;
      if (coefficient == 0) continue;
      ++several;
      some &= root.some;
      const Expr steps = Sub(root.extent, MakeInt(1));
      // A negative coefficient has its least value at the axis' last one.
      if (coefficient < 0) below = Add(below, Mul(steps, MakeInt(coefficient)));
      span = Add(span, Mul(steps, MakeInt(coefficient < 0 ? -coefficient : coefficient)));
    }
    const Expr min = Simple(Add(Substitute(index, first), below));
    // An axis without values leaves no values of the index if no other axis moves it. What is read
    // lies inside; what would be read if an axis had values must be shown to.
    const bool is_inside =
        (some || several == 1) && (AllRootsHaveSome() || StaysInside(form, shape));
    return IndexRange{{min, Simple(Add(span, MakeInt(1)))}, some, is_inside};
  }

  // Whether the index lies in the dimension whatever values the axes have.
  // By the full extents of the axes, which hold whatever part is computed.
  bool StaysInside(const LinearForm& form, const Expr& shape) const {
    LinearForm low = form, high = form;
    for (size_t i = 0; i < roots_.size(); ++i) {
      const Axis& axis = stage_.axes[i];
      const int64_t coefficient = form.CoefficientOf(axis.var.get());
      if (form.HidesVar(axis.var.get()) || coefficient == INT64_MIN) return false;
      const bool is_spatial = i < stage_.compute.axes.size();
      const Expr& extent = is_spatial ? stage_.compute.tensor->shape[i] : axis.extent;
      const LinearForm last = LinearFormOf(Sub(extent, MakeInt(1)));
      low.AddTerm(axis.var, -coefficient);
      high.AddTerm(axis.var, -coefficient);
      (coefficient < 0 ? low : high).AddForm(last, coefficient);
    }
    LinearForm left = LinearFormOf(Sub(shape, MakeInt(1)));
    left.AddForm(high, -1);
    return !low.overflow && !left.overflow && simplifier_.BoundsOf(low.ToExpr()).low >= 0 &&
           simplifier_.BoundsOf(left.ToExpr()).low >= 0;
  }

  // The smallest range that covers both. What lies between two ranges that hold something lies
  // inside where they do, but of empty ranges nothing is known.
  std::optional<IndexRange> Union(const IndexRange& a, const IndexRange& b) const {
    const std::optional<int64_t> ahead = ConstantDifference(b.range.min, a.range.min);
    if (!ahead.has_value()) return std::nullopt;
    if (*ahead < 0) return Union(b, a);
    if (*ahead == 0 && SameExpr(a.range.extent, b.range.extent))
      return IndexRange{a.range, a.some, a.inside && b.inside};
    const Expr end =
        MakeBinary(BinaryOp::kMax, a.range.extent, Add(b.range.extent, MakeInt(*ahead)));
    const bool some = a.some && b.some;
    return IndexRange{{a.range.min, Simple(end)}, some, some && a.inside && b.inside};
  }

  // Keeps the range within the dimension; it may become empty.
  Range Clamped(const Range& range, const Expr& shape) const {
    const Expr min = Simple(MakeBinary(BinaryOp::kMax, range.min, MakeInt(0)));
    const Expr left = Simple(Sub(shape, min));
    return {min, Simple(MakeBinary(BinaryOp::kMin, range.extent, left))};
  }

  const Nest& nest_;
  const Stage& stage_;
  const size_t level_;
  const Simplifier& simplifier_;
  std::vector<AxisRange> roots_;
  NeededPart out_;
};

}  // namespace

NeededPart FindNeededPart(const Nest& nest, size_t level, const Buffer& tensor,
                          std::span<const Buffer* const> inside, const Simplifier& simplifier) {
  return PartFinder(nest, level, simplifier).Run(tensor, inside);
}

}  // namespace tern::loop::te
