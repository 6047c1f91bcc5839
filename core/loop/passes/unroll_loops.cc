// SPDX-License-Identifier: Apache-2.0
// Unrolled loops of constant extent become copies of their bodies, one after the other.
#include "core/base/strings.h"
#include "core/loop/analysis/simplifier.h"
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// Bounds what a short program can blow up to: two nested loops multiply.
constexpr int64_t kMaxStmts = 4096;

// Copies share their trees, but a variable or a local buffer is declared once in each.
class FreshNames : public Mutator {
 public:
  Expr MutateExpr(const Expr& expr) override {
    if (const Var* var = expr->As<Var>()) {
      // There are few entries, one per declaration of the body.
      for (const Substitution& entry : vars_) {
        if (entry.var == var) return entry.value;
      }
      return expr;
    }
    const Expr inner = Descend(expr);
    const Load* load = inner->As<Load>();
    const BufferPtr buffer = load == nullptr ? nullptr : Renamed(load->buffer);
    if (load == nullptr || buffer == load->buffer) return inner;
    return MakeLoad(buffer, load->indices, load->predicate);
  }

  Stmt MutateStmt(const Stmt& stmt) override {
    Stmt made = Copy(stmt);
    if (made != stmt) made->span = stmt->span;
    return made;
  }

 private:
  struct Renaming {
    BufferPtr old, made;
  };

  Stmt Copy(const Stmt& stmt) {
    if (const For* loop = stmt->As<For>()) return MutateFor(*loop);
    const Stmt inner = Descend(stmt);
    if (const Let* let = inner->As<Let>()) {
      // The copy is renamed after its value was rewritten: the value still means the outer
      // variable.
      const VarPtr var = MakeVar(let->var->name, let->var->type);
      vars_.push_back({let->var.get(), var});
      return MakeLet(var, let->value, let->is_mutable);
    }
    if (const Assign* assign = inner->As<Assign>())
      return MakeAssign(VarOf(assign->var), assign->value);
    if (const Allocate* local = inner->As<Allocate>()) {
      const Buffer& old = *local->buffer;
      buffers_.push_back({local->buffer, MakeBuffer(old.name, old.dtype, old.shape, old.access)});
      return MakeAllocate(buffers_.back().made);
    }
    const Store* store = inner->As<Store>();
    if (store == nullptr || Renamed(store->buffer) == store->buffer) return inner;
    return MakeStore(Renamed(store->buffer), store->indices, store->value, store->predicate);
  }

  Stmt MutateFor(const For& loop) {
    For::Range range{MutateExpr(loop.range.min), MutateExpr(loop.range.extent),
                     // Range first: the loop variable is not known in its own bounds.
                     MutateExpr(loop.range.step)};
    const VarPtr var = MakeVar(loop.var->name);
    vars_.push_back({loop.var.get(), var});
    return MakeFor(loop.traits, var, std::move(range), MutateStmt(loop.body));
  }

  VarPtr VarOf(const VarPtr& var) const {
    for (const Substitution& entry : vars_) {
      if (entry.var == var.get()) return VarPtr(entry.value->As<Var>());
    }
    return var;
  }
  BufferPtr Renamed(const BufferPtr& buffer) const {
    for (const Renaming& entry : buffers_) {
      if (entry.old == buffer) return entry.made;
    }
    return buffer;
  }

  std::vector<Substitution> vars_;
  std::vector<Renaming> buffers_;
};

class StmtCounter : public Visitor {
 public:
  void VisitExpr(const Expr&) override {}
  void VisitStmt(const Stmt& stmt) override {
    ++count;
    Descend(stmt);
  }
  int64_t count = 0;
};

class Unroller : public Mutator {
 public:
  Unroller(const Simplifier& simplifier, text::Diagnostics* diagnostics)
      : simplifier_(simplifier), diagnostics_(diagnostics) {}

  Stmt MutateStmt(const Stmt& stmt) override {
    // Inner loops first, so that the count of statements includes their copies.
    const Stmt inner = Descend(stmt);
    const For* loop = inner->As<For>();
    if (loop == nullptr || loop->traits.kind != ForKind::kUnrolled) return inner;
    const Expr extent = simplifier_.Simplify(loop->range.extent);
    const IntImm *count = AsInt(extent), *step = AsInt(simplifier_.Simplify(loop->range.step));
    if (count == nullptr || step == nullptr || step->value <= 0)
      return Refuse(inner, StrCat("its extent and step must be constants"));
    // Rounded up: the last step may reach past the end.
    const int64_t copies = count->value <= 0 ? 0 : (count->value - 1) / step->value + 1;
    StmtCounter body;
    body.VisitStmt(loop->body);
    // By division, because the product may overflow.
    if (copies > kMaxStmts / body.count)
      return Refuse(inner, StrCat("that would make ", copies, " copies of ", body.count,
                                  " statements, at most ", kMaxStmts, " statements"));
    std::vector<Stmt> stmts;
    for (int64_t i = 0; i < copies; ++i) {
      const Substitution at{loop->var.get(), Add(loop->range.min, MakeInt(i * step->value))};
      stmts.push_back(FreshNames().MutateStmt(Substitute(loop->body, {&at, 1})));
    }
    return MakeBlock(std::move(stmts));
  }

 private:
  Stmt Refuse(const Stmt& stmt, std::string_view why) {
    diagnostics_
        ->Error("E0514", StrCat("the loop over '", stmt->As<For>()->var->name,
                                "' cannot be unrolled: ", why))
        .At(stmt->span)
        .Help("split the axis first and unroll the inner part");
    return stmt;
  }

  const Simplifier& simplifier_;
  text::Diagnostics* diagnostics_;
};

}  // namespace

LoopFunction UnrollLoops(const LoopFunction& function, const PassContext& context) {
  LoopFunction out = function;
  const Simplifier simplifier(function);
  out.body = Unroller(simplifier, context.diagnostics).MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
