// SPDX-License-Identifier: Apache-2.0
#include "core/loop/analysis/dependence.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/analysis/inside.h"
#include "core/loop/analysis/linear_form.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// One load or store of the body.
struct Access {
  const Buffer* buffer;
  Expr index;
  bool is_store;
  int order;  // of the statement
  text::Span span;
};

// Gathers the accesses of the body in the order of its text, its inner loops, and its assignments
// to what is declared outside. Refuses what no vector body can hold.
class Collector : public Visitor {
 public:
  std::vector<Access> accesses;
  std::vector<const For*> inner_loops;
  std::vector<Stmt> outer_assigns;
  std::string problem;
  text::Span where;

  void VisitExpr(const Expr& expr) override {
    if (const Load* load = expr->As<Load>()) {
      if (load->predicate || load->type.is_vector()) Refuse(expr->span, "it already holds vectors");
      accesses.push_back({load->buffer.get(), load->index(), false, order_, expr->span});
    }
    if (expr->type.is_vector()) Refuse(expr->span, "it already holds vectors");
    Descend(expr);
  }

  void VisitStmt(const Stmt& stmt) override {
    ++order_;
    switch (stmt->kind) {
      case StmtKind::kFor:
        inner_loops.push_back(stmt->As<For>());
        // A schedule may vectorize a loop around one that is vectorized already.
        if (stmt->As<For>()->traits.kind == ForKind::kVectorized ||
            stmt->As<For>()->traits.kind == ForKind::kVectorizeScalable)
          Refuse(stmt->span, StrCat("the loop over '", stmt->As<For>()->var->name,
                                    "' inside it is vectorized too"));
        break;
      case StmtKind::kWhile: Refuse(stmt->span, "it holds a while loop"); break;
      case StmtKind::kAllocate:
        Refuse(stmt->span, StrCat("it holds the local buffer '", stmt->As<Allocate>()->buffer->name,
                                  "', one for all lanes"));
        break;
      case StmtKind::kLet: own_.insert(stmt->As<Let>()->var.get()); break;
      case StmtKind::kAssign:
        if (!own_.contains(stmt->As<Assign>()->var.get())) outer_assigns.push_back(stmt);
        break;
      case StmtKind::kStore:
      case StmtKind::kIf:
      case StmtKind::kBlock: break;
    }
    if (const If* branch = stmt->As<If>()) return VisitBranch(*branch);
    if (const For* loop = stmt->As<For>()) return VisitLoop(*loop);
    // Children first: the loads of a store's value come before the store.
    Descend(stmt);
    if (const Store* store = stmt->As<Store>()) {
      if (store->predicate) Refuse(stmt->span, "it already holds vectors");
      accesses.push_back({store->buffer.get(), store->index(), true, order_, stmt->span});
      stores.push_back({stmt, conditions_});
    }
  }
  struct StorePlace {
    Stmt stmt;
    std::vector<Expr> conditions;  // where one of them does not hold, it does not run
  };
  std::vector<StorePlace> stores;
  bool Owns(const Var* var) const { return own_.contains(var); }

 private:
  void Refuse(text::Span span, std::string why) {
    if (!problem.empty()) return;
    problem = std::move(why);
    where = span;
  }
  void VisitBranch(const If& branch) {
    VisitExpr(branch.condition);
    conditions_.push_back(branch.condition);
    VisitStmt(branch.then_body);
    // The same place in the list: what follows stands in the else branch.
    conditions_.back() = MakeNot(branch.condition);
    if (branch.else_body) VisitStmt(branch.else_body);
    conditions_.pop_back();
  }
  void VisitLoop(const For& loop) {
    VisitAll(std::vector<Expr>{loop.range.min, loop.range.extent, loop.range.step});
    // The body of an inner loop runs only where its extent is positive.
    conditions_.push_back(MakeBinary(BinaryOp::kGt, loop.range.extent, MakeInt(0)));
    VisitStmt(loop.body);
    conditions_.pop_back();
  }

  std::unordered_set<const Var*> own_;
  std::vector<Expr> conditions_;  // of the ifs and loops around
  int order_ = 0;
};

