// SPDX-License-Identifier: Apache-2.0
// Loops marked vectorized become loops over vectors (VL = lanes, or vscale * lanes):
//
//   fixed, cleanup     for (i, min, extent / VL * VL; i += VL) vector { … }, the rest as scalars
//   fixed_predicated   for (i, min, extent; i += VL) vector { … where whilelt(i, end, VL) }
//   predicated         while (i < end) vector { …; i = i + VL }
//
// A fixed loop of exactly VL iterations becomes its body. Interleaved loops begin with blocks of
// several vectors, without masks, and go on as above. Reductions get one partial result per lane,
// of interleaved loops one per lane of a block. After the blocks these are added up vector by
// vector, the second to the first, the fourth to the third, and so on in pairs; after the vectors
// lane by lane into the real one, lane 0 first. The epilogue runs only after that.
#include <algorithm>
#include <bit>

#include "core/base/strings.h"
#include "core/loop/analysis/linear_form.h"
#include "core/loop/passes/pass.h"
#include "core/loop/passes/vectorize_body.h"

namespace tern::loop {
namespace {

// Finds the widest element that the loop's data have. Lanes are chosen so that it fills a vector;
// narrower elements then use a part of one, which is better than splitting the wide ones.
class WidestElement : public Visitor {
 public:
  int bits = 8;
  void VisitExpr(const Expr& expr) override {
    if (const Load* load = expr->As<Load>()) {
      Count(load->type);  // not its index: that is an address
      return;
    }
    if (expr->type != kIndexType && !expr->type.is_bool()) Count(expr->type);
    Descend(expr);
  }
  void VisitStmt(const Stmt& stmt) override {
    if (const Store* store = stmt->As<Store>()) {
      Count(store->value->type);
      VisitExpr(store->value);
      return;
    }
    if (stmt->kind == StmtKind::kFor) return VisitStmt(stmt->As<For>()->body);
    if (const Assign* assign = stmt->As<Assign>()) Count(assign->value->type);
    Descend(stmt);
  }

 private:
  void Count(DataType type) { bits = std::max(bits, type.bits()); }
};

// Finds vectors of wider elements than a target computes with. Of addresses it has any: they are
// cut to its own width.
class WideVectors : public Visitor {
 public:
  explicit WideVectors(int bits) : bits_(bits) {}
  bool found = false;
  void VisitExpr(const Expr& expr) override {
    found |= expr->type.is_vector() && expr->type.bits() > bits_;
    if (const Load* load = expr->As<Load>())
      VisitOptional(load->predicate);
    else
      Descend(expr);
  }
  void VisitStmt(const Stmt& stmt) override {
    const Store* store = stmt->As<Store>();
    if (store == nullptr) return Descend(stmt);
    VisitExpr(store->value);
    VisitOptional(store->predicate);
  }

 private:
  void VisitOptional(const Expr& expr) {
    if (expr) VisitExpr(expr);
  }
  const int bits_;
};

// Counts what one iteration does, roughly. A function that becomes a polynomial counts for as many
// operations as that has.
class OperationCounter : public Visitor {
 public:
  int count = 0;
  void VisitExpr(const Expr& expr) override {
    const Call* call = expr->As<Call>();
    count += call != nullptr && !InfoOf(call->intrinsic).lowered ? kPolynomial : 1;
    Descend(expr);
  }

 private:
  static constexpr int kPolynomial = 24;
};
// How many loop variables and minima IsNeverNegative replaces, one after the other, until it gives
// up.
constexpr int kMaxProofDepth = 8;
// Bodies of more operations are not interleaved by default: their values would not fit into
// registers.
constexpr int kMaxInterleavedOperations = 24;

// Rewrites marked loops. `around_` and the simplifier's ranges hold the loops that the walk is in.
class LoopVectorizer : public Mutator {
 public:
  LoopVectorizer(const LoopFunction& function, const PassContext& context)
      : function_(function), context_(context), simplifier_(function) {}

