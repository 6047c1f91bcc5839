// SPDX-License-Identifier: Apache-2.0
// Moves what a loop computes anew in every iteration, and always the same, ahead of the loop. Every
// operator is total, so that computing it for a loop that never runs does no harm. A load must also
// be proven to lie inside its buffer, because that loop may be what keeps it from running.
#include <unordered_map>
#include <unordered_set>

#include "core/loop/analysis/inside.h"
#include "core/loop/analysis/simplifier.h"
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// The variables and buffers that change while a loop runs, or that exist only in it.
class Changes : public Visitor {
 public:
  void VisitExpr(const Expr&) override {}
  void VisitStmt(const Stmt& stmt) override {
    if (const Let* let = stmt->As<Let>()) vars.insert(let->var.get());
    if (const Assign* assign = stmt->As<Assign>()) vars.insert(assign->var.get());
    if (const For* loop = stmt->As<For>()) vars.insert(loop->var.get());
    if (const Store* store = stmt->As<Store>()) buffers.insert(store->buffer.get());
    if (const Allocate* local = stmt->As<Allocate>()) buffers.insert(local->buffer.get());
    Descend(stmt);
  }
  std::unordered_set<const Var*> vars;
  std::unordered_set<const Buffer*> buffers;
};

// Values that cost something. Names and constants cost nothing; addresses and masks are kept cheap
// by the emitters themselves, and as variables they would hide that an access is contiguous.
bool IsWorthKeeping(const Expr& expr) {
  if (expr->type == kIndexType || expr->type.is_bool()) return false;
  switch (expr->kind) {
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kVar:
    case ExprKind::kVScale:
    case ExprKind::kRamp:
    case ExprKind::kLaneMask: return false;
    case ExprKind::kBroadcast: return IsWorthKeeping(expr->As<Broadcast>()->value);
    case ExprKind::kBinary:
    case ExprKind::kNot:
    case ExprKind::kSelect:
    case ExprKind::kCast:
    case ExprKind::kReinterpret:
    case ExprKind::kLoad:
    case ExprKind::kCall:
    case ExprKind::kVectorReduce:
    case ExprKind::kReduction: break;
  }
  return true;
}

// Splits the body of one loop into what is the same in every iteration (`hoisted`, in the order in
// which it must run) and the rest, which Run gives.
class Hoister : public Mutator {
 public:
  Hoister(Changes changes, std::span<const For* const> around, const Simplifier& simplifier)
      : changes_(std::move(changes)), around_(around), simplifier_(simplifier) {}

  Stmt Run(const Stmt& body) {
    std::vector<Stmt> kept;
    const Block* block = body->As<Block>();
    const std::span<const Stmt> stmts =
        block != nullptr ? std::span<const Stmt>(block->stmts) : std::span(&body, 1);
    for (const Stmt& stmt : stmts) {
      const Let* let = stmt->As<Let>();
      if (let == nullptr || let->is_mutable || !IsInvariant(let->value)) {
        kept.push_back(MutateStmt(stmt));
        continue;
      }
      // The variable is now set ahead of the loop, so that what depends on it may follow it. What
      // was found out about such values does not hold any more.
      changes_.vars.erase(let->var.get());
      known_.clear();
      hoisted.push_back(stmt);
    }
    return hoisted.empty() ? body : MakeBlock(std::move(kept));
  }

  std::vector<Stmt> hoisted;

 private:
  Expr MutateExpr(const Expr& expr) override {
    if (IsWorthKeeping(expr) && IsInvariant(expr)) return NameOf(expr);
    // A load that is not invariant is kept whole: its index is an address.
    return expr->kind == ExprKind::kLoad ? expr : Descend(expr);
  }