// Recognizes acc = acc op e in one of its forms (acc - e and mad(a, b, acc) are additions); is_self
// tells acc. Only operators whose order of folding the program gives away may be regrouped
// (WhyNotReduction).
template <class IsSelf>
bool MatchUpdate(const Expr& value, const IsSelf& is_self, ReductionUpdate* update) {
  if (const Call* call = value->As<Call>()) {
    if (call->intrinsic != Intrinsic::kMulAdd || !is_self(call->args[2])) return false;
    update->op = BinaryOp::kAdd;
    update->mul_a = call->args[0];
    update->mul_b = call->args[1];
    return true;
  }
  const Binary* binary = value->As<Binary>();
  if (binary == nullptr) return false;
  update->negated = binary->op == BinaryOp::kSub;
  update->op = update->negated ? BinaryOp::kAdd : binary->op;
  if (!WhyNotReduction(update->op, value->type).empty()) return false;
  const bool left = is_self(binary->a);
  // a - acc is no fold; for the others the accumulator may stand on either side.
  if (!left && (update->negated || !is_self(binary->b))) return false;
  update->value = left ? binary->b : binary->a;
  return true;
}

bool SameElement(const Load& load, const Store& store) {
  return load.buffer == store.buffer && SameExpr(load.index(), store.index());
}

// Dependence tests on one loop. Two accesses conflict if they touch one element in different
// iterations and one of them writes; vectors keep some such orders and break others, which
// CheckDistance tells apart.
class Analysis {
 public:
  Analysis(const For& loop, std::span<const For* const> around, int64_t lanes,
           const Simplifier& simplifier)
      : loop_(loop), around_(around), lanes_(lanes), simplifier_(simplifier) {}

  LoopDependences Run() {
    facts_.VisitStmt(loop_.body);
    if (!facts_.problem.empty()) {
      Refuse(facts_.where, facts_.problem);
      return std::move(out_);
    }
    if (!IsInt(loop_.range.step, 1)) Refuse(loop_.body->span, "its step is not 1");
    for (const For* inner : facts_.inner_loops) CheckInnerLoop(*inner);
    for (const Stmt& stmt : facts_.outer_assigns) FindAssignReduction(stmt);
    // Reductions are found before pairs are compared, because pairs of theirs are excepted.
    for (const Collector::StorePlace& place : facts_.stores) CheckStore(place);
    // Quadratic in the accesses, which are few: a body is written by hand or fused from a group.
    for (size_t i = 0; i < facts_.accesses.size(); ++i) {
      for (size_t j = i + 1; j < facts_.accesses.size(); ++j)
        CheckPair(facts_.accesses[i], facts_.accesses[j]);
    }
    return std::move(out_);
  }

 private:
  void Refuse(text::Span span, std::string why) {
    if (!out_.problem.empty()) return;
    out_.problem = std::move(why);
    out_.where = span;
  }

  // Whether the value may differ from iteration to iteration.
  bool Varies(const Expr& expr) const {
    class Finder : public Visitor {
     public:
      Finder(const Var* var, const Collector& facts) : var_(var), facts_(facts) {}
      void VisitExpr(const Expr& expr) override {
        const Var* var = expr->As<Var>();
        found |= var != nullptr && (var == var_ || facts_.Owns(var));
        if (!found) Descend(expr);
      }
      bool found = false;

     private:
      const Var* var_;
      const Collector& facts_;
    };
    Finder finder(loop_.var.get(), facts_);
    finder.VisitExpr(expr);
    return finder.found;
  }

  void CheckInnerLoop(const For& inner) {
    for (const Expr& bound : {inner.range.min, inner.range.extent, inner.range.step}) {
      if (HasLoads(bound))
        Refuse(inner.body->span, StrCat("the bounds of the loop over '", inner.var->name,
                                        "' inside it are read from memory"));
    }
    if (Varies(inner.range.min) || Varies(inner.range.extent) || Varies(inner.range.step))
      Refuse(inner.body->span, StrCat("the bounds of the loop over '", inner.var->name,
                                      "' inside it differ from iteration to iteration"));
  }