  Stmt MutateStmt(const Stmt& stmt) override {
    const For* loop = stmt->As<For>();
    if (loop == nullptr) return Descend(stmt);
    simplifier_.Bind(loop->var.get(), loop->range.min, loop->range.extent);
    const ForKind kind = loop->traits.kind;
    if (kind != ForKind::kVectorized && kind != ForKind::kVectorizeScalable) {
      around_.push_back(loop);
      Stmt made = Descend(stmt);
      around_.pop_back();
      return made;
    }
    const Strategy strategy = StrategyFor(kind, loop->traits.tail);
    if (strategy == Strategy::kScalar) return Serial(*loop);
    if (!TargetCan(strategy, stmt)) return Serial(*loop);
    return Vectorize(stmt, strategy);
  }

 private:
  // What a mark asks for, as nearly as the target can where the strategy is kTarget. A strategy
  // other than kSchedule and kTarget overrules all marks: it is what a user asked to see.
  Strategy StrategyFor(ForKind kind, LoopTail tail) const {
    const bool adapts = context_.strategy == Strategy::kTarget;
    if (context_.strategy != Strategy::kSchedule && !adapts) return context_.strategy;
    bool scalable = kind == ForKind::kVectorizeScalable;
    if (adapts) scalable &= context_.target->scalable;
    const bool by_itself = scalable || (adapts && context_.target->folds_tails);
    bool predicated = tail == LoopTail::kOfKind ? by_itself : tail == LoopTail::kPredicated;
    if (adapts) predicated &= context_.target->predicated;
    if (scalable) return predicated ? Strategy::kPredicated : Strategy::kCleanup;
    return predicated ? Strategy::kFixedPredicated : Strategy::kFixed;
  }

  // Only strategies that a user names can fail here; kTarget never asks for what the target lacks.
  bool TargetCan(Strategy strategy, const Stmt& stmt) const {
    const Target& target = *context_.target;
    const bool scalable = strategy == Strategy::kCleanup || strategy == Strategy::kPredicated;
    if (scalable && !target.scalable) {
      Refuse(kTargetLacks, stmt, "it has no vectors of unknown length")
          .Help("choose --strategy fixed, or a target with scalable vectors such as aarch64+sve");
      return false;
    }
    if (strategy == Strategy::kFixedPredicated && !target.predicated) {
      Refuse(kTargetLacks, stmt, "it has no predicated loads and stores")
          .Help("choose --strategy fixed, which ends with scalars");
      return false;
    }
    return true;
  }

  text::Diagnostic& Refuse(std::string_view code, const Stmt& stmt, std::string_view why) const {
    return context_.diagnostics
        ->Error(code,
                StrCat("the loop over '", stmt->As<For>()->var->name, "' of '", function_.name,
                       "' cannot be vectorized for ", context_.target->name, ": ", why))
        .At(stmt->span);
  }

  // Whether the same was said of a copy of the loop, which unrolling made.
  // Unrolling copies a loop with its span, so that one mistake would be told once per copy.
  bool WasRefused(const Stmt& stmt) {
    const bool known = std::find(refused_.begin(), refused_.end(), stmt->span) != refused_.end();
    if (stmt->span.valid() && known) return true;
    refused_.push_back(stmt->span);
    return false;
  }

  Stmt Serial(const For& loop) {
    const For::Traits traits{.role = loop.traits.role};
    return MakeFor(traits, loop.var, loop.range, MutateStmt(loop.body));
  }

  Lanes LanesOf(const For& loop, Strategy strategy) const {
    const bool scalable = strategy == Strategy::kCleanup || strategy == Strategy::kPredicated;
    // Processors have vectors of powers of two; a number that a schedule gives is rounded down for
    // one.
    const auto most = static_cast<uint32_t>(loop.traits.lanes);
    const bool adapts = context_.strategy == Strategy::kTarget;
    if (most != 0)
      return {adapts ? static_cast<int32_t>(std::bit_floor(most)) : loop.traits.lanes, scalable};
    WidestElement widest;
    widest.VisitStmt(loop.body);
    const int bits = scalable ? kVectorUnitBits : context_.target->vector_bits;
    return {std::max(bits / widest.bits, scalable ? 1 : 2), scalable};
  }

