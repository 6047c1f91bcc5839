// SPDX-License-Identifier: Apache-2.0
// One walk over the function: declarations become atoms of the prover, conditions become facts, and
// every index becomes two proofs (not negative, below the extent). The text may come from an
// attacker, so what cannot be shown is refused, and the work is bounded by the prover's steps.
#include "core/loop_kernels/check_accesses.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/loop/text/printer.h"
#include "core/loop/visitor.h"
#include "core/loop_kernels/prover.h"
#include "core/vm/kernel_function.h"

namespace tern::loop {
namespace {

constexpr size_t kMaxComplaints = 8;
// Iterations of a nest when all sizes are 1. More than that nobody's input asked for: such a loop
// would keep compiled code, which cannot be stopped, running for ever.
constexpr int64_t kMaxFixedTrips = int64_t{1} << 32;

class AccessChecker : public Visitor {
 public:
  AccessChecker(LoopOrigin origin, text::Diagnostics* diagnostics)
      : origin_(origin), diagnostics_(diagnostics) {}

  void Run(const LoopFunction& function) {
    for (const VarPtr& size : function.sizes)
      values_.emplace(size.get(), prover_.NewSize(size->name, vm::kMaxKernelExtent));
    for (const VarPtr& scalar : function.scalars)
      values_.emplace(scalar.get(),
                      prover_.NewAtom(scalar->name, RangeOfType(scalar->type.element())));
    VisitStmt(function.body);
    if (prover_.exhausted())
      Complain(function.span, "there is too much to show about its indices").Help(kHelp);
  }

  void VisitExpr(const Expr& expr) override {
    if (const Load* load = expr->As<Load>())
      CheckAccess("load of", *load->buffer, load->indices, expr->span, load->predicate != nullptr);
    Descend(expr);
  }

  void VisitStmt(const Stmt& stmt) override {
    if (complaints_ >= kMaxComplaints || prover_.exhausted()) return;
    switch (stmt->kind) {
      case StmtKind::kFor: return CheckFor(*stmt->As<For>(), stmt->span);
      case StmtKind::kIf: return CheckIf(*stmt->As<If>());
      case StmtKind::kStore: {
        const Store& store = *stmt->As<Store>();
        CheckAccess("store to", *store.buffer, store.indices, stmt->span,
                    store.predicate != nullptr);
        break;
      }
      case StmtKind::kWhile:
        Complain(stmt->span, "a `while` loop need not end").Help("use `for`");
        return;
      case StmtKind::kAllocate:
        if (origin_ == LoopOrigin::kText) UndefinedMemory(*stmt->As<Allocate>());
        break;
      case StmtKind::kBlock:
      case StmtKind::kLet:
      case StmtKind::kAssign: break;
    }
    Descend(stmt);
    if (const Let* let = stmt->As<Let>()) Declare(*let);
  }

 private:
  static constexpr std::string_view kHelp =
      "only the reference interpreter, which checks as it runs, takes such a kernel";

  text::Diagnostic& Complain(text::Span span, std::string_view message) {
    ++complaints_;
    return diagnostics_->Error(kNotProven, message).At(span);
  }

  // What memory holds before it is written is for the compiler to choose, anew at every use.
  void UndefinedMemory(const Allocate& stmt) {
    Complain(stmt.span,
             StrCat("the local buffer '", stmt.buffer->name, "' may be read before it is written"))
        .Help(kHelp);
  }

  // Mutable variables and vectors stay unknown: uses of them become atoms without range.
  void Declare(const Let& let) {
    if (let.is_mutable || let.var->type.is_vector()) return;
    if (let.var->type.is_int() || let.var->type.is_bool())
      values_.insert_or_assign(let.var.get(), ValueOf(let.value));
  }

  void CheckFor(const For& loop, text::Span span) {
    VisitExpr(loop.range.min);
    VisitExpr(loop.range.extent);
    VisitExpr(loop.range.step);
    const Polynomial low = ValueOf(loop.range.min), extent = ValueOf(loop.range.extent);
    const Polynomial one = Polynomial::Constant(1);
    // Bounds that wrap say nothing about where the loop runs.
    const bool bounded = prover_.Fits(low) && prover_.Fits(extent) && prover_.Fits(low + extent);
    if (bounded) CheckStep(loop, low + extent);
    const int64_t outer_trips = trips_;
    if (__builtin_mul_overflow(
            trips_, bounded ? std::max<int64_t>(prover_.MostAtOne(extent), 1) : INT64_MAX, &trips_))
      trips_ = INT64_MAX;
    if (trips_ > kMaxFixedTrips) {
      Complain(span, bounded ? StrCat("the loop over '", loop.var->name,
                                      "' runs very often however small the inputs are")
                             : StrCat("the loop over '", loop.var->name, "' has no known end"))
          .Help(kHelp);
    } else {
      const Prover::Scope scope = prover_.Open();
      // Inside of the body there is an iteration, so the extent is at least 1.
      prover_.Assume(extent - one);
      values_.insert_or_assign(loop.var.get(),
                               prover_.NewAtom(loop.var->name, low, low + extent - one));
      VisitStmt(loop.body);
      prover_.Close(scope);
    }
    trips_ = outer_trips;
  }

