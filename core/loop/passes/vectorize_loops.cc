// SPDX-License-Identifier: Apache-2.0
// Loops marked vectorized become loops over vectors (VL = lanes, or vscale * lanes):
//
//   fixed, cleanup     for (i, min, extent / VL * VL; i += VL) vector { … }   and the rest as
//   scalars fixed_predicated   for (i, min, extent; i += VL) vector { … where whilelt(i, end, VL) }
//   predicated         while (i < end) vector { …; i = i + VL }
//
// A fixed loop of exactly VL iterations becomes its body. Reductions get one partial result per
// lane; after the vectors these are folded into the real one, lane 0 first, and only then the
// epilogue goes on.
#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/passes/pass.h"
#include "core/loop/passes/vectorize_body.h"

namespace tern::loop {
namespace {

// The widest element that the loop's data have: it shall fill a vector.
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
    if (stmt->kind == NodeKind::kFor) return VisitStmt(stmt->As<For>()->body);
    if (const Assign* assign = stmt->As<Assign>()) Count(assign->value->type);
    Descend(stmt);
  }

 private:
  void Count(DataType type) { bits = std::max(bits, type.bits()); }
};

class LoopVectorizer : public Mutator {
 public:
  LoopVectorizer(const LoopFunction& function, const PassContext& context)
      : function_(function), context_(context), simplifier_(function) {}

  Stmt MutateStmt(const Stmt& stmt) override {
    const For* loop = stmt->As<For>();
    if (loop == nullptr) return Descend(stmt);
    simplifier_.Bind(loop->var.get(), loop->range.min, loop->range.extent);
    const ForKind kind = loop->traits.kind;
    if (kind != ForKind::kVectorized && kind != ForKind::kVectorizeScalable) return Descend(stmt);
    const Strategy strategy = StrategyFor(kind);
    if (strategy == Strategy::kScalar) return Serial(*loop);
    if (!TargetCan(strategy, stmt)) return Serial(*loop);
    return Vectorize(stmt, strategy);
  }

 private:
  Strategy StrategyFor(ForKind kind) const {
    if (context_.strategy != Strategy::kSchedule) return context_.strategy;
    if (kind == ForKind::kVectorizeScalable) return Strategy::kPredicated;
    return Strategy::kFixed;
  }

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

  Stmt Serial(const For& loop) {
    For::Traits traits = loop.traits;
    traits.kind = ForKind::kSerial;
    traits.lanes = 0;
    return MakeFor(traits, loop.var, loop.range, MutateStmt(loop.body));
  }

  Lanes LanesOf(const For& loop, Strategy strategy) const {
    const bool scalable = strategy == Strategy::kCleanup || strategy == Strategy::kPredicated;
    if (loop.traits.lanes != 0) return {loop.traits.lanes, scalable};
    WidestElement widest;
    widest.VisitStmt(loop.body);
    const int bits = scalable ? kVectorUnitBits : context_.target->vector_bits;
    return {std::max(bits / widest.bits, scalable ? 1 : 2), scalable};
  }

  Stmt Vectorize(const Stmt& stmt, Strategy strategy) {
    const For& loop = *stmt->As<For>();
    const Lanes lanes = LanesOf(loop, strategy);
    if (lanes.is_scalar()) return Serial(loop);  // vectorized(1)
    const LoopDependences dependences =
        AnalyzeLoop(loop, lanes.scalable ? 0 : lanes.count, simplifier_);
    if (!dependences.problem.empty()) {
      text::Diagnostic& error = Refuse(kCannotVectorize, stmt, dependences.problem);
      if (dependences.where.valid()) error.Mark(dependences.where, "here");
      return stmt;
    }
    BodyVectorizer body(dependences, lanes);
    std::vector<Stmt> stmts;
    const bool predicated =
        strategy == Strategy::kPredicated || strategy == Strategy::kFixedPredicated;
    if (predicated)
      AddPredicated(loop, lanes, &body, &stmts);
    else
      AddMainAndEpilogue(loop, lanes, &body, &stmts);
    if (body.uses_masks() && !context_.target->predicated) {
      Refuse(kTargetLacks, stmt,
             "a condition differs between lanes, and it has no predicated loads and stores")
          .Help("use select in place of if where every element may be read and written");
    }
    return MakeBlock(std::move(stmts));
  }