  Stmt Vectorize(const Stmt& stmt, Strategy strategy) {
    const For& loop = *stmt->As<For>();
    const Lanes lanes = LanesOf(loop, strategy);
    if (lanes.is_scalar()) return Serial(loop);  // vectorized(1)
    // Vectors of unknown length may be longer than any distance between dependent iterations.
    const LoopDependences dependences =
        AnalyzeLoop(loop, around_, lanes.scalable ? 0 : lanes.count, simplifier_);
    if (!dependences.problem.empty()) {
      if (WasRefused(stmt)) return stmt;
      text::Diagnostic& error = Refuse(kCannotVectorize, stmt, dependences.problem);
      if (dependences.where.valid()) error.Mark(dependences.where, "here");
      return stmt;
    }
    const Stmt counted = WithoutNegativeExtent(stmt);
    VectorLoop made{*counted->As<For>(), lanes, MakeBodies(loop, dependences, lanes), {}};
    const bool predicated =
        strategy == Strategy::kPredicated || strategy == Strategy::kFixedPredicated;
    if (predicated)
      AddPredicated(&made);
    else
      AddMainAndEpilogue(&made);
    if (HasTooWide(made.stmts)) return Serial(loop);
    const bool uses_masks = std::any_of(made.bodies.begin(), made.bodies.end(),
                                        [](const auto& body) { return body.uses_masks(); });
    if (uses_masks && !context_.target->predicated) {
      Refuse(kTargetLacks, stmt,
             "a condition differs between lanes, and it has no predicated loads and stores")
          .Help("use select in place of if where every element may be read and written");
    }
    return MakeBlock(std::move(made.stmts));
  }

  bool HasTooWide(std::span<const Stmt> made) const {
    WideVectors wide(context_.target->lane_bits);
    for (const Stmt& stmt : made) wide.VisitStmt(stmt);
    return wide.found;
  }

  // A loop of a negative extent does nothing, but whole vectors and a rest of it would.
  // The body is made of the loop as it was; only the bounds are those with max.
  Stmt WithoutNegativeExtent(const Stmt& stmt) const {
    const For& loop = *stmt->As<For>();
    if (IsNeverNegative(loop.range.extent, kMaxProofDepth)) return stmt;
    const Expr extent = MakeBinary(BinaryOp::kMax, loop.range.extent, MakeInt(0));
    Stmt made =
        MakeFor(loop.traits, loop.var, {loop.range.min, extent, loop.range.step}, loop.body);
    made->span = stmt->span;
    return made;
  }

  // By the least value that the loops around leave it, inner ones first: their ranges may depend on
  // the outer ones. A minimum is not negative where both of its operands are not.
  bool IsNeverNegative(const Expr& value, int depth) const {
    if (simplifier_.ProvesAtLeast(value, MakeInt(0))) return true;
    const LinearForm form = LinearFormOf(value);
    if (depth == 0 || form.overflow) return false;
    for (const LinearTerm& term : form.terms) {
      const Binary* least = term.term->As<Binary>();
      // c * min(a, b) for a positive c is not negative if neither c * a nor c * b is.
      if (least == nullptr || least->op != BinaryOp::kMin || term.coefficient < 0) continue;
      LinearForm rest = form;
      rest.AddTerm(term.term, -term.coefficient);
      const auto with = [&](const Expr& operand) {
        return Add(rest.ToExpr(), Mul(operand, MakeInt(term.coefficient)));
      };
      return IsNeverNegative(with(least->a), depth - 1) &&
             IsNeverNegative(with(least->b), depth - 1);
    }
    for (size_t i = around_.size(); i-- > 0;) {
      const For& loop = *around_[i];
      const int64_t coefficient = form.CoefficientOf(loop.var.get());
      if (coefficient == 0 || form.HidesVar(loop.var.get())) continue;
      const Expr last = Sub(Add(loop.range.min, loop.range.extent), MakeInt(1));
      // The least value is at the first or the last iteration, by the sign of the coefficient.
      const Substitution least{loop.var.get(), coefficient > 0 ? loop.range.min : last};
      return IsNeverNegative(simplifier_.Simplify(Substitute(value, {&least, 1})), depth - 1);
    }
    return false;
  }

