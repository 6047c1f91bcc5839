// SPDX-License-Identifier: Apache-2.0
// Visitor and Mutator: walks over expressions and statements. Override the kinds you care about and
// call Descend for the rest of the subtree. ExprVisitor and ExprMutator are for expressions alone,
// so that who has no statements need not carry what walks them.
//
// A mutator returns the same pointer where nothing changed, so that "did it change" is a comparison
// of pointers; new nodes take over the spans of those they replace.
#ifndef TERN_CORE_LOOP_VISITOR_H_
#define TERN_CORE_LOOP_VISITOR_H_

#include "core/loop/stmt.h"

namespace tern::loop {

class ExprVisitor {
 public:
  virtual ~ExprVisitor();
  virtual void VisitExpr(const Expr& expr) { Descend(expr); }

 protected:
  // Visits what is below, left to right; null subtrees are skipped.
  void Descend(const Expr& expr);
  void VisitAll(std::span<const Expr> exprs);
};

class Visitor : public ExprVisitor {
 public:
  virtual void VisitStmt(const Stmt& stmt) { Descend(stmt); }

 protected:
  using ExprVisitor::Descend;
  void Descend(const Stmt& stmt);
};

class ExprMutator {
 public:
  virtual ~ExprMutator();
  virtual Expr MutateExpr(const Expr& expr) { return Descend(expr); }

 protected:
  Expr Descend(const Expr& expr);
  Expr MutateOptional(const Expr& expr) { return expr ? MutateExpr(expr) : expr; }
  std::vector<Expr> MutateAll(std::span<const Expr> exprs);
};

class Mutator : public ExprMutator {
 public:
  virtual Stmt MutateStmt(const Stmt& stmt) { return Descend(stmt); }

 protected:
  using ExprMutator::Descend;
  Stmt Descend(const Stmt& stmt);
};

// Variables by what shall stand for them.
struct Substitution {
  const Var* var;
  Expr value;
};
Expr Substitute(const Expr& expr, std::span<const Substitution> map);
Stmt Substitute(const Stmt& stmt, std::span<const Substitution> map);

bool UsesVar(const Expr& expr, const Var* var);
bool UsesVar(const Stmt& stmt, const Var* var);
// Whether the statement is a loop or has one in it.
bool HasLoops(const Stmt& stmt);
// Whether the value is read from memory, or a part of it.
bool HasLoads(const Expr& expr);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_VISITOR_H_
