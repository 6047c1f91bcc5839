// SPDX-License-Identifier: Apache-2.0
// The two forms of a loop of variable step:
//   for (i, a, e; i += s) { body }      and      var i = a; while (i < a + e) { body; i = i + s }
// They do the same as long as the body leaves alone what the bounds are made of.
#include "core/loop/analysis/simplifier.h"
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// Converts only loops whose step is not a constant: the others have all that vectorizing needs.
class ForConverter : public Mutator {
 public:
  Stmt MutateStmt(const Stmt& stmt) override {
    const Stmt inner = Descend(stmt);
    const For* loop = inner->As<For>();
    if (loop == nullptr || loop->traits.kind != ForKind::kSerial || AsInt(loop->range.step))
      return inner;
    const VarPtr& var = loop->var;
    // Evaluated anew ahead of every iteration, which gives the same because the body leaves it
    // alone.
    const Expr end = Add(loop->range.min, loop->range.extent);
    const Stmt next = MakeAssign(var, Add(var, loop->range.step));
    return MakeBlock({MakeLet(var, loop->range.min, /*is_mutable=*/true),
                      MakeWhile(loop->traits.role, MakeBinary(BinaryOp::kLt, var, end),
                                MakeBlock({loop->body, next}))});
  }
};

// Finds pairs of neighbours in a block, because a loop's counter is declared by the statement
// before it.
class WhileConverter : public Mutator {
 public:
  Stmt MutateStmt(const Stmt& stmt) override {
    const Stmt inner = Descend(stmt);
    const Block* block = inner->As<Block>();
    if (block == nullptr) return inner;
    std::vector<Stmt> stmts;
    bool changed = false;
    for (size_t i = 0; i < block->stmts.size(); ++i) {
      Stmt loop = i + 1 < block->stmts.size()
                      ? AsFor(block->stmts[i], block->stmts[i + 1],
                              {block->stmts.data() + i + 2, block->stmts.size() - i - 2})
                      : nullptr;
      changed |= loop != nullptr;
      // The pair gives one statement, so the second one is skipped.
      i += loop != nullptr;
      stmts.push_back(loop ? std::move(loop) : block->stmts[i]);
    }
    return changed ? MakeBlock(std::move(stmts)) : inner;
  }

 private:
  // `var i = a` directly before `while (i < end) { …; i = i + s }`, where i is not used later.
  static Stmt AsFor(const Stmt& first, const Stmt& second, std::span<const Stmt> later) {
    const Let* let = first->As<Let>();
    const While* loop = second->As<While>();
    const Block* body = loop == nullptr ? nullptr : loop->body->As<Block>();
    if (let == nullptr || !let->is_mutable || let->var->type != kIndexType || body == nullptr)
      return nullptr;
    const Binary* condition = loop->condition->As<Binary>();
    const Var* var = let->var.get();
    if (condition == nullptr || condition->op != BinaryOp::kLt || condition->a.get() != var ||
        body->stmts.size() < 2)
      return nullptr;
    // The step must be the last statement and always positive, otherwise the counter might stand
    // still or pass the end the other way, where `for` and `while` do different things.
    const Assign* next = body->stmts.back()->As<Assign>();
    const Binary* sum =
        next == nullptr || next->var.get() != var ? nullptr : next->value->As<Binary>();
    if (sum == nullptr || sum->op != BinaryOp::kAdd || sum->a.get() != var ||
        Simplifier().BoundsOf(sum->b).low < 1)
      return nullptr;
    // The body without its step; `for` brings its own.
    const std::vector<Stmt> rest(body->stmts.begin(), body->stmts.end() - 1);
    if (Assigns(rest, var, condition->b, sum->b)) return nullptr;
    for (const Stmt& stmt : later) {
      if (UsesVar(stmt, var)) return nullptr;
    }
    return MakeFor({ForKind::kSerial, loop->role, 0}, let->var,
                   {let->value, Sub(condition->b, let->value), sum->b}, MakeBlock(rest));
  }

  // Whether the body changes the counter or what its end and step are made of.
  static bool Assigns(std::span<const Stmt> stmts, const Var* var, const Expr& end,
                      const Expr& step) {
    class Finder : public Visitor {
     public:
      Finder(const Var* var, Expr end, Expr step)
          : var_(var), end_(std::move(end)), step_(std::move(step)) {}
      // Statements alone are looked at: loop variables of inner loops are declared anew and cannot
      // be what the bounds are made of.
      void VisitStmt(const Stmt& stmt) override {
        if (const Assign* assign = stmt->As<Assign>()) {
          const Var* written = assign->var.get();
          found |= written == var_ || UsesVar(end_, written) || UsesVar(step_, written);
        }
        Descend(stmt);
      }
      bool found = false;

     private:
      const Var* var_;
      Expr end_, step_;
    };
    Finder finder(var, end, step);
    for (const Stmt& stmt : stmts) finder.VisitStmt(stmt);
    // A load in a bound may change through any store, so such a bound counts as assigned.
    return finder.found || HasLoads(end) || HasLoads(step) || UsesVar(end, var) ||
           UsesVar(step, var);
  }
};

}  // namespace

LoopFunction ForToWhile(const LoopFunction& function, const PassContext&) {
  LoopFunction out = function;
  out.body = ForConverter().MutateStmt(function.body);
  return out;
}

LoopFunction WhileToFor(const LoopFunction& function, const PassContext&) {
  LoopFunction out = function;
  out.body = WhileConverter().MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
