// SPDX-License-Identifier: Apache-2.0
#include "core/loop/analysis/parallel.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/analysis/linear_form.h"
#include "core/loop/analysis/simplifier.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// An access to a buffer that is declared outside of the loop: others see it.
struct StoreAccess {
  const Buffer* buffer;
  std::vector<Expr> indices;
  bool is_store;
  text::Span span;
};

// What the body of a loop does to what is declared outside of it. Whatever is declared inside
// exists once per iteration and cannot conflict.
class BodyFacts : public Visitor {
 public:
  BodyFacts(const For& loop, Simplifier* simplifier) : simplifier_(*simplifier) {
    inside_.insert(loop.var.get());
    VisitStmt(loop.body);
  }

  std::vector<StoreAccess> accesses;
  const Assign* outer_assign = nullptr;
  text::Span assign_span;

  bool IsInside(const void* declared) const { return inside_.contains(declared); }
  // Whether the value is the same wherever the body is.
  bool IsInvariant(const Expr& expr) const {
    class Finder : public Visitor {
     public:
      explicit Finder(const BodyFacts& facts) : facts_(facts) {}
      void VisitExpr(const Expr& expr) override {
        found |= expr->kind == ExprKind::kLoad || facts_.IsInside(expr.get());
        if (!found) Descend(expr);
      }
      bool found = false;

     private:
      const BodyFacts& facts_;
    };
    Finder finder(*this);
    finder.VisitExpr(expr);
    return !finder.found;
  }

  void VisitExpr(const Expr& expr) override {
    if (const Load* load = expr->As<Load>()) Add(load->buffer, load->indices, false, expr->span);
    Descend(expr);
  }

  void VisitStmt(const Stmt& stmt) override {
    switch (stmt->kind) {
      case StmtKind::kFor: {
        const For& inner = *stmt->As<For>();
        simplifier_.Bind(inner.var.get(), inner.range.min, inner.range.extent);
        // Several loops have one variable: nothing is known about its range where it is used.
        if (!inside_.insert(inner.var.get()).second) simplifier_.Forget(inner.var.get());
        break;
      }
      case StmtKind::kLet: inside_.insert(stmt->As<Let>()->var.get()); break;
      case StmtKind::kAllocate: inside_.insert(stmt->As<Allocate>()->buffer.get()); break;
      case StmtKind::kAssign:
        if (outer_assign == nullptr && !IsInside(stmt->As<Assign>()->var.get())) {
          outer_assign = stmt->As<Assign>();
          assign_span = stmt->span;
        }
        break;
      case StmtKind::kStore: {
        const Store& store = *stmt->As<Store>();
        Add(store.buffer, store.indices, true, stmt->span);
        break;
      }
      case StmtKind::kWhile:
      case StmtKind::kIf:
      case StmtKind::kBlock: break;
    }
    Descend(stmt);
  }

 private:
  void Add(const BufferPtr& buffer, const std::vector<Expr>& indices, bool is_store,
           text::Span span) {
    if (!IsInside(buffer.get())) accesses.push_back({buffer.get(), indices, is_store, span});
  }

  Simplifier& simplifier_;
  std::unordered_set<const void*> inside_;  // variables and buffers
};

// The value x where some of the indices are x / e and x % e, as of a fused axis: the pair of them
// is different for different x. Unfuse replaces the pair by x in the list.
struct Unfused {
  Expr value;
  Expr divisor;
};
std::optional<Unfused> Unfuse(std::vector<Expr>* indices) {
  for (size_t i = 0; i < indices->size(); ++i) {
    const Binary* quotient = (*indices)[i]->As<Binary>();
    if (quotient == nullptr || quotient->op != BinaryOp::kDiv) continue;
    for (size_t j = 0; j < indices->size(); ++j) {
      const Binary* remainder = (*indices)[j]->As<Binary>();
      if (remainder == nullptr || remainder->op != BinaryOp::kMod) continue;
      if (!SameExpr(quotient->a, remainder->a) || !SameExpr(quotient->b, remainder->b)) continue;
      const Unfused found = {quotient->a, quotient->b};
      (*indices)[i] = found.value;
      indices->erase(indices->begin() + static_cast<ptrdiff_t>(j));
      return found;
    }
  }
  return std::nullopt;
}

// Proves that iterations of one loop touch different elements. It needs no order, unlike
// vectorizing: any meeting of iterations is refused, because threads have no order.
class ParallelCheck {
 public:
  ParallelCheck(const Stmt& loop, Simplifier simplifier)
      : place_(loop->span),
        loop_(*loop->As<For>()),
        simplifier_(std::move(simplifier)),
        facts_(loop_, &simplifier_) {}

  void Run(text::Diagnostics* diagnostics) {
    if (facts_.outer_assign != nullptr)
      return Refuse(diagnostics, facts_.assign_span,
                    StrCat("every iteration assigns '", facts_.outer_assign->var->name,
                           "', which is declared outside of it"));
    // Each buffer is complained of once.
    std::unordered_set<const Buffer*> seen;
    for (const StoreAccess& access : facts_.accesses) {
      if (!access.is_store || !seen.insert(access.buffer).second) continue;
      if (IsApart(access.buffer)) continue;
      Refuse(diagnostics, access.span,
             StrCat("it cannot be shown that no two iterations touch the same element of '",
                    access.buffer->name, "'"));
    }
  }

