// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/lower.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/analysis/linear_form.h"
#include "core/loop/analysis/simplifier.h"
#include "core/loop/te/fused_access.h"
#include "core/loop/te/schedule.h"
#include "core/loop/verifier.h"
#include "core/loop/visitor.h"

namespace tern::loop::te {
namespace {

// Larger pieces of tensors stay in a workspace.
constexpr int64_t kMaxLocalBytes = 16384;

// The part of a tensor's dimension that is needed: min, min + 1, … min + extent - 1.
struct Range {
  Expr min, extent;
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

// Accesses of a whole tensor become accesses of the part that is kept.
class Relocator : public Mutator {
 public:
  Relocator(const Buffer* from, BufferPtr to, std::span<const Range> part)
      : from_(from), to_(std::move(to)), part_(part) {}
  Expr MutateExpr(const Expr& expr) override {
    const Expr inner = Descend(expr);
    const Load* load = inner->As<Load>();
    if (load == nullptr || load->buffer.get() != from_) return inner;
    return MakeLoad(to_, Moved(load->indices));
  }
  Stmt MutateStmt(const Stmt& stmt) override {
    const Stmt inner = Descend(stmt);
    const Store* store = inner->As<Store>();
    if (store == nullptr || store->buffer.get() != from_) return inner;
    return MakeStore(to_, Moved(store->indices), store->value);
  }

 private:
  std::vector<Expr> Moved(std::span<const Expr> indices) const {
    std::vector<Expr> moved;
    for (size_t i = 0; i < indices.size(); ++i)
      moved.push_back(Simplifier().Simplify(Sub(MakeCast(kI64, indices[i]), part_[i].min)));
    return moved;
  }
  const Buffer* from_;
  BufferPtr to_;
  std::span<const Range> part_;
};

class DefinitionLowerer {
 public:
  DefinitionLowerer(const Definition& te, std::vector<Stage> stages)
      : te_(te), stages_(std::move(stages)) {
    for (const VarPtr& size : te.sizes) simplifier_.Bind(size.get(), {0, INT64_MAX});
  }

  LoopFunction Run() {
    LoopFunction out;
    std::vector<Stmt> stmts;
    for (size_t i = 0; i < stages_.size(); ++i) {
      const Stage& stage = stages_[i];
      if (stage.is_inlined || stage.attach_stage >= 0) continue;
      std::vector<Range> whole;
      for (const Expr& extent : stage.compute.tensor->shape) whole.push_back({MakeInt(0), extent});
      stmts.push_back(LowerStage(static_cast<int>(i), whole));
    }
    out.name = te_.name;
    out.span = te_.span;
    out.sizes = te_.sizes;
    out.scalars = te_.scalars;
    out.relaxed = te_.relaxed;
    out.buffers = te_.inputs;
    out.buffers.insert(out.buffers.end(), te_.outputs.begin(), te_.outputs.end());
    for (const Stage& stage : stages_) {
      const BufferPtr& tensor = stage.compute.tensor;
      const bool is_local = std::find(local_.begin(), local_.end(), tensor.get()) != local_.end();
      if (tensor->access == Access::kWorkspace && !stage.is_inlined && !is_local)
        out.buffers.push_back(tensor);
    }
    out.body = MakeBlock(std::move(stmts));
    return out;
  }

 private:
  // One stage being lowered, its roots from the given ranges.
  struct Nest {
    int index;
    const Stage* stage;
    std::span<const Range> ranges;
    std::vector<Expr> guards;  // conditions on values of split axes
    std::vector<bool> guard_is_reduce;
    FusedAxes fused;
  };

  Expr RootExtent(const Nest& nest, int axis) const {
    const size_t i = static_cast<size_t>(axis);
    return i < nest.ranges.size() ? nest.ranges[i].extent : nest.stage->axes[i].extent;
  }