  // Other steps leave the range of the variable, at its begin or by going round behind its end.
  void CheckStep(const For& loop, const Polynomial& end) {
    const Polynomial step = ValueOf(loop.range.step);
    if (prover_.Fits(step) && prover_.ProvesAtLeast(step, 1) && prover_.Fits(end + step)) return;
    Complain(loop.range.step->span, StrCat("the loop over '", loop.var->name,
                                           "' has a step that may not be positive, or too large: ",
                                           loop::ToText(loop.range.step)))
        .Help(kHelp);
  }

  void CheckIf(const If& branch) {
    VisitExpr(branch.condition);
    const Prover::Scope scope = prover_.Open();
    AssumeHolds(branch.condition, true);
    VisitStmt(branch.then_body);
    prover_.Close(scope);
    if (!branch.else_body) return;
    // Close has dropped the fact of the other branch; its scope is open for this one.
    AssumeHolds(branch.condition, false);
    VisitStmt(branch.else_body);
    prover_.Close(scope);
  }

  void AssumeHolds(const Expr& condition, bool holds) {
    if (const Not* negation = condition->As<Not>()) return AssumeHolds(negation->value, !holds);
    const Binary* binary = condition->As<Binary>();
    if (binary == nullptr) return;
    // `a and b` holds if both do, `a or b` fails if both do.
    if (binary->type == kBoolType && binary->op == (holds ? BinaryOp::kAnd : BinaryOp::kOr)) {
      AssumeHolds(binary->a, holds);
      AssumeHolds(binary->b, holds);
    }
    const bool is_compare = InfoOf(binary->op).op_class == BinaryClass::kCompare;
    if (is_compare && (binary->a->type == kIndexType || IsNarrow(binary->a->type)))
      AssumeCompare(*binary, holds);
  }

  void AssumeCompare(const Binary& compare, bool holds) {
    const Polynomial a = ValueOf(compare.a), b = ValueOf(compare.b);
    const Polynomial one = Polynomial::Constant(1);
    // A comparison of wrapped numbers says nothing about the polynomials.
    if (!IsTrue(a) || !IsTrue(b)) return;
    const auto less = [&](const Polynomial& x, const Polynomial& y) {
      prover_.Assume(y - x - one);
    };
    const auto at_most = [&](const Polynomial& x, const Polynomial& y) { prover_.Assume(y - x); };
    switch (compare.op) {
      case BinaryOp::kLt: return holds ? less(a, b) : at_most(b, a);
      case BinaryOp::kLe: return holds ? at_most(a, b) : less(b, a);
      case BinaryOp::kGt: return holds ? less(b, a) : at_most(a, b);
      case BinaryOp::kGe: return holds ? at_most(b, a) : less(a, b);
      case BinaryOp::kEq:
      case BinaryOp::kNe:
        if (holds != (compare.op == BinaryOp::kEq)) return;
        at_most(a, b);
        return at_most(b, a);
#define TERN_LOOP_ARITHMETIC(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_INTEGER(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_LOGIC(Name, ...) case BinaryOp::k##Name:
#include "core/loop/binary_ops.def"
        return;
    }
  }

  // Whether the polynomial is the very number that the program computes, and not only equal modulo
  // 2^64: a sum that fits, or a single atom.
  bool IsTrue(const Polynomial& value) const {
    if (value.lost()) return false;
    const std::vector<Monomial>& m = value.monomials();
    const bool is_atom = m.size() == 1 && m[0].coefficient == 1 && m[0].atoms.size() == 1;
    return is_atom || prover_.Fits(value);
  }

  // --- values

  // Modulo 2^64 what the program computes.
  Polynomial ValueOf(const Expr& expr) {
    if (const IntImm* constant = AsInt(expr)) {
      // Unsigned constants above INT64_MAX are negative here and become atoms.
      if (RangeOfType(expr->type.element()).low <= constant->value || expr->type == kIndexType)
        return Polynomial::Constant(constant->value);
    }
    if (const Var* var = expr->As<Var>()) {
      const auto found = values_.find(var);
      if (found != values_.end()) return found->second;
    }
    if (const Cast* cast = expr->As<Cast>()) {
      const bool widens = cast->value->type.is_int() || cast->value->type.is_bool();
      if (expr->type == kIndexType && widens && cast->value->type.element() != kU64)
        return ValueOf(cast->value);
    }
    if (const Binary* binary = expr->As<Binary>()) {
      if (expr->type == kIndexType) return ValueOfBinary(*binary);
      if (IsNarrow(expr->type)) return NarrowValue(expr->type, ValueOfBinary(*binary));
    }
    // Anything else is an atom with the range of its type, new at every use: nothing is known to be
    // equal.
    return prover_.NewAtom(expr->As<Load>() != nullptr ? loop::ToText(expr) : "a value",
                           RangeOfType(expr->type.element()));
  }