  // A loop over vectors as it comes into being.
  struct VectorLoop {
    const For& loop;
    Lanes lanes;
    std::vector<BodyVectorizer> bodies;  // one for each vector of a block
    std::vector<Stmt> stmts;

    void Add(Stmt stmt) { stmts.push_back(std::move(stmt)); }
    void Add(std::vector<Stmt> more) {
      for (Stmt& stmt : more) stmts.push_back(std::move(stmt));
    }
  };

  int32_t InterleaveOf(const For& loop) const {
    if (loop.traits.interleave != 0) return loop.traits.interleave;
    OperationCounter body;
    body.VisitStmt(loop.body);
    // A schedule's own number is taken as it is; the default leaves large bodies alone.
    return body.count <= kMaxInterleavedOperations ? context_.interleave : 1;
  }

  std::vector<BodyVectorizer> MakeBodies(const For& loop, const LoopDependences& dependences,
                                         Lanes lanes) const {
    std::vector<BodyVectorizer> bodies;
    for (int32_t i = InterleaveOf(loop); i > 0; --i) bodies.emplace_back(dependences, lanes);
    return bodies;
  }

  // As many iterations as fill whole steps.
  Expr WholeSteps(const Expr& extent, const Expr& step) const {
    return simplifier_.Simplify(Mul(FloorDiv(extent, step), step));
  }

  // Adds a loop over blocks, in which every body makes one vector. Returns how many iterations the
  // blocks cover. Without interleaving there are none, but the partial results are declared in any
  // case.
  Expr AddBlocks(VectorLoop* made) {
    std::vector<BodyVectorizer>& bodies = made->bodies;
    const Expr extent = simplifier_.Simplify(made->loop.range.extent);
    const Expr vector = MakeLanes(made->lanes);
    const Expr step =
        simplifier_.Simplify(Mul(vector, MakeInt(static_cast<int64_t>(bodies.size()))));
    const Expr whole = bodies.size() == 1 ? MakeInt(0) : WholeSteps(extent, step);
    made->Add(bodies[0].DeclarePartials());
    if (IsInt(whole, 0)) return whole;
    // Loops made of one loop have variables of their own, because a name is declared once.
    const VarPtr var = MakeVar(made->loop.var->name);
    std::vector<Stmt> copies;
    for (size_t i = 0; i < bodies.size(); ++i) {
      if (i > 0) made->Add(bodies[i].DeclarePartials());
      const Expr base = Add(var, Mul(vector, MakeInt(static_cast<int64_t>(i))));
      copies.push_back(bodies[i].Vectorize(made->loop, simplifier_.Simplify(base), nullptr));
    }
    const For::Traits traits{.role = LoopRole::kVectorMain};
    made->Add(
        MakeFor(traits, var, {made->loop.range.min, whole, step}, MakeBlock(std::move(copies))));
    // In pairs, so that the order of additions is the same for every backend (see the head of this
    // file).
    for (size_t apart = 1; apart < bodies.size(); apart *= 2) {
      for (size_t i = 0; i + apart < bodies.size(); i += 2 * apart)
        made->Add(bodies[i].TakePartials(bodies[i + apart]));
    }
    return whole;
  }