  const Relation* MadeBy(const Stage& stage, int axis) const {
    for (const Relation& r : stage.relations) {
      const bool made = r.is_split ? axis == r.outer || axis == r.inner : axis == r.parent;
      if (made) return &r;
    }
    return nullptr;
  }
  const Relation* UsedBy(const Stage& stage, int axis) const {
    for (const Relation& r : stage.relations) {
      const bool used = r.is_split ? axis == r.parent : axis == r.outer || axis == r.inner;
      if (used) return &r;
    }
    return nullptr;
  }

  // How many steps an axis has, rests included.
  Expr Extent(const Nest& nest, int axis) const {
    const Relation* r = MadeBy(*nest.stage, axis);
    if (r == nullptr) return RootExtent(nest, axis);
    if (!r->is_split)
      return simplifier_.Simplify(Mul(Extent(nest, r->outer), Extent(nest, r->inner)));
    const Expr factor = MakeInt(r->factor.count);
    if (axis == r->inner) return factor;
    const Expr parent = Extent(nest, r->parent);
    return simplifier_.Simplify(FloorDiv(Add(parent, Sub(factor, MakeInt(1))), factor));
  }

  // The axis in terms of loop variables.
  Expr Value(const Nest& nest, int axis) const {
    const Relation* r = UsedBy(*nest.stage, axis);
    if (r == nullptr) return nest.stage->axes[static_cast<size_t>(axis)].var;
    if (r->is_split)
      return Add(Mul(Value(nest, r->outer), MakeInt(r->factor.count)), Value(nest, r->inner));
    const Expr fused = Value(nest, r->parent), second = Extent(nest, r->inner);
    const BinaryOp op = axis == r->outer ? BinaryOp::kDiv : BinaryOp::kMod;
    return MakeBinary(op, fused, second);
  }

  // The inner loop of a split of a root, inside its outer loop, simply ends with the axis; other
  // splits that do not come out even are guarded.
  bool EndsWithAxis(const Nest& nest, const Relation& r) const {
    const Stage& stage = *nest.stage;
    const int outer = stage.LeafIndex(r.outer), inner = stage.LeafIndex(r.inner);
    // Copies of an unrolled loop are a constant number.
    if (stage.axes[static_cast<size_t>(r.inner)].kind == ForKind::kUnrolled) return false;
    return MadeBy(stage, r.parent) == nullptr && outer >= 0 && inner > outer;
  }

  Expr LoopExtent(const Nest& nest, int axis) const {
    const Relation* r = MadeBy(*nest.stage, axis);
    const bool is_inner = r != nullptr && r->is_split && axis == r->inner;
    if (!is_inner || !EndsWithAxis(nest, *r)) return Extent(nest, axis);
    const Expr parent = Extent(nest, r->parent), factor = MakeInt(r->factor.count);
    if (simplifier_.ProvesMultiple(parent, factor)) return factor;
    const Expr done = Mul(nest.stage->axes[static_cast<size_t>(r->outer)].var, factor);
    return MakeBinary(BinaryOp::kMin, factor, Sub(parent, done));
  }

  void FindGuards(Nest* nest) const {
    for (const Relation& r : nest->stage->relations) {
      if (!r.is_split || EndsWithAxis(*nest, r)) continue;
      const Expr parent = Extent(*nest, r.parent);
      if (simplifier_.ProvesMultiple(parent, MakeInt(r.factor.count))) continue;
      nest->guards.push_back(MakeBinary(BinaryOp::kLt, Value(*nest, r.parent), parent));
      nest->guard_is_reduce.push_back(nest->stage->axes[static_cast<size_t>(r.parent)].is_reduce);
    }
  }

  Stmt Guarded(const Nest& nest, bool reduce, Stmt body) const {
    for (size_t i = nest.guards.size(); i-- > 0;) {
      if (nest.guard_is_reduce[i] == reduce) body = MakeIf(nest.guards[i], std::move(body));
    }
    return body;
  }

