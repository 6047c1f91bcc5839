// SPDX-License-Identifier: Apache-2.0
// Shortens index arithmetic, decides conditions, and removes loops of no or one iteration. What is
// proven about sizes and loop variables is analysis/simplifier.h's business.
#include "core/loop/analysis/simplifier.h"
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

class StmtSimplifier : public Mutator {
 public:
  explicit StmtSimplifier(const LoopFunction& function) : simplifier_(function) {}

  Expr MutateExpr(const Expr& expr) override { return simplifier_.Simplify(expr); }

  Stmt MutateStmt(const Stmt& stmt) override {
    if (stmt->kind == StmtKind::kFor) return SimplifyFor(stmt);
    const Stmt inner = Descend(stmt);
    if (const If* branch = inner->As<If>()) {
      const IntImm* constant = AsInt(branch->condition);
      if (constant == nullptr) return inner;
      if (constant->value != 0) return branch->then_body;
      return branch->else_body ? branch->else_body : MakeBlock({});
    }
    const While* loop = inner->As<While>();
    return loop != nullptr && IsInt(loop->condition, 0) ? MakeBlock({}) : inner;
  }

 private:
  Stmt SimplifyFor(const Stmt& stmt) {
    const For* loop = stmt->As<For>();
    const Expr min = MutateExpr(loop->range.min), extent = MutateExpr(loop->range.extent),
               step = MutateExpr(loop->range.step);
    // A loop of a negative extent does nothing either.
    if (simplifier_.BoundsOf(extent).high <= 0) return MakeBlock({});
    // Known while the body is walked, so that a condition of the loop variable can be decided.
    simplifier_.Bind(loop->var.get(), min, extent);
    // Loops that vectorizing made are kept even for one iteration, because reports count by their
    // role.
    if (loop->traits.role == LoopRole::kPlain && loop->traits.kind == ForKind::kSerial &&
        IsInt(extent, 1)) {
      const Substitution only{loop->var.get(), min};
      return MutateStmt(Substitute(loop->body, {&only, 1}));
    }
    Stmt body = MutateStmt(loop->body);
    // The variable means nothing outside; another loop may declare it again.
    simplifier_.Forget(loop->var.get());
    if (min == loop->range.min && extent == loop->range.extent && step == loop->range.step &&
        body == loop->body)
      return stmt;
    Stmt made = MakeFor(loop->traits, loop->var, {min, extent, step}, std::move(body));
    made->span = stmt->span;
    return made;
  }

  Simplifier simplifier_;
};

}  // namespace

LoopFunction Simplify(const LoopFunction& function, const PassContext&) {
  LoopFunction out = function;
  out.body = StmtSimplifier(function).MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