  // Addresses, masks and conditions stay where they are.
  Stmt MutateStmt(const Stmt& stmt) override {
    Stmt made;
    if (const Store* store = stmt->As<Store>()) {
      const Expr value = MutateExpr(store->value);
      if (value == store->value) return stmt;
      made = MakeStore(store->buffer, store->indices, value, store->predicate);
    } else if (const For* loop = stmt->As<For>()) {
      const Stmt body = MutateStmt(loop->body);
      if (body == loop->body) return stmt;
      made = MakeFor(loop->traits, loop->var, loop->range, body);
    } else if (const While* loop = stmt->As<While>()) {
      const Stmt body = MutateStmt(loop->body);
      if (body == loop->body) return stmt;
      made = MakeWhile(loop->role, loop->condition, body);
    } else {
      return Descend(stmt);
    }
    made->span = stmt->span;
    return made;
  }

  // Equal values get one name, so that two uses in the body cost one register.
  Expr NameOf(const Expr& expr) {
    for (const Stmt& stmt : hoisted) {
      if (SameExpr(stmt->As<Let>()->value, expr)) return stmt->As<Let>()->var;
    }
    const VarPtr var = MakeVar("same", expr->type);
    hoisted.push_back(MakeLet(var, expr));
    return var;
  }

  // Remembered by node, because nodes are shared and the walk would else be exponential in their
  // depth.
  bool IsInvariant(const Expr& expr) {
    const auto found = known_.find(expr.get());
    if (found != known_.end()) return found->second;
    class Finder : public Visitor {
     public:
      explicit Finder(Hoister* owner) : owner_(owner) {}
      void VisitExpr(const Expr& expr) override {
        const Load* load = expr->As<Load>();
        const Var* var = expr->As<Var>();
        varies |= var != nullptr && owner_->changes_.vars.contains(var);
        varies |= load != nullptr && !owner_->MayMove(*load);
        if (!varies) Descend(expr);
      }
      bool varies = false;

     private:
      Hoister* owner_;
    };
    Finder finder(this);
    finder.VisitExpr(expr);
    known_[expr.get()] = !finder.varies;
    return !finder.varies;
  }

  // around_ holds the loops outside of this one only: the index may not depend on this loop's
  // variable anyway, and it must be inside for every iteration of the others.
  bool MayMove(const Load& load) const {
    if (load.predicate || load.indices.size() != 1) return false;
    return !changes_.buffers.contains(load.buffer.get()) &&
           IsInsideBuffer(simplifier_, around_, load.index(), *load.buffer);
  }

  Changes changes_;
  const std::span<const For* const> around_;
  const Simplifier& simplifier_;
  std::unordered_map<const ExprNode*, bool> known_;
};

// Walks inner loops first, so that what one leaves ahead of it can move out of the next.
class LoopWalker : public Mutator {
 public:
  explicit LoopWalker(const LoopFunction& function) : simplifier_(function) {}

  Expr MutateExpr(const Expr& expr) override { return expr; }
  Stmt MutateStmt(const Stmt& stmt) override {
    if (const For* loop = stmt->As<For>()) {
      around_.push_back(loop);
      const Stmt body = MutateStmt(loop->body);
      around_.pop_back();
      return Hoist(stmt, body);
    }
    const While* loop = stmt->As<While>();
    return loop == nullptr ? Descend(stmt) : Hoist(stmt, MutateStmt(loop->body));
  }

 private:
  Stmt Hoist(const Stmt& stmt, const Stmt& body) {
    // Both forms are looked at: the body has new lets, the statement has the loop's own variable.
    Changes changes;
    changes.VisitStmt(stmt);
    changes.VisitStmt(body);
    Hoister hoister(std::move(changes), around_, simplifier_);
    const Stmt rest = hoister.Run(body);
    const For* loop = stmt->As<For>();
    if (rest == (loop != nullptr ? loop->body : stmt->As<While>()->body)) return stmt;
    Stmt made = loop != nullptr
                    ? MakeFor(loop->traits, loop->var, loop->range, rest)
                    : MakeWhile(stmt->As<While>()->role, stmt->As<While>()->condition, rest);
    made->span = stmt->span;
    hoister.hoisted.push_back(std::move(made));
    return MakeBlock(std::move(hoister.hoisted));
  }

  const Simplifier simplifier_;
  std::vector<const For*> around_;
};

}  // namespace

LoopFunction HoistInvariants(const LoopFunction& function, const PassContext&) {
  LoopFunction out = function;
  out.body = LoopWalker(function).MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