  std::vector<Substitution> RootValues(const Nest& nest) const {
    std::vector<Substitution> map;
    for (size_t i = 0; i < nest.stage->axes.size(); ++i) {
      const Axis& axis = nest.stage->axes[i];
      if (!axis.extent) break;  // the roots come first
      Expr value = Value(nest, static_cast<int>(i));
      if (i < nest.ranges.size()) value = Add(nest.ranges[i].min, std::move(value));
      if (value != axis.var) map.push_back({axis.var.get(), simplifier_.Simplify(value)});
    }
    return map;
  }

  Stmt LowerStage(int index, std::span<const Range> ranges) {
    Nest nest{index, &stages_[static_cast<size_t>(index)], ranges, {}, {}, {}};
    FindGuards(&nest);
    nest.fused = FindFused(nest);
    for (int leaf : nest.stage->leaves) {
      simplifier_.Bind(nest.stage->axes[static_cast<size_t>(leaf)].var.get(), MakeInt(0),
                       Extent(nest, leaf));
    }
    const std::vector<Substitution> values = RootValues(nest);
    const Compute& compute = nest.stage->compute;
    std::vector<Expr> indices(compute.axes.begin(), compute.axes.end());
    const Expr flat = FlatIndex(*nest.stage, nest.fused, *compute.tensor, indices);
    if (flat) indices = {flat};
    for (Expr& axis : indices) axis = Substitute(axis, values);
    Stmt made = nest.stage->reduction() == nullptr ? LowerElementwise(nest, indices, values)
                                                   : LowerReduction(nest, indices, values);
    made->span = compute.span;
    return made;
  }

  // Of a tensor that is computed whole, so that its axes begin at 0.
  FusedAxes FindFused(const Nest& nest) const {
    FusedAxes fused;
    if (nest.stage->attach_stage >= 0) return fused;
    for (const Relation& r : nest.stage->relations) {
      if (r.is_split) continue;
      const Expr extent = simplifier_.Simplify(Extent(nest, r.inner));
      fused.push_back({r.outer, r.inner, r.parent, extent, Value(nest, r.parent)});
    }
    return fused;
  }

  // By loop variables. Tensors of which only a part is kept are indexed by their own axes.
  Expr ByLoops(const Nest& nest, const Expr& value, std::span<const Substitution> values) const {
    std::vector<const Buffer*> parts;
    for (const Stage& stage : stages_) {
      if (stage.attach_stage >= 0) parts.push_back(stage.compute.tensor.get());
    }
    return Substitute(FlattenLoads(*nest.stage, nest.fused, parts, value), values);
  }

  Stmt LowerElementwise(const Nest& nest, const std::vector<Expr>& indices,
                        std::span<const Substitution> values) {
    const Compute& compute = nest.stage->compute;
    Stmt store = MakeStore(compute.tensor, indices, ByLoops(nest, compute.value, values));
    store->span = compute.span;
    return Loops(nest, 0, [&](size_t) { return Guarded(nest, false, store); });
  }

  bool ReduceLoopsAreInnermost(const Stage& stage) const {
    bool seen = false;
    for (int leaf : stage.leaves) {
      const bool is_reduce = stage.axes[static_cast<size_t>(leaf)].is_reduce;
      if (seen && !is_reduce) return false;
      seen |= is_reduce;
    }
    return true;
  }