  void AddPredicated(const For& loop, Lanes lanes, BodyVectorizer* body, std::vector<Stmt>* stmts) {
    const VarPtr var = MakeVar(loop.var->name);
    const Expr end = simplifier_.Simplify(Add(loop.range.min, loop.range.extent));
    const Expr step = MakeLanes(lanes);
    AppendTo(stmts, body->DeclarePartials());
    const VarPtr mask = MakeVar("p", kBoolType.With(lanes));
    const Stmt mask_of_lanes = MakeLet(mask, MakeLaneMask(var, end, lanes));
    const Stmt vectors = MakeBlock({mask_of_lanes, body->Vectorize(loop, var, mask)});
    if (lanes.scalable) {
      // Stepping past the end is harmless: no element lies there, and 64 bits are enough.
      const Stmt next = MakeAssign(var, Add(var, step));
      stmts->push_back(MakeLet(var, loop.range.min, /*is_mutable=*/true));
      stmts->push_back(MakeWhile(LoopRole::kVectorMain, MakeBinary(BinaryOp::kLt, var, end),
                                 MakeBlock({vectors, next})));
    } else {
      const For::Traits traits{ForKind::kSerial, LoopRole::kVectorMain, 0};
      stmts->push_back(MakeFor(traits, var, {loop.range.min, loop.range.extent, step}, vectors));
    }
    AppendTo(stmts, body->FoldPartials());
  }

  static void AppendTo(std::vector<Stmt>* stmts, std::vector<Stmt> more) {
    for (Stmt& stmt : more) stmts->push_back(std::move(stmt));
  }

  void AddMainAndEpilogue(const For& loop, Lanes lanes, BodyVectorizer* body,
                          std::vector<Stmt>* stmts) {
    const Expr step = MakeLanes(lanes), extent = simplifier_.Simplify(loop.range.extent);
    const Expr whole = simplifier_.Simplify(Mul(FloorDiv(extent, step), step));
    const bool has_vectors = !IsInt(whole, 0);
    if (has_vectors) AppendTo(stmts, body->DeclarePartials());
    if (SameExpr(extent, step)) {
      stmts->push_back(body->Vectorize(loop, loop.range.min, nullptr));
      return AppendTo(stmts, body->FoldPartials());
    }
    if (has_vectors) {
      const VarPtr var = MakeVar(loop.var->name);
      const For::Traits traits{ForKind::kSerial, LoopRole::kVectorMain, 0};
      stmts->push_back(
          MakeFor(traits, var, {loop.range.min, whole, step}, body->Vectorize(loop, var, nullptr)));
      AppendTo(stmts, body->FoldPartials());
    }
    if (simplifier_.ProvesMultiple(extent, step)) return;
    const VarPtr var = MakeVar(loop.var->name);
    const Substitution rest{loop.var.get(), var};
    const For::Traits traits{ForKind::kSerial, LoopRole::kEpilogue, 0};
    const Expr first = simplifier_.Simplify(Add(loop.range.min, whole));
    stmts->push_back(MakeFor(traits, var,
                             {first, simplifier_.Simplify(Sub(extent, whole)), MakeInt(1)},
                             Substitute(loop.body, {&rest, 1})));
  }

  const LoopFunction& function_;
  const PassContext& context_;
  Simplifier simplifier_;
};

}  // namespace

LoopFunction VectorizeLoops(const LoopFunction& function, const PassContext& context) {
  LoopFunction out = function;
  out.body = LoopVectorizer(function, context).MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
