// SPDX-License-Identifier: Apache-2.0
// Names what a statement computes twice, `let t = X[i]`, and computes it once. Within a statement
// no store lies between two loads, so that equal trees are equal values; across statements this
// does not hold, therefore each is looked at alone.
#include <unordered_map>

#include "core/base/hash.h"
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// Makes equal trees one node (hash consing). Children are unified first, so that the hash of a node
// needs the addresses of its children only, and the whole takes linear time.
class Unifier : public Mutator {
 public:
  Expr MutateExpr(const Expr& expr) override {
    const auto known = known_.find(expr.get());
    if (known != known_.end()) return known->second;
    const Expr inner = Descend(expr);
    std::vector<Expr>& candidates = nodes_[HashOf(inner)];
    Expr unified;
    // Different nodes may have one hash.
    for (const Expr& candidate : candidates) {
      if (SameExpr(candidate, inner)) unified = candidate;
    }
    if (!unified) candidates.push_back(unified = inner);
    kept_.push_back(expr);
    return known_[expr.get()] = unified;
  }

 private:
  static uint64_t HashOf(const Expr& expr) {
    class Children : public Visitor {
     public:
      void VisitExpr(const Expr& child) override {
        hash = HashCombine(hash, reinterpret_cast<uintptr_t>(child.get()));
      }
      void Look(const Expr& expr) { Descend(expr); }
      uint64_t hash = 0;
    };
    Children children;
    children.hash = static_cast<uint64_t>(expr->kind);
    if (const Binary* binary = expr->As<Binary>())
      children.hash = HashCombine(children.hash, static_cast<uint64_t>(binary->op));
    if (const IntImm* imm = expr->As<IntImm>())
      children.hash = HashCombine(children.hash, static_cast<uint64_t>(imm->value));
    if (const FloatImm* imm = expr->As<FloatImm>())
      children.hash = HashCombine(children.hash, __builtin_bit_cast(uint64_t, imm->value));
    if (expr->kind == ExprKind::kVar)
      children.hash = HashCombine(children.hash, reinterpret_cast<uintptr_t>(expr.get()));
    children.Look(expr);
    return children.hash;
  }

  std::unordered_map<uint64_t, std::vector<Expr>> nodes_;
  std::unordered_map<const ExprNode*, Expr> known_;
  std::vector<Expr> kept_;  // so that no address is used again
};

// Counts edges, not paths: a node below a shared one is used once.
class UseCounter : public Visitor {
 public:
  void VisitExpr(const Expr& expr) override {
    if (++uses[expr.get()] == 1) Descend(expr);
  }
  std::unordered_map<const ExprNode*, int> uses;
};

// Names and constants cost nothing, and addresses and masks are kept cheap by the emitters
// themselves.
bool IsWorthNaming(const Expr& expr) {
  if (expr->type == kIndexType || expr->type.is_bool()) return false;
  switch (expr->kind) {
    case ExprKind::kLoad:
    case ExprKind::kBinary:
    case ExprKind::kSelect:
    case ExprKind::kCast:
    case ExprKind::kCall: return true;
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kVar:
    case ExprKind::kVScale:
    case ExprKind::kNot:
    case ExprKind::kReinterpret:
    case ExprKind::kRamp:
    case ExprKind::kBroadcast:
    case ExprKind::kLaneMask:
    case ExprKind::kVectorReduce:
    case ExprKind::kReduction: break;
  }
  return false;
}

// A let per node that is used more than once, inner ones first, as Descend reaches them.
class Namer : public Mutator {
 public:
  explicit Namer(const std::unordered_map<const ExprNode*, int>& uses) : uses_(uses) {}
  Expr MutateExpr(const Expr& expr) override {
    const auto known = known_.find(expr.get());
    if (known != known_.end()) return known->second;
    Expr made = Descend(expr);
    if (uses_.at(expr.get()) > 1 && IsWorthNaming(expr)) {
      const VarPtr var = MakeVar("t", made->type);
      lets.push_back(MakeLet(var, std::move(made)));
      made = var;
    }
    return known_[expr.get()] = made;
  }
  std::vector<Stmt> lets;

 private:
  const std::unordered_map<const ExprNode*, int>& uses_;
  std::unordered_map<const ExprNode*, Expr> known_;
};

class StmtSharer : public Mutator {
 public:
  Expr MutateExpr(const Expr& expr) override { return expr; }
  Stmt MutateStmt(const Stmt& stmt) override {
    if (const Store* store = stmt->As<Store>()) {
      return Shared(stmt, store->value, [&](const Expr& value) {
        return MakeStore(store->buffer, store->indices, value, store->predicate);
      });
    }
    if (const Let* let = stmt->As<Let>()) {
      return Shared(stmt, let->value,
                    [&](const Expr& value) { return MakeLet(let->var, value, let->is_mutable); });
    }
    if (const Assign* assign = stmt->As<Assign>()) {
      return Shared(stmt, assign->value,
                    [&](const Expr& value) { return MakeAssign(assign->var, value); });
    }
    return Descend(stmt);
  }

 private:
  template <class Make>
  static Stmt Shared(const Stmt& stmt, const Expr& value, const Make& make) {
    // The index of a store is left alone for the reason at IsWorthNaming.
    const Expr unified = Unifier().MutateExpr(value);
    UseCounter counter;
    counter.VisitExpr(unified);
    Namer namer(counter.uses);
    const Expr named = namer.MutateExpr(unified);
    if (namer.lets.empty()) return stmt;
    Stmt made = make(named);
    made->span = stmt->span;
    namer.lets.push_back(std::move(made));
    return MakeBlock(std::move(namer.lets));
  }
};

}  // namespace

LoopFunction ShareValues(const LoopFunction& function, const PassContext&) {
  LoopFunction out = function;
  out.body = StmtSharer().MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