  // What the blocks leave is done by masked vectors.
  void AddPredicated(VectorLoop* made) {
    const For& loop = made->loop;
    const Expr done = AddBlocks(made);
    BodyVectorizer& body = made->bodies[0];
    const VarPtr var = MakeVar(loop.var->name);
    const Expr end = simplifier_.Simplify(Add(loop.range.min, loop.range.extent));
    const Expr first = simplifier_.Simplify(Add(loop.range.min, done));
    const Expr step = MakeLanes(made->lanes);
    const VarPtr mask = MakeVar("p", kBoolType.With(made->lanes));
    const Stmt mask_of_lanes = MakeLet(mask, MakeLaneMask(var, end, made->lanes));
    const Stmt vectors = MakeBlock({mask_of_lanes, body.Vectorize(loop, var, mask)});
    // A scalable step is not a constant; such loops are written as while, as the founding document
    // shows.
    if (made->lanes.scalable) {
      // Stepping past the end is harmless: no element lies there, and 64 bits are enough.
      const Stmt next = MakeAssign(var, Add(var, step));
      made->Add(MakeLet(var, first, /*is_mutable=*/true));
      made->Add(MakeWhile(LoopRole::kVectorMain, MakeBinary(BinaryOp::kLt, var, end),
                          MakeBlock({vectors, next})));
    } else {
      const Expr extent = simplifier_.Simplify(Sub(loop.range.extent, done));
      const For::Traits traits{.role = LoopRole::kVectorMain};
      made->Add(MakeFor(traits, var, {first, extent, step}, vectors));
    }
    made->Add(body.FoldPartials());
  }

  // Adds whole vectors, then a scalar loop that folds into the results after the partial ones did.
  void AddMainAndEpilogue(VectorLoop* made) {
    const For& loop = made->loop;
    const Expr step = MakeLanes(made->lanes), extent = simplifier_.Simplify(loop.range.extent);
    const Expr whole = WholeSteps(extent, step);
    // A loop of exactly one vector needs no loop.
    if (SameExpr(extent, step)) {
      made->Add(made->bodies[0].DeclarePartials());
      made->Add(made->bodies[0].Vectorize(loop, loop.range.min, nullptr));
      return made->Add(made->bodies[0].FoldPartials());
    }
    if (!IsInt(whole, 0)) AddVectors(made, whole);
    // No rest, so no epilogue.
    if (simplifier_.ProvesMultiple(extent, step)) return;
    const VarPtr var = MakeVar(loop.var->name);
    const Substitution rest{loop.var.get(), var};
    const For::Traits traits{.role = LoopRole::kEpilogue};
    const Expr first = simplifier_.Simplify(Add(loop.range.min, whole));
    made->Add(MakeFor(traits, var, {first, simplifier_.Simplify(Sub(extent, whole)), MakeInt(1)},
                      Substitute(loop.body, {&rest, 1})));
  }

  // Whole vectors that do not fill a block come after the blocks.
  void AddVectors(VectorLoop* made, const Expr& whole) {
    const Expr& min = made->loop.range.min;
    const Expr done = AddBlocks(made), left = simplifier_.Simplify(Sub(whole, done));
    if (!IsInt(left, 0)) {
      const VarPtr var = MakeVar(made->loop.var->name);
      const For::Traits traits{.role = LoopRole::kVectorMain};
      const For::Range range{simplifier_.Simplify(Add(min, done)), left, MakeLanes(made->lanes)};
      made->Add(MakeFor(traits, var, range, made->bodies[0].Vectorize(made->loop, var, nullptr)));
    }
    made->Add(made->bodies[0].FoldPartials());
  }

  const LoopFunction& function_;
  const PassContext& context_;
  Simplifier simplifier_;
  std::vector<const For*> around_;  // loops
  std::vector<text::Span> refused_;
};

}  // namespace

LoopFunction VectorizeLoops(const LoopFunction& function, const PassContext& context) {
  LoopFunction out = function;
  out.body = LoopVectorizer(function, context).MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
