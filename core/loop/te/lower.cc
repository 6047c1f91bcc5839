// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/lower.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/analysis/simplifier.h"
#include "core/loop/te/fused_access.h"
#include "core/loop/te/needed_part.h"
#include "core/loop/te/nest.h"
#include "core/loop/te/schedule.h"
#include "core/loop/te/schedule_parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/verifier.h"
#include "core/loop/visitor.h"

namespace tern::loop::te {
namespace {

// In bytes. Larger pieces of tensors stay in a workspace, because local buffers are on the stack.
constexpr int64_t kMaxLocalBytes = 16384;

// Rewrites accesses of a whole tensor into accesses of the part that is kept, whose element 0 is
// the part's first one.
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

// Makes one nest of loops per stage, in the order of the definition. Stages that are computed in a
// loop of another one are lowered when that loop is, because what they compute depends on where it
// is.
class DefinitionLowerer {
 public:
  DefinitionLowerer(const Definition& te, std::vector<Stage> stages, text::Diagnostics* diagnostics)
      : te_(te), stages_(std::move(stages)), diagnostics_(diagnostics) {
    for (const VarPtr& size : te.sizes) simplifier_.Bind(size.get(), {0, INT64_MAX});
    for (const Stage& stage : stages_) {
      if (stage.attach_stage >= 0) inside_.push_back(stage.compute.tensor.get());
    }
  }

  LoopFunction Run() {
    LoopFunction out;
    std::vector<Stmt> stmts;
    for (size_t i = 0; i < stages_.size(); ++i) {
      const Stage& stage = stages_[i];
      if (stage.is_inlined || stage.attach_stage >= 0) continue;
      // A stage at the top computes its whole tensor.
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
      // Inlined tensors and those held by local buffers need no workspace.
      const bool is_local = std::find(local_.begin(), local_.end(), tensor.get()) != local_.end();
      if (tensor->access == Access::kWorkspace && !stage.is_inlined && !is_local)
        out.buffers.push_back(tensor);
    }
    out.body = MakeBlock(std::move(stmts));
    return out;
  }

 private:
  // One stage being lowered.
  struct Lowering {
    int index;
    Nest nest;
    // Where a split does not come out even: values beyond the extent are skipped.
    struct Guard {
      Expr condition;  // on the value of a split axis
      bool is_reduce;
    };
    std::vector<Guard> guards;
    FusedAxes fused;

    const Stage& stage() const { return nest.stage(); }
  };

  static void FindGuards(Lowering* out) {
    const Nest& nest = out->nest;
    for (const Relation& r : nest.stage().relations) {
      // A split needs no guard where its inner loop stops at the end, or the extent is a multiple.
      if (!r.is_split || nest.EndsWithAxis(r) || nest.ComesOutEven(r)) continue;
      out->guards.push_back({MakeBinary(BinaryOp::kLt, nest.Value(r.parent), nest.Extent(r.parent)),
                             nest.axis(r.parent).is_reduce});
    }
  }

  // From the last guard to the first, so that the first one is outermost.
  static Stmt Guarded(const Lowering& at, bool reduce, Stmt body) {
    for (size_t i = at.guards.size(); i-- > 0;) {
      if (at.guards[i].is_reduce == reduce) body = MakeIf(at.guards[i].condition, std::move(body));
    }
    return body;
  }

  Stmt LowerStage(int index, std::span<const Range> ranges) {
    const Stage& stage = stages_[static_cast<size_t>(index)];
    Lowering at{index, Nest(stage, ranges, simplifier_), {}, {}};
    // Bound before anything is simplified, because proofs need the loops' ranges.
    for (int leaf : stage.leaves)
      simplifier_.Bind(at.nest.axis(leaf).var.get(), MakeInt(0), at.nest.Extent(leaf));
    FindGuards(&at);
    at.fused = FindFused(at.nest);
    const std::vector<Substitution> values = at.nest.RootValues();
    const Compute& compute = stage.compute;
    std::vector<Expr> indices(compute.axes.begin(), compute.axes.end());
    const Expr flat = FlatIndex(stage, at.fused, *compute.tensor, indices);
    if (flat) indices = {flat};
    for (Expr& axis : indices) axis = Substitute(axis, values);
    Stmt made = stage.reduction() == nullptr ? LowerElementwise(at, indices, values)
                                             : LowerReduction(at, indices, values);
    if (!made->span.valid()) made->span = compute.span;
    return made;
  }