  static bool IsNarrow(DataType type) {
    return type.is_scalar() && type.is_int() && type.bits() < 64;
  }

  // Arithmetic of narrower types wraps sooner: nothing is known of what does not fit.
  Polynomial NarrowValue(DataType type, const Polynomial& value) {
    const Interval range = RangeOfType(type.element()), got = prover_.RangeOf(value);
    if (!value.lost() && got.low >= range.low && got.high <= range.high) return value;
    return prover_.NewAtom("a value", range);
  }

  Polynomial ValueOfBinary(const Binary& binary) {
    const Polynomial a = ValueOf(binary.a), b = ValueOf(binary.b);
    switch (binary.op) {
      case BinaryOp::kAdd: return a + b;
      case BinaryOp::kSub: return a - b;
      case BinaryOp::kMul: return a * b;
      case BinaryOp::kDiv:
      case BinaryOp::kMod: {
        // Division is not compatible with wrapping, so operands must be true numbers.
        if (!prover_.Fits(a) || !prover_.Fits(b) || !prover_.ProvesAtLeast(b, 1)) break;
        const Polynomial quotient = prover_.Quotient(a, b);
        return binary.op == BinaryOp::kDiv ? quotient : a - b * quotient;
      }
      case BinaryOp::kMin:
        if (IsTrue(a) && IsTrue(b)) return prover_.Least(a, b);
        break;
      case BinaryOp::kMax:
        if (IsTrue(a) && IsTrue(b)) return prover_.Greatest(a, b);
        break;
#define TERN_LOOP_INTEGER(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_COMPARE(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_LOGIC(Name, ...) case BinaryOp::k##Name:
#include "core/loop/binary_ops.def"
        break;
    }
    return prover_.NewAtom("a value", {});
  }

  // --- accesses

  void CheckAccess(std::string_view what, const Buffer& buffer, std::span<const Expr> indices,
                   text::Span span, bool predicated) {
    if (complaints_ >= kMaxComplaints) return;
    const bool has_vectors = std::any_of(indices.begin(), indices.end(),
                                         [](const Expr& index) { return index->type.is_vector(); });
    if (predicated || has_vectors) {
      Complain(span, StrCat("a ", what, " '", buffer.name, "' by vectors or under a mask"))
          .Help("kernels are written without vectors; a schedule makes them");
      return;
    }
    std::vector<Polynomial> extents;
    for (const Expr& extent : buffer.shape) extents.push_back(ValueOf(extent));
    // Fewer indices than dimensions: the one index counts elements.
    if (indices.size() != extents.size()) {  // by the number of the element
      Polynomial all = Polynomial::Constant(1);
      for (const Polynomial& extent : extents) all = all * extent;
      extents = {all};
    }
    for (size_t i = 0; i < indices.size(); ++i)
      CheckIndex(what, buffer, i, {indices[i], extents[i], span});
  }

  struct IndexCheck {
    const Expr& index;
    const Polynomial& extent;
    text::Span span;
  };

  void CheckIndex(std::string_view what, const Buffer& buffer, size_t dim, const IndexCheck& at) {
    const Polynomial value = ValueOf(at.index);
    const bool low = prover_.ProvesAtLeast(value, 0);
    if (low && prover_.ProvesAtLeast(at.extent - value, 1)) return;
    Complain(at.index->span.valid() ? at.index->span : at.span,
             StrCat("a ", what, " '", buffer.name, "' that may lie outside: index ",
                    loop::ToText(at.index), " of dimension ", dim, " reaches from ",
                    prover_.LowText(value), " to ", prover_.HighText(value), ", the extent is ",
                    prover_.ToText(at.extent)))
        .Help(kHelp);
  }

  LoopOrigin origin_;
  text::Diagnostics* diagnostics_;
  Prover prover_;
  std::unordered_map<const Var*, Polynomial> values_;
  int64_t trips_ = 1;
  size_t complaints_ = 0;
};

}  // namespace

void CheckAccesses(const LoopFunction& function, LoopOrigin origin,
                   text::Diagnostics* diagnostics) {
  AccessChecker(origin, diagnostics).Run(function);
}

}  // namespace tern::loop