  void FindAssignReduction(const Stmt& stmt) {
    const Assign& assign = *stmt->As<Assign>();
    const Var* var = assign.var.get();
    ReductionUpdate update;
    update.stmt = stmt;
    // A value that reads acc besides, acc = acc + acc * x, is no fold of independent terms.
    const bool fits = MatchUpdate(
        assign.value, [&](const Expr& e) { return e.get() == var; }, &update);
    const bool uses_itself =
        fits && ((update.value && UsesVar(update.value, var)) ||
                 (update.mul_a && (UsesVar(update.mul_a, var) || UsesVar(update.mul_b, var))));
    if (!fits || uses_itself || UsesElsewhere(var, stmt))
      return Refuse(stmt->span, StrCat("iterations depend on each other through '", var->name,
                                       "', and not as a reduction"));
    out_.reductions.push_back(std::move(update));
  }

  // Whether the body reads or writes var outside of the statement.
  bool UsesElsewhere(const Var* var, const Stmt& update) const {
    class Finder : public Visitor {
     public:
      Finder(const Var* var, const StmtNode* skip) : var_(var), skip_(skip) {}
      void VisitStmt(const Stmt& stmt) override {
        const Assign* assign = stmt->As<Assign>();
        if (stmt.get() == skip_) return;
        found |= assign != nullptr && assign->var.get() == var_;
        Descend(stmt);
      }
      void VisitExpr(const Expr& expr) override {
        found |= expr.get() == var_;
        Descend(expr);
      }
      bool found = false;

     private:
      const Var* var_;
      const StmtNode* skip_;
    };
    Finder finder(var, update.get());
    finder.VisitStmt(loop_.body);
    return finder.found;
  }

  // A store whose index does not vary is a reduction or an error. Of a store whose index varies,
  // the pairs say whether it keeps its order.
  void CheckStore(const Collector::StorePlace& place) {
    const Stmt& stmt = place.stmt;
    const Store& store = *stmt->As<Store>();
    if (Varies(store.index())) return CheckOwnElements(store, stmt->span);
    if (UsesInner(store.index()))
      return Refuse(stmt->span, StrCat("every iteration writes the same elements of '",
                                       store.buffer->name, "' in the loops inside it"));
    ReductionUpdate update;
    update.stmt = stmt;
    const auto is_self = [&](const Expr& e) {
      const Load* load = e->As<Load>();
      return load != nullptr && SameElement(*load, store);
    };
    if (!MatchUpdate(store.value, is_self, &update))
      return Refuse(stmt->span, StrCat("every iteration writes the same element of '",
                                       store.buffer->name, "', and not as a reduction"));
    // Its own load and store. A third access would see partial results.
    const size_t uses = static_cast<size_t>(
        std::count_if(facts_.accesses.begin(), facts_.accesses.end(),
                      [&](const Access& access) { return access.buffer == store.buffer.get(); }));
    if (uses != 2)
      return Refuse(stmt->span,
                    StrCat("'", store.buffer->name, "' is used beside the reduction into it"));
    // Elements that exist may always be folded into: lanes that are off add the identity. Otherwise
    // the fold must not touch the element where no iteration did.
    if (!IsInsideBuffer(simplifier_, around_, store.index(), *store.buffer))
      FindConditions(place, &update);
    out_.reductions.push_back(std::move(update));
  }

  // What must hold for the element to be touched at all.
  void FindConditions(const Collector::StorePlace& place, ReductionUpdate* update) {
    std::vector<Expr> conditions = place.conditions;
    // Without iterations, nothing is touched.
    conditions.push_back(MakeBinary(BinaryOp::kGt, loop_.range.extent, MakeInt(0)));
    for (const Expr& each : conditions) {
      const Expr condition = simplifier_.Simplify(each);
      if (IsInt(condition, 1)) continue;
      if (Varies(condition) || UsesInner(condition) || HasLoads(condition))
        return Refuse(place.stmt->span,
                      StrCat("the element of '", place.stmt->As<Store>()->buffer->name,
                             "' that it folds into is there under a condition that is not the "
                             "same in all iterations"));
      update->conditions.push_back(condition);
    }
  }