  // The fused axes of a tensor that is computed whole. Of an attached one the axes do not begin at
  // 0, so that quotient and remainder are not the value's digits.
  FusedAxes FindFused(const Nest& nest) const {
    FusedAxes fused;
    if (nest.stage().attach_stage >= 0) return fused;
    for (const Relation& r : nest.stage().relations) {
      if (r.is_split) continue;
      const Expr extent = simplifier_.Simplify(nest.Extent(r.inner));
      fused.push_back({r.outer, r.inner, r.parent, extent, nest.Value(r.parent)});
    }
    return fused;
  }

  // The value by loop variables. Tensors of which only a part is kept are indexed by their own
  // axes.
  Expr ByLoops(const Lowering& at, const Expr& value, std::span<const Substitution> values) const {
    return Substitute(FlattenLoads(at.stage(), at.fused, inside_, value), values);
  }

  Stmt LowerElementwise(const Lowering& at, const std::vector<Expr>& indices,
                        std::span<const Substitution> values) {
    const Compute& compute = at.stage().compute;
    Stmt store = MakeStore(compute.tensor, indices, ByLoops(at, compute.value, values));
    store->span = compute.span;
    return Loops(at, 0, [&](size_t) { return Guarded(at, false, store); });
  }

  // Then a sum can be gathered in a variable; else its elements are visited several times.
  bool ReduceLoopsAreInnermost(const Stage& stage) const {
    bool seen = false;
    for (int leaf : stage.leaves) {
      const bool is_reduce = stage.axes[static_cast<size_t>(leaf)].is_reduce;
      if (seen && !is_reduce) return false;
      seen |= is_reduce;
    }
    return true;
  }

  // With reduce loops innermost: acc = start; loops: acc = acc op value; store acc. Otherwise:
  // store start everywhere, then fold into memory.
  Stmt LowerReduction(const Lowering& at, const std::vector<Expr>& indices,
                      std::span<const Substitution> values) {
    const Stage& stage = at.stage();
    const Reduction& reduction = *stage.reduction();
    const Expr value = ByLoops(at, reduction.value, values);
    const BufferPtr& tensor = stage.compute.tensor;
    const Expr start = IdentityOf(reduction.op, value->type);
    if (!ReduceLoopsAreInnermost(stage)) {
      const Expr old = MakeLoad(tensor, indices);
      const Stmt update = MakeStore(tensor, indices, MakeBinary(reduction.op, old, value));
      const Stmt loops =
          Loops(at, 0, [&](size_t) { return Guarded(at, false, Guarded(at, true, update)); });
      return MakeBlock({StartLoops(at.nest, start), loops});
    }
    // The first reduce loop. The loops before it run over the elements.
    size_t first = 0;
    while (first < stage.leaves.size() &&
           !stage.axes[static_cast<size_t>(stage.leaves[first])].is_reduce)
      ++first;
    const VarPtr acc = MakeVar(tensor->name + "_acc", value->type);
    const auto body = [&](size_t level) -> Stmt {
      // A reduction of no axis at all, or the level within the reduce loops.
      if (level > first || first == stage.leaves.size())
        return Guarded(at, true, MakeAssign(acc, MakeBinary(reduction.op, acc, value)));
      const Stmt inner = Loops(at, first, [&](size_t) {
        return Guarded(at, true, MakeAssign(acc, MakeBinary(reduction.op, acc, value)));
      });
      // Guards of data axes are around the whole element, those of reduce axes around one step.
      return Guarded(at, false,
                     MakeBlock({MakeLet(acc, start, /*is_mutable=*/true), inner,
                                MakeStore(tensor, indices, acc)}));
    };
    return Loops(at, 0, body, first);
  }

  // Loops that store `start` to the part of the tensor that is computed. They are plain whatever
  // the schedule says of the tensor's loops.
  Stmt StartLoops(const Nest& nest, const Expr& start) const {
    const BufferPtr& tensor = nest.stage().compute.tensor;
    std::vector<VarPtr> vars;
    std::vector<Expr> indices;
    for (size_t i = 0; i < nest.ranges().size(); ++i) {
      vars.push_back(MakeVar(nest.stage().axes[i].name));
      indices.push_back(Add(nest.ranges()[i].min, vars.back()));
    }
    Stmt stmt = MakeStore(tensor, indices, start);
    for (size_t i = vars.size(); i-- > 0;)
      stmt = MakeFor({}, vars[i], {MakeInt(0), nest.ranges()[i].extent, MakeInt(1)}, stmt);
    return stmt;
  }