  Stmt LowerReduction(const Nest& nest, const std::vector<Expr>& indices,
                      std::span<const Substitution> values) {
    const Stage& stage = *nest.stage;
    const Reduction& reduction = *stage.reduction();
    const Expr value = ByLoops(nest, reduction.value, values);
    const BufferPtr& tensor = stage.compute.tensor;
    const Expr start = IdentityOf(reduction.op, value->type);
    if (!ReduceLoopsAreInnermost(stage)) {
      const Expr old = MakeLoad(tensor, indices);
      const Stmt update = MakeStore(tensor, indices, MakeBinary(reduction.op, old, value));
      const Stmt loops =
          Loops(nest, 0, [&](size_t) { return Guarded(nest, false, Guarded(nest, true, update)); });
      return MakeBlock({StartLoops(nest, start), loops});
    }
    size_t first = 0;
    while (first < stage.leaves.size() &&
           !stage.axes[static_cast<size_t>(stage.leaves[first])].is_reduce)
      ++first;
    const VarPtr acc = MakeVar(tensor->name + "_acc", value->type);
    const auto body = [&](size_t level) -> Stmt {
      if (level > first || first == stage.leaves.size())
        return Guarded(nest, true, MakeAssign(acc, MakeBinary(reduction.op, acc, value)));
      const Stmt inner = Loops(nest, first, [&](size_t) {
        return Guarded(nest, true, MakeAssign(acc, MakeBinary(reduction.op, acc, value)));
      });
      return Guarded(nest, false,
                     MakeBlock({MakeLet(acc, start, /*is_mutable=*/true), inner,
                                MakeStore(tensor, indices, acc)}));
    };
    return Loops(nest, 0, body, first);
  }

  // T[...] = start, for the part of the tensor that is computed.
  Stmt StartLoops(const Nest& nest, const Expr& start) const {
    const BufferPtr& tensor = nest.stage->compute.tensor;
    std::vector<VarPtr> vars;
    std::vector<Expr> indices;
    for (size_t i = 0; i < nest.ranges.size(); ++i) {
      vars.push_back(MakeVar(nest.stage->axes[i].name));
      indices.push_back(Add(nest.ranges[i].min, vars.back()));
    }
    Stmt stmt = MakeStore(tensor, indices, start);
    for (size_t i = vars.size(); i-- > 0;)
      stmt = MakeFor({}, vars[i], {MakeInt(0), nest.ranges[i].extent, MakeInt(1)}, stmt);
    return stmt;
  }

  // The loops from leaf `level` up to `end`, around body(level of the end).
  template <class Body>
  Stmt Loops(const Nest& nest, size_t level, const Body& body, size_t end = SIZE_MAX) {
    const Stage& stage = *nest.stage;
    if (level == std::min(end, stage.leaves.size())) return body(level);
    const int leaf = stage.leaves[level];
    const Axis& axis = stage.axes[static_cast<size_t>(leaf)];
    Stmt inner = Loops(nest, level + 1, body, end);
    inner = WithAttached(nest, level, std::move(inner));
    const Expr extent = simplifier_.Simplify(LoopExtent(nest, leaf));
    const For::Traits traits{axis.kind, LoopRole::kPlain, LanesOf(axis, extent), axis.interleave,
                             axis.tail};
    Stmt made =
        MakeFor(traits, axis.var, {MakeInt(0), extent, MakeInt(1)}, std::move(inner));
    made->span = stage.compute.span;
    return made;
  }

  // A constant inner extent of a split is the vector's length.
  static int32_t LanesOf(const Axis& axis, const Expr& extent) {
    const IntImm* constant = AsInt(extent);
    const bool whole = axis.kind == ForKind::kVectorized && axis.lanes == 0 &&
                       axis.extent == nullptr && constant != nullptr &&
                       constant->value <= kMaxLanes;
    return whole ? static_cast<int32_t>(constant->value) : axis.lanes;
  }

  // Tensors computed inside this loop come before what reads them.
  Stmt WithAttached(const Nest& nest, size_t level, Stmt body) {
    std::vector<Stmt> stmts;
    for (size_t i = 0; i < stages_.size(); ++i) {
      const Stage& producer = stages_[i];
      if (producer.attach_stage != nest.index || producer.attach_axis != nest.stage->leaves[level])
        continue;
      const std::vector<Range> part = NeededPart(nest, level, *producer.compute.tensor);
      Stmt made = LowerStage(static_cast<int>(i), part);
      const BufferPtr kept = LocalPart(*producer.compute.tensor, part);
      if (kept) {
        Relocator relocate(producer.compute.tensor.get(), kept, part);
        made = relocate.MutateStmt(made);
        body = relocate.MutateStmt(body);
        stmts.push_back(MakeAllocate(kept));
        local_.push_back(producer.compute.tensor.get());
      }
      stmts.push_back(std::move(made));
    }
    if (stmts.empty()) return body;
    stmts.push_back(std::move(body));
    return MakeBlock(std::move(stmts));
  }

