// SPDX-License-Identifier: Apache-2.0
#include "core/loop/visitor.h"

#include "core/loop/fields.h"

namespace tern::loop {

ExprVisitor::~ExprVisitor() = default;
ExprMutator::~ExprMutator() = default;

void ExprVisitor::VisitAll(std::span<const Expr> exprs) {
  for (const Expr& expr : exprs) VisitExpr(expr);
}

namespace {

// What a visitor does with each type of field. Optional parts may be null.
struct VisitExprField {
  ExprVisitor* visitor;

  void operator()(const Expr& expr) const {
    if (expr) visitor->VisitExpr(expr);
  }
  void operator()(const std::vector<Expr>& exprs) const {
    for (const Expr& expr : exprs) (*this)(expr);
  }
  void operator()(const std::vector<ReduceAxis>& axes) const {
    for (const ReduceAxis& axis : axes) (*this)(axis.extent);
  }
  void operator()(const For::Range& range) const {
    // Ranges and axes hold expressions, so they are gone into, although they are no nodes.
    for (const Expr* part : {&range.min, &range.extent, &range.step}) (*this)(*part);
  }
  template <FieldValue T>
  void operator()(const T&) const {}
};

// Expressions hold no statements, so their visitors need not know any.
struct VisitField : VisitExprField {
  Visitor* visitor_of_stmts;

  explicit VisitField(Visitor* visitor) : VisitExprField{visitor}, visitor_of_stmts(visitor) {}
  using VisitExprField::operator();
  void operator()(const Stmt& stmt) const {
    if (stmt) visitor_of_stmts->VisitStmt(stmt);
  }
  void operator()(const std::vector<Stmt>& stmts) const {
    for (const Stmt& stmt : stmts) (*this)(stmt);
  }
};

}  // namespace

// The fields of each kind of node are listed once (core/loop/fields.h). A kind without a list does
// not compile, so no walk can forget one.
void ExprVisitor::Descend(const Expr& expr) {
  VisitNode(*expr,
            [this]<class T>(const T& node) { FieldsOf<T>::ForEach(node, VisitExprField{this}); });
}

void Visitor::Descend(const Stmt& stmt) {
  VisitNode(*stmt,
            [this]<class T>(const T& node) { FieldsOf<T>::ForEach(node, VisitField(this)); });
}

namespace {

template <class T>
// Errors of later passes then point at what the user wrote.
T Keep(const T& old, T made) {
  if (made != old && !made->span.valid()) made->span = old->span;
  return made;
}

// What a mutator makes of each type of field, and whether any of them is another.
class MutateExprField {
 public:
  explicit MutateExprField(ExprMutator* mutator) : mutator_(mutator) {}

  bool changed() const { return changed_; }
  Expr operator()(const Expr& expr) { return expr ? Note(expr, mutator_->MutateExpr(expr)) : expr; }
  std::vector<Expr> operator()(const std::vector<Expr>& exprs) { return MapAll(*this, exprs); }
  std::vector<ReduceAxis> operator()(const std::vector<ReduceAxis>& axes) {
    std::vector<ReduceAxis> out = axes;
    // The variable of an axis stays: it is what the value below names.
    for (ReduceAxis& axis : out) axis.extent = (*this)(axis.extent);
    return out;
  }
  For::Range operator()(const For::Range& range) {
    return {(*this)(range.min), (*this)(range.extent), (*this)(range.step)};
  }
  template <FieldValue T>
  T operator()(const T& value) {
    return value;
  }
  // Not copied: a walk passes many names and hardly ever makes a node of one.
  const std::string& operator()(const std::string& name) { return name; }

 protected:
  template <class T>
  // By pointer: a mutator returns the very node that it was given where it changed nothing.
  T Note(const T& old, T now) {
    changed_ |= now != old;
    return now;
  }
  template <class Self, class T>
  static std::vector<T> MapAll(Self& self, const std::vector<T>& list) {
    std::vector<T> out;
    out.reserve(list.size());
    for (const T& element : list) out.push_back(self(element));
    return out;
  }

 private:
  ExprMutator* mutator_;
  bool changed_ = false;
};

class MutateField : public MutateExprField {
 public:
  explicit MutateField(Mutator* mutator) : MutateExprField(mutator), mutator_(mutator) {}
  using MutateExprField::operator();
  Stmt operator()(const Stmt& stmt) { return stmt ? Note(stmt, mutator_->MutateStmt(stmt)) : stmt; }
  std::vector<Stmt> operator()(const std::vector<Stmt>& stmts) { return MapAll(*this, stmts); }

 private:
  Mutator* mutator_;
};

}  // namespace

std::vector<Expr> ExprMutator::MutateAll(std::span<const Expr> exprs) {
  std::vector<Expr> out;
  out.reserve(exprs.size());
  for (const Expr& expr : exprs) out.push_back(MutateExpr(expr));
  return out;
}

namespace {

// The node of what the mutator makes of its fields; the same node where it made nothing else.
template <class Pointer, class Mutate>
Pointer MutateNode(const Pointer& old, Mutate mutate) {
  return VisitNode(*old, [&]<class T>(const T& node) -> Pointer {
    auto fields = FieldsOf<T>::Map(node, mutate);
    return mutate.changed() ? Keep<Pointer>(old, FieldsOf<T>::Make(std::move(fields))) : old;
  });
}

}  // namespace

Expr ExprMutator::Descend(const Expr& expr) { return MutateNode(expr, MutateExprField(this)); }
Stmt Mutator::Descend(const Stmt& stmt) { return MutateNode(stmt, MutateField(this)); }

namespace {

// Null where nothing stands for the variable.
const Expr* Replacement(const Expr& var, std::span<const Substitution> map) {
  for (const Substitution& entry : map) {
    // Lists are short, mostly the axes of one loop nest.
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
    if (expr->kind != ExprKind::kVar) return this->Descend(expr);
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
    // A variable that is only written counts as used, too: its declaration has to stay.
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
    found |= stmt->kind == StmtKind::kFor || stmt->kind == StmtKind::kWhile;
    Descend(stmt);
  }
  bool found = false;
};

class AnyLoadFinder : public ExprVisitor {
 public:
  void VisitExpr(const Expr& expr) override {
    found |= expr->kind == ExprKind::kLoad;
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