  bool IsReduction(const Buffer* buffer) const {
    for (const ReductionUpdate& update : out_.reductions) {
      const Store* store = update.stmt->As<Store>();
      if (store != nullptr && store->buffer.get() == buffer) return true;
    }
    return false;
  }

  // Whether inner loops vary an index.
  bool UsesInner(const Expr& index) const {
    return std::any_of(facts_.inner_loops.begin(), facts_.inner_loops.end(),
                       [&](const For* inner) { return UsesVar(index, inner->var.get()); });
  }

  // An index as var * stride + rest.
  struct Split {
    Expr stride;  // index = var * stride + rest; null where it is not of that form
    LinearForm rest;
  };
  Split SplitIndex(const Expr& index) const {
    Split split;
    const LinearForm form = LinearFormOf(index);
    if (form.overflow) return split;
    split.rest.constant = form.constant;
    LinearForm stride;
    for (const LinearTerm& term : form.terms) {
      const Binary* product = term.term->As<Binary>();
      if (term.term.get() == loop_.var.get()) {
        stride.constant += term.coefficient;
      } else if (product != nullptr && product->op == BinaryOp::kMul &&
                 (product->a.get() == loop_.var.get() || product->b.get() == loop_.var.get())) {
        const Expr& factor = product->a.get() == loop_.var.get() ? product->b : product->a;
        if (Varies(factor)) return split;
        // A symbolic stride, as of a row of m elements.
        stride.AddTerm(factor, term.coefficient);
      } else if (Varies(term.term)) {
        // A term that depends on the variable in another way: the index is not linear.
        return split;
      } else {
        split.rest.AddTerm(term.term, term.coefficient);
      }
    }
    split.stride = stride.ToExpr();
    return split;
  }

  // Whether no two iterations write one element although inner loops make the statement write many.
  // Either the way that inner loops go stays below the stride, so that iterations own blocks one
  // after the other; or inner loops move in multiples of what the whole loop fills, so that
  // iterations own columns.
  bool IterationsAreApart(const Split& split) const {
    if (!split.stride) return false;
    Simplifier simplifier = simplifier_;
    for (const For* inner : facts_.inner_loops)
      simplifier.Bind(inner->var.get(), inner->range.min, inner->range.extent);
    LinearForm moving, fixed;
    for (const LinearTerm& term : split.rest.terms)
      (UsesInner(term.term) ? moving : fixed).AddTerm(term.term, term.coefficient);
    // The greatest and the least index by putting in the bounds of inner variables, which is right
    // where the index grows with each; `grows` makes sure of that.
    Expr highest = moving.ToExpr(), lowest = highest;
    for (const For* inner : facts_.inner_loops) {
      const Substitution low{inner->var.get(), inner->range.min};
      const Substitution high{inner->var.get(),
                              Sub(Add(inner->range.min, inner->range.extent), MakeInt(1))};
      highest = Substitute(highest, {&high, 1});
      lowest = Substitute(lowest, {&low, 1});
    }
    bool grows = true;
    for (const LinearTerm& term : moving.terms)
      grows &= term.coefficient > 0 && simplifier.BoundsOf(term.term).low >= 0;
    const Expr way = simplifier.Simplify(Sub(highest, lowest));
    if (grows && simplifier.ProvesLess(way, split.stride)) return true;
    const Expr filled = simplifier.Simplify(Mul(split.stride, loop_.range.extent));
    return std::all_of(moving.terms.begin(), moving.terms.end(), [&](const LinearTerm& term) {
      const Expr step = Mul(term.term, MakeInt(term.coefficient));
      return simplifier.ProvesMultiple(step, filled) ||
             ProvesFactor(term.term, loop_.range.extent, split.stride);
    });
  }

  // k * extent with a stride of 1, where the extent may be 0 and so is no divisor.
  static bool ProvesFactor(const Expr& term, const Expr& extent, const Expr& stride) {
    const Binary* product = term->As<Binary>();
    return IsInt(stride, 1) && product != nullptr && product->op == BinaryOp::kMul &&
           (SameExpr(product->a, extent) || SameExpr(product->b, extent));
  }

