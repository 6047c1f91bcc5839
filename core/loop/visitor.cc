// SPDX-License-Identifier: Apache-2.0
#include "core/loop/visitor.h"

namespace tern::loop {

ExprVisitor::~ExprVisitor() = default;
ExprMutator::~ExprMutator() = default;

void ExprVisitor::VisitAll(std::span<const Expr> exprs) {
  for (const Expr& expr : exprs) VisitExpr(expr);
}

void ExprVisitor::Descend(const Expr& expr) {
  const auto visit = [this](const auto&... children) {
    (..., (children ? VisitExpr(children) : void(0)));
  };
  switch (expr->kind) {
    case NodeKind::kBinary: visit(expr->As<Binary>()->a, expr->As<Binary>()->b); break;
    case NodeKind::kNot: visit(expr->As<Not>()->value); break;
    case NodeKind::kSelect: {
      const auto* select = expr->As<Select>();
      visit(select->condition, select->a, select->b);
      break;
    }
    case NodeKind::kCast: visit(expr->As<Cast>()->value); break;
    case NodeKind::kReinterpret: visit(expr->As<Reinterpret>()->value); break;
    case NodeKind::kLoad:
      VisitAll(expr->As<Load>()->indices);
      visit(expr->As<Load>()->predicate);
      break;
    case NodeKind::kRamp: visit(expr->As<Ramp>()->base, expr->As<Ramp>()->stride); break;
    case NodeKind::kBroadcast: visit(expr->As<Broadcast>()->value); break;
    case NodeKind::kCall: VisitAll(expr->As<Call>()->args); break;
    case NodeKind::kLaneMask: visit(expr->As<LaneMask>()->base, expr->As<LaneMask>()->bound); break;
    case NodeKind::kVectorReduce: visit(expr->As<VectorReduce>()->value); break;
    case NodeKind::kReduction:
      for (const ReduceAxis& axis : expr->As<Reduction>()->axes) visit(axis.extent);
      visit(expr->As<Reduction>()->value);
      break;
    default: break;  // leaves
  }
}

void Visitor::Descend(const Stmt& stmt) {
  switch (stmt->kind) {
    case NodeKind::kFor: {
      const auto* loop = stmt->As<For>();
      VisitExpr(loop->range.min);
      VisitExpr(loop->range.extent);
      VisitExpr(loop->range.step);
      VisitStmt(loop->body);
      break;
    }
    case NodeKind::kWhile:
      VisitExpr(stmt->As<While>()->condition);
      VisitStmt(stmt->As<While>()->body);
      break;
    case NodeKind::kStore: {
      const auto* store = stmt->As<Store>();
      VisitAll(store->indices);
      VisitExpr(store->value);
      if (store->predicate) VisitExpr(store->predicate);
      break;
    }
    case NodeKind::kIf: {
      const auto* branch = stmt->As<If>();
      VisitExpr(branch->condition);
      VisitStmt(branch->then_body);
      if (branch->else_body) VisitStmt(branch->else_body);
      break;
    }
    case NodeKind::kBlock:
      for (const Stmt& inner : stmt->As<Block>()->stmts) VisitStmt(inner);
      break;
    case NodeKind::kLet: VisitExpr(stmt->As<Let>()->value); break;
    case NodeKind::kAssign: VisitExpr(stmt->As<Assign>()->value); break;
    default: break;  // Allocate
  }
}

namespace {

template <class T>
T Keep(const T& old, T made) {
  if (made != old && !made->span.valid()) made->span = old->span;
  return made;
}

bool Same(std::span<const Expr> a, std::span<const Expr> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<Expr> ExprMutator::MutateAll(std::span<const Expr> exprs) {
  std::vector<Expr> out;
  out.reserve(exprs.size());
  for (const Expr& expr : exprs) out.push_back(MutateExpr(expr));
  return out;
}

namespace {

// The operands of a node with a fixed number of them, in order, and the node made of new ones.
// One of these per kind keeps Descend a table.
Expr Rebuild(const Binary& old, std::span<const Expr> x) { return MakeBinary(old.op, x[0], x[1]); }
Expr Rebuild(const Not&, std::span<const Expr> x) { return MakeNot(x[0]); }
Expr Rebuild(const Select&, std::span<const Expr> x) { return MakeSelect(x[0], x[1], x[2]); }
Expr Rebuild(const Cast& old, std::span<const Expr> x) {
  return MakeCast(old.type.element(), x[0]);
}
Expr Rebuild(const Reinterpret& old, std::span<const Expr> x) {
  return MakeReinterpret(old.type.element(), x[0]);
}
Expr Rebuild(const Ramp& old, std::span<const Expr> x) {
  return MakeRamp(x[0], x[1], old.type.lane_count());
}
Expr Rebuild(const Broadcast& old, std::span<const Expr> x) {
  return MakeBroadcast(x[0], old.type.lane_count());
}
Expr Rebuild(const LaneMask& old, std::span<const Expr> x) {
  return MakeLaneMask(x[0], x[1], old.type.lane_count());
}
Expr Rebuild(const VectorReduce& old, std::span<const Expr> x) {
  return MakeVectorReduce(old.op, x[0]);
}
Expr Rebuild(const Call& old, std::span<const Expr> x) {
  return MakeCall(old.intrinsic, {x.begin(), x.end()});
}
Expr Rebuild(const Load& old, std::span<const Expr> x) {
  const size_t rank = old.indices.size();
  return MakeLoad(old.buffer, {x.begin(), x.begin() + static_cast<ptrdiff_t>(rank)},
                  old.predicate ? x[rank] : nullptr);
}
Expr Rebuild(const Reduction& old, std::span<const Expr> x) {
  std::vector<ReduceAxis> axes = old.axes;
  for (size_t i = 0; i < axes.size(); ++i) axes[i].extent = x[i];
  return MakeReduction(old.op, std::move(axes), x.back());
}

// What Visitor::Descend visits below a node.
class Children : public ExprVisitor {
 public:
  explicit Children(const Expr& expr) { Descend(expr); }
  void VisitExpr(const Expr& expr) override { list.push_back(expr); }
  std::vector<Expr> list;
};

template <class T>
Expr RebuildAs(const Expr& old, std::span<const Expr> x) {
  return Rebuild(*old->As<T>(), x);
}

Expr RebuildExpr(const Expr& old, std::span<const Expr> x) {
  switch (old->kind) {
    case NodeKind::kBinary: return RebuildAs<Binary>(old, x);
    case NodeKind::kNot: return RebuildAs<Not>(old, x);
    case NodeKind::kSelect: return RebuildAs<Select>(old, x);
    case NodeKind::kCast: return RebuildAs<Cast>(old, x);
    case NodeKind::kReinterpret: return RebuildAs<Reinterpret>(old, x);
    case NodeKind::kLoad: return RebuildAs<Load>(old, x);
    case NodeKind::kRamp: return RebuildAs<Ramp>(old, x);
    case NodeKind::kBroadcast: return RebuildAs<Broadcast>(old, x);
    case NodeKind::kCall: return RebuildAs<Call>(old, x);
    case NodeKind::kLaneMask: return RebuildAs<LaneMask>(old, x);
    case NodeKind::kVectorReduce: return RebuildAs<VectorReduce>(old, x);
    case NodeKind::kReduction: return RebuildAs<Reduction>(old, x);
    default: return old;
  }
}

}  // namespace

Expr ExprMutator::Descend(const Expr& expr) {
  const Children children(expr);
  const std::vector<Expr> changed = MutateAll(children.list);
  if (Same(children.list, changed)) return expr;
  return Keep(expr, RebuildExpr(expr, changed));
}

Stmt Mutator::MutateFor(const Stmt& stmt) {
  const auto* loop = stmt->As<For>();
  For::Range range{MutateExpr(loop->range.min), MutateExpr(loop->range.extent),
                   MutateExpr(loop->range.step)};
  Stmt body = MutateStmt(loop->body);
  if (range.min == loop->range.min && range.extent == loop->range.extent &&
      range.step == loop->range.step && body == loop->body)
    return stmt;
  return Keep(stmt, MakeFor(loop->traits, loop->var, std::move(range), std::move(body)));
}

Stmt Mutator::Descend(const Stmt& stmt) {
  switch (stmt->kind) {
    case NodeKind::kFor: return MutateFor(stmt);
    case NodeKind::kWhile: {
      const auto* loop = stmt->As<While>();
      Expr condition = MutateExpr(loop->condition);
      Stmt body = MutateStmt(loop->body);
      if (condition == loop->condition && body == loop->body) return stmt;
      return Keep(stmt, MakeWhile(loop->role, std::move(condition), std::move(body)));
    }
    case NodeKind::kStore: {
      const auto* store = stmt->As<Store>();
      std::vector<Expr> indices = MutateAll(store->indices);
      Expr value = MutateExpr(store->value);
      Expr predicate = MutateOptional(store->predicate);
      if (Same(store->indices, indices) && value == store->value && predicate == store->predicate)
        return stmt;
      return Keep(stmt, MakeStore(store->buffer, std::move(indices), std::move(value),
                                  std::move(predicate)));
    }
    case NodeKind::kIf: {
      const auto* branch = stmt->As<If>();
      Expr condition = MutateExpr(branch->condition);
      Stmt then_body = MutateStmt(branch->then_body);
      Stmt else_body = branch->else_body ? MutateStmt(branch->else_body) : nullptr;
      if (condition == branch->condition && then_body == branch->then_body &&
          else_body == branch->else_body)
        return stmt;
      return Keep(stmt, MakeIf(std::move(condition), std::move(then_body), std::move(else_body)));
    }
    case NodeKind::kBlock: {
      std::vector<Stmt> stmts;
      bool changed = false;
      for (const Stmt& inner : stmt->As<Block>()->stmts) {
        stmts.push_back(MutateStmt(inner));
        changed |= stmts.back() != inner;
      }
      return changed ? Keep(stmt, MakeBlock(std::move(stmts))) : stmt;
    }
    case NodeKind::kLet: {
      const auto* let = stmt->As<Let>();
      Expr value = MutateExpr(let->value);
      if (value == let->value) return stmt;
      return Keep(stmt, MakeLet(let->var, std::move(value), let->is_mutable));
    }
    case NodeKind::kAssign: {
      const auto* assign = stmt->As<Assign>();
      Expr value = MutateExpr(assign->value);
      if (value == assign->value) return stmt;
      return Keep(stmt, MakeAssign(assign->var, std::move(value)));
    }
    default: return stmt;  // Allocate
  }
}

namespace {

// Null where nothing stands for the variable.
const Expr* Replacement(const Expr& var, std::span<const Substitution> map) {
  for (const Substitution& entry : map) {
    if (entry.var == var.get()) return &entry.value;
  }
  return nullptr;
}

// Over expressions alone, or over statements too.
template <class Base>
class Substituter : public Base {
 public:
  explicit Substituter(std::span<const Substitution> map) : map_(map) {}
  Expr MutateExpr(const Expr& expr) override {
    if (expr->kind != NodeKind::kVar) return this->Descend(expr);
    const Expr* replacement = Replacement(expr, map_);
    return replacement != nullptr ? *replacement : expr;
  }

 private:
  std::span<const Substitution> map_;
};

class VarFinder : public Visitor {
 public:
  explicit VarFinder(const Var* var) : var_(var) {}
  void VisitExpr(const Expr& expr) override {
    found |= expr.get() == var_;
    if (!found) Descend(expr);
  }
  void VisitStmt(const Stmt& stmt) override {
    const Assign* assign = stmt->As<Assign>();
    found |= assign != nullptr && assign->var.get() == var_;
    if (!found) Descend(stmt);
  }
  bool found = false;

 private:
  const Var* var_;
};

class LoopFinder : public Visitor {
 public:
  void VisitExpr(const Expr&) override {}
  void VisitStmt(const Stmt& stmt) override {
    found |= stmt->kind == NodeKind::kFor || stmt->kind == NodeKind::kWhile;
    Descend(stmt);
  }
  bool found = false;
};

class AnyLoadFinder : public ExprVisitor {
 public:
  void VisitExpr(const Expr& expr) override {
    found |= expr->kind == NodeKind::kLoad;
    if (!found) Descend(expr);
  }
  bool found = false;
};

}  // namespace

Expr Substitute(const Expr& expr, std::span<const Substitution> map) {
  return Substituter<ExprMutator>(map).MutateExpr(expr);
}
Stmt Substitute(const Stmt& stmt, std::span<const Substitution> map) {
  return Substituter<Mutator>(map).MutateStmt(stmt);
}

bool UsesVar(const Expr& expr, const Var* var) {
  VarFinder finder(var);
  finder.VisitExpr(expr);
  return finder.found;
}
bool UsesVar(const Stmt& stmt, const Var* var) {
  VarFinder finder(var);
  finder.VisitStmt(stmt);
  return finder.found;
}

bool HasLoops(const Stmt& stmt) {
  LoopFinder finder;
  finder.VisitStmt(stmt);
  return finder.found;
}

bool HasLoads(const Expr& expr) {
  AnyLoadFinder finder;
  finder.VisitExpr(expr);
  return finder.found;
}

}  // namespace tern::loop