  // What one iteration of leaf `level` reads: inner loops run over their whole extents.
  std::vector<Range> NeededPart(const Nest& nest, size_t level, const Buffer& tensor) const {
    const std::vector<Substitution> values = RootValues(nest);
    LoadCollector collector(&tensor);
    const Expr value = Substitute(nest.stage->compute.value, values);
    collector.VisitExpr(value);
    std::vector<Range> part;
    for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
      Range range;
      for (const Load* load : collector.loads) {
        const Range one = IndexRange(nest, level, MakeCast(kI64, load->indices[dim]));
        range = !one.min ? one : range.min ? Union(range, one) : one;
        if (!range.min) break;
      }
      part.push_back(range.min ? range : Range{MakeInt(0), tensor.shape[dim]});
    }
    return part;
  }

  // Null where the index is not linear in the inner loops.
  Range IndexRange(const Nest& nest, size_t level, const Expr& index) const {
    LinearForm low = LinearFormOf(index);
    Expr span = MakeInt(0);
    for (size_t i = level + 1; i < nest.stage->leaves.size(); ++i) {
      const int leaf = nest.stage->leaves[i];
      const VarPtr& var = nest.stage->axes[static_cast<size_t>(leaf)].var;
      const int64_t coefficient = low.CoefficientOf(var.get());
      if (low.HidesVar(var.get()) || low.overflow || coefficient < 0) return {};
      if (coefficient == 0) continue;
      low.AddTerm(var, -coefficient);
      const Expr steps = Sub(LoopExtent(nest, leaf), MakeInt(1));
      span = Add(span, Mul(steps, MakeInt(coefficient)));
    }
    return {low.ToExpr(), simplifier_.Simplify(Add(span, MakeInt(1)))};
  }

  Range Union(const Range& a, const Range& b) const {
    const std::optional<int64_t> ahead = ConstantDifference(b.min, a.min);
    if (!ahead.has_value()) return {};
    if (*ahead < 0) return Union(b, a);
    const Expr end = MakeBinary(BinaryOp::kMax, a.extent, Add(b.extent, MakeInt(*ahead)));
    return {a.min, simplifier_.Simplify(end)};
  }

  // A local buffer for the part where its size has a small bound; null where not.
  BufferPtr LocalPart(const Buffer& tensor, std::span<const Range> part) const {
    int64_t bytes = tensor.dtype.size();
    std::vector<Expr> shape;
    for (const Range& range : part) {
      const int64_t most = simplifier_.BoundsOf(range.extent).high;
      if (most > kMaxLocalBytes || most < 1) return nullptr;
      bytes *= most;
      if (bytes > kMaxLocalBytes) return nullptr;
      shape.push_back(MakeInt(most));
    }
    return MakeBuffer(tensor.name, tensor.dtype, std::move(shape), Access::kLocal);
  }

  const Definition& te_;
  std::vector<Stage> stages_;
  Simplifier simplifier_;
  std::vector<const Buffer*> local_;
};

}  // namespace

Result<LoopFunction> LowerDefinition(const Definition& definition,
                                     std::shared_ptr<const text::SourceMap> sources) {
  if (sources == nullptr) sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(std::move(sources));
  VerifyDefinition(definition, &diagnostics);
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  std::vector<Stage> stages = ApplySchedule(definition, &diagnostics);
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  LoopFunction out = DefinitionLowerer(definition, std::move(stages)).Run();
  TERN_TRY(Verify(out).AddNote("after lowering the tensor expressions"));
  return out;
}

}  // namespace tern::loop::te