  void CheckOwnElements(const Store& store, text::Span span) {
    if (!UsesInner(store.index())) return;  // lanes are stored in order
    if (!IterationsAreApart(SplitIndex(store.index())))
      Refuse(span, StrCat("two iterations may write the same element of '", store.buffer->name,
                          "' from the loops inside it"));
  }

  void CheckPair(const Access& first, const Access& second) {
    if (first.buffer != second.buffer || (!first.is_store && !second.is_store)) return;
    if (IsReduction(first.buffer)) return;
    const Split a = SplitIndex(first.index), b = SplitIndex(second.index);
    const std::string name = first.buffer->name;
    const text::Span span = first.is_store ? second.span : first.span;
    if (!a.stride || !b.stride)
      return Refuse(span, StrCat("it reads and writes '", name,
                                 "', and one index is not linear in the loop's variable"));
    LinearForm difference = b.rest;
    difference.AddForm(a.rest, -1);
    const bool same_stride = SameExpr(a.stride, b.stride);
    const bool inner = UsesInner(first.index) || UsesInner(second.index);
    if (same_stride && !inner && IsPastTheLoop(difference, a.stride)) return;
    if (!same_stride || !difference.is_constant())
      return Refuse(span, StrCat("it cannot be told whether iterations meet in '", name, "'"));
    if (inner) {
      if (difference.constant != 0 || !IterationsAreApart(a))
        Refuse(span, StrCat("iterations may meet in '", name, "' through the loops inside it"));
      return;
    }
    CheckDistance(first, second, a.stride, difference.constant);
  }

  // Whether indices so far apart are not both reached by the loop: in two rows of a matrix, say,
  // when the loop goes along a row.
  bool IsPastTheLoop(const LinearForm& difference, const Expr& stride) const {
    if (difference.overflow) return false;
    LinearForm negated;
    negated.AddForm(difference, -1);
    const Expr reach = simplifier_.Simplify(Mul(stride, loop_.range.extent));
    return simplifier_.BoundsOf(stride).low >= 0 &&
           (simplifier_.ProvesAtLeast(difference.ToExpr(), reach) ||
            (!negated.overflow && simplifier_.ProvesAtLeast(negated.ToExpr(), reach)));
  }

  // second's index is first's plus `difference`: iteration i of second meets iteration
  // i + difference / stride of first.
  void CheckDistance(const Access& first, const Access& second, const Expr& stride,
                     int64_t difference) {
    if (difference == 0) return;  // the same iteration, in the order of the text
    const IntImm* step = AsInt(stride);
    if (step == nullptr)
      return Refuse(second.span, StrCat("it cannot be told whether iterations meet in '",
                                        first.buffer->name, "'"));
    if (step->value == 0) return;  // different elements, each the same in every iteration
    // Such as even and odd elements: they never meet.
    if (difference % step->value != 0) return;
    const int64_t distance = difference / step->value;
    // Farther apart than a vector is long: the vectors' order is the iterations' order.
    if (lanes_ > 0 && (distance >= lanes_ || distance <= -lanes_)) return;
    // In a vector, the first statement runs for all lanes before the second one does (and a
    // statement's loads run before its store). That is the order of iterations where the first
    // access's iteration comes no later than the second's. An inner loop runs the text again, so
    // that neither order holds.
    if (distance < 0 && facts_.inner_loops.empty()) return;
    Refuse(second.is_store ? first.span : second.span,
           StrCat("iteration i meets iteration i ", distance < 0 ? "- " : "+ ",
                  distance < 0 ? -distance : distance, " in '", first.buffer->name,
                  "', which vectors would do in another order"));
  }

  const For& loop_;
  std::span<const For* const> around_;
  int64_t lanes_;
  const Simplifier& simplifier_;
  Collector facts_;
  LoopDependences out_;
};

}  // namespace

const ReductionUpdate* LoopDependences::ReductionOf(const StmtNode* stmt) const {
  for (const ReductionUpdate& update : reductions) {
    if (update.stmt.get() == stmt) return &update;
  }
  return nullptr;
}

LoopDependences AnalyzeLoop(const For& loop, std::span<const For* const> around, int64_t lanes,
                            const Simplifier& simplifier) {
  return Analysis(loop, around, lanes, simplifier).Run();
}

}  // namespace tern::loop