  // The loops from leaf `level` up to `end`, around body(level of the end).
  template <class Body>
  Stmt Loops(const Lowering& at, size_t level, const Body& body, size_t end = SIZE_MAX) {
    const Stage& stage = at.stage();
    if (level == std::min(end, stage.leaves.size())) return body(level);
    const int leaf = stage.leaves[level];
    const Axis& axis = at.nest.axis(leaf);
    // Inside out: what is attached here must see the body that reads it.
    Stmt inner = Loops(at, level + 1, body, end);
    inner = WithAttached(at, level, std::move(inner));
    const Expr extent = simplifier_.Simplify(at.nest.LoopExtent(leaf));
    // Refused here, where the schedule's line is known; the pass could name the loop only.
    if (axis.kind == ForKind::kUnrolled && AsInt(extent) == nullptr) RefuseUnroll(axis, extent);
    const For::Traits traits{axis.kind, LoopRole::kPlain, LanesOf(axis, extent), axis.interleave,
                             axis.tail};
    Stmt made = MakeFor(traits, axis.var, {MakeInt(0), extent, MakeInt(1)}, std::move(inner));
    made->span = axis.marked != nullptr && axis.marked->span.valid() ? axis.marked->span
                                                                     : stage.compute.span;
    return made;
  }

  void RefuseUnroll(const Axis& axis, const Expr& extent) {
    diagnostics_
        ->Error(kBadSchedule,
                StrCat(ToText(*axis.marked), ": '", axis.name, "' has ", ToText(extent),
                       " steps, and only a constant number of steps can be unrolled"))
        .At(axis.marked->span)
        .Help(StrCat("split it first and unroll the inner part: split(", axis.marked->tensor, ", ",
                     axis.name, ", 4) unroll(", axis.marked->tensor, ", ", axis.name, ".inner)"));
  }

  // The lanes of a vectorized inner axis of a split: its constant extent, if no line gives another
  // number. Roots (which have an extent) keep 0, for the target's choice.
  static int32_t LanesOf(const Axis& axis, const Expr& extent) {
    const IntImm* constant = AsInt(extent);
    const bool whole = axis.kind == ForKind::kVectorized && axis.lanes == 0 &&
                       axis.extent == nullptr && constant != nullptr &&
                       constant->value <= kMaxLanes;
    return whole ? static_cast<int32_t>(constant->value) : axis.lanes;
  }

  // Tensors computed inside this loop come before what reads them.
  Stmt WithAttached(const Lowering& at, size_t level, Stmt body) {
    std::vector<Stmt> stmts;
    for (size_t i = 0; i < stages_.size(); ++i) {
      const Stage& producer = stages_[i];
      if (producer.attach_stage != at.index || producer.attach_axis != at.stage().leaves[level])
        continue;
      const Buffer& tensor = *producer.compute.tensor;
      // Which part is needed follows from the consumer's loops up to this level.
      const NeededPart part = FindNeededPart(at.nest, level, tensor, inside_, simplifier_);
      Stmt made = LowerStage(static_cast<int>(i), part.ranges);
      for (const Expr& condition : part.conditions) made = MakeIf(condition, std::move(made));
      const BufferPtr kept = LocalPart(tensor, part.ranges);
      if (kept) {
        // Both the loops that compute the part and those that read it.
        Relocator relocate(&tensor, kept, part.ranges);
        made = relocate.MutateStmt(made);
        body = relocate.MutateStmt(body);
        stmts.push_back(MakeAllocate(kept));
        local_.push_back(&tensor);
      }
      stmts.push_back(std::move(made));
    }
    if (stmts.empty()) return body;
    stmts.push_back(std::move(body));
    return MakeBlock(std::move(stmts));
  }

  // A local buffer for the part if its size has a small constant bound; null otherwise.
  BufferPtr LocalPart(const Buffer& tensor, std::span<const Range> part) const {
    int64_t bytes = tensor.dtype.size();
    std::vector<Expr> shape;
    for (const Range& range : part) {
      const int64_t most = simplifier_.BoundsOf(range.extent).high;
      if (most > kMaxLocalBytes || most < 1) return nullptr;
      // Checked after every factor, so that the product cannot overflow.
      bytes *= most;
      if (bytes > kMaxLocalBytes) return nullptr;
      shape.push_back(MakeInt(most));
    }
    return MakeBuffer(tensor.name, tensor.dtype, std::move(shape), Access::kLocal);
  }

  const Definition& te_;
  std::vector<Stage> stages_;
  text::Diagnostics* diagnostics_;
  Simplifier simplifier_;
  std::vector<const Buffer*> inside_;  // tensors that are computed in loops of others
  std::vector<const Buffer*> local_;   // those of which memory of a loop holds the part
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
  LoopFunction out = DefinitionLowerer(definition, std::move(stages), &diagnostics).Run();
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  TERN_TRY(Verify(out).AddNote("after lowering the tensor expressions"));
  return out;
}

}  // namespace tern::loop::te