 private:
  void Refuse(text::Diagnostics* diagnostics, text::Span span, std::string_view why) const {
    text::Diagnostic& error = diagnostics->Error(
        kCannotRunAtOnce,
        StrCat("the loop over '", loop_.var->name, "' cannot run in parallel: ", why));
    error.At(place_).Help("make another loop parallel, or this one serial");
    if (span.valid()) error.Mark(span, "here");
  }

  // Whether no two iterations touch the same element of a buffer. One dimension in which they are
  // apart suffices; where none does, fused indices are joined and the dimensions are tried again.
  // Each round takes one index away, so it ends.
  bool IsApart(const Buffer* buffer) const {
    std::vector<std::vector<Expr>> all;
    for (const StoreAccess& access : facts_.accesses) {
      if (access.buffer == buffer) all.push_back(access.indices);
    }
    for (;;) {
      const bool same_rank = std::all_of(all.begin(), all.end(), [&](const auto& indices) {
        return indices.size() == all[0].size();
      });
      if (!same_rank) return false;
      for (size_t d = 0; d < all[0].size(); ++d) {
        if (TellsApart(all, d)) return true;
      }
      if (!UnfuseAll(&all)) return false;
    }
  }

  // All accesses must have been fused by the same divisor, otherwise their values cannot be
  // compared.
  bool UnfuseAll(std::vector<std::vector<Expr>>* all) const {
    Expr divisor;
    for (std::vector<Expr>& indices : *all) {
      const std::optional<Unfused> found = Unfuse(&indices);
      if (!found.has_value() || !facts_.IsInvariant(found->divisor)) return false;
      if (divisor && !SameExpr(divisor, found->divisor)) return false;
      divisor = found->divisor;
    }
    return true;
  }

  // Index d of every access is c * var + invariant + rest, with one c and one invariant. Iterations
  // are c * step apart, so that they do not meet if all rests lie within less than that.
  bool TellsApart(const std::vector<std::vector<Expr>>& all, size_t d) const {
    const IntImm* step = AsInt(loop_.range.step);
    if (step == nullptr) return false;
    int64_t coefficient = 0;
    Interval rests{INT64_MAX, INT64_MIN};
    LinearForm invariant;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i][d]->type != kIndexType) return false;
      const LinearForm form = LinearFormOf(all[i][d]);
      if (form.overflow || form.HidesVar(loop_.var.get())) return false;
      LinearForm same, rest;
      Divide(form, &same, &rest);
      const Interval bounds = simplifier_.BoundsOf(rest.ToExpr());
      rests = {std::min(rests.low, bounds.low), std::max(rests.high, bounds.high)};
      const int64_t own = form.CoefficientOf(loop_.var.get());
      if (i == 0) {
        coefficient = own;
        invariant = same;
        continue;
      }
      same.AddForm(invariant, -1);
      if (own != coefficient || !same.is_constant() || same.constant != 0) return false;
    }
    int64_t apart = 0, spread = 0;
    if (__builtin_mul_overflow(coefficient, step->value, &apart)) return false;
    if (__builtin_sub_overflow(rests.high, rests.low, &spread)) return false;
    // A loop may also go through the buffer from its end.
    return apart > 0 ? spread < apart : apart < -spread;
  }

  // Without the loop variable: what is the same in all iterations, and the rest with the constant.
  void Divide(const LinearForm& form, LinearForm* same, LinearForm* rest) const {
    for (const LinearTerm& term : form.terms) {
      if (term.term.get() == loop_.var.get()) continue;
      (facts_.IsInvariant(term.term) ? same : rest)->AddTerm(term.term, term.coefficient);
    }
    rest->constant = form.constant;
  }

  text::Span place_;
  const For& loop_;
  Simplifier simplifier_;
  BodyFacts facts_;
};

class ParallelLoops : public Visitor {
 public:
  ParallelLoops(const LoopFunction& function, text::Diagnostics* diagnostics)
      : simplifier_(function), diagnostics_(diagnostics) {}

  void VisitStmt(const Stmt& stmt) override {
    if (const For* loop = stmt->As<For>()) {
      // Bound before the body is looked at, and kept: variables of different loops differ.
      simplifier_.Bind(loop->var.get(), loop->range.min, loop->range.extent);
      if (loop->traits.kind == ForKind::kParallel)
        ParallelCheck(stmt, simplifier_).Run(diagnostics_);
    }
    Descend(stmt);
  }

 private:
  Simplifier simplifier_;
  text::Diagnostics* diagnostics_;
};

}  // namespace

void CheckParallelLoops(const LoopFunction& function, text::Diagnostics* diagnostics) {
  ParallelLoops(function, diagnostics).VisitStmt(function.body);
}

}  // namespace tern::loop
