// SPDX-License-Identifier: Apache-2.0
// A walk that knows of each integer between which numbers it lies, and counts a loop as often as it
// can run at most. Counts saturate: INT64_MAX is more than anybody waits for.
#include "core/loop_kernels/kernel_cost.h"

#include <algorithm>
#include <unordered_map>

#include "core/loop/analysis/interval.h"

namespace tern::loop {
namespace {

// Sums and products that overflow are the nearest end of int64.
int64_t Add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}
int64_t Multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX)
                                                : product;
}

// Counts by intervals: what an index or an extent can be at most.
class Counter {
 public:
  Counter(const LoopFunction& function, std::span<const int64_t> slots) {
    size_t next = 0;
    for (const VarPtr& size : function.sizes) Bind(*size, slots[next++]);
    for (const VarPtr& scalar : function.scalars) {
      const int64_t value = slots[next++];
      // The bits above a narrow scalar's are not its own; its type says enough.
      if (scalar->type == kIndexType) Bind(*scalar, value);
    }
  }

  // A statement counts 1, a branch the longer side, a loop its body as often as it can run.
  int64_t Count(const Stmt& stmt) {
    if (!stmt) return 0;
    if (const For* loop = stmt->As<For>()) return CountLoop(*loop);
    if (const If* branch = stmt->As<If>())
      return Add(1, std::max(Count(branch->then_body), Count(branch->else_body)));
    // How often a while loop runs cannot be told from its text.
    if (stmt->kind == StmtKind::kWhile) return INT64_MAX;
    if (const Let* let = stmt->As<Let>(); let != nullptr && !let->is_mutable)
      ranges_[let->var.get()] = Evaluate(let->value);
    int64_t total = 1;
    if (const Block* block = stmt->As<Block>()) {
      for (const Stmt& part : block->stmts) total = Add(total, Count(part));
    }
    return total;
  }

 private:
  void Bind(const Var& var, int64_t value) { ranges_[&var] = {value, value}; }

  int64_t CountLoop(const For& loop) {
    const Interval min = Evaluate(loop.range.min), extent = Evaluate(loop.range.extent);
    const int64_t most = std::max<int64_t>(extent.high, 0);
    // A step of unknown sign counts as 1, the slowest.
    const int64_t step = std::max<int64_t>(Evaluate(loop.range.step).low, 1);
    ranges_[loop.var.get()] = {min.low, Add(min.high, std::max<int64_t>(most - 1, 0))};
    return Multiply(most / step + (most % step != 0 ? 1 : 0), Add(1, Count(loop.body)));
  }

  Interval Evaluate(const Expr& expr) {
    if (const IntImm* constant = expr->As<IntImm>()) return {constant->value, constant->value};
    if (const Var* var = expr->As<Var>()) {
      const auto found = ranges_.find(var);
      if (found != ranges_.end()) return found->second;
    }
    if (const Binary* binary = expr->As<Binary>(); binary != nullptr && expr->type.is_int())
      return Within(EvaluateBinary(*binary), expr->type.element());
    if (const Select* select = expr->As<Select>()) {
      const Interval a = Evaluate(select->a), b = Evaluate(select->b);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    if (const Cast* cast = expr->As<Cast>(); cast != nullptr && cast->value->type.is_int())
      return Within(Evaluate(cast->value), expr->type.element());
    return RangeOfType(expr->type.element());
  }

  // A value that leaves its type wraps around and may then be anything of the type.
  static Interval Within(const Interval& value, DType type) {
    const Interval all = RangeOfType(type);
    return !IsBounded(value) || value.low < all.low || value.high > all.high ? all : value;
  }

  Interval EvaluateBinary(const Binary& binary) {
    const Interval a = Evaluate(binary.a), b = Evaluate(binary.b);
    switch (binary.op) {
      case BinaryOp::kAdd: return Plus(a, b);
      case BinaryOp::kSub: return Plus(a, Times(b, {-1, -1}));
      case BinaryOp::kMul: return Times(a, b);
      case BinaryOp::kMin: return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case BinaryOp::kMax: return {std::max(a.low, b.low), std::max(a.high, b.high)};
      case BinaryOp::kDiv:
        // Signs would make four cases; sizes have none.
        if (a.low < 0 || b.low < 1) return {};
        return {a.low / b.high, a.high / b.low};
      case BinaryOp::kMod:
        if (a.low < 0 || b.low < 1) return {};
        return {0, std::min(a.high, b.high - 1)};
#define TERN_LOOP_INTEGER(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_COMPARE(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_LOGIC(Name, ...) case BinaryOp::k##Name:
#include "core/loop/binary_ops.def"
        break;
    }
    return {};
  }

  std::unordered_map<const Var*, Interval> ranges_;
};

}  // namespace

// slots: sizes, then scalars, as a call passes them.
int64_t MostStatements(const LoopFunction& function, std::span<const int64_t> slots) {
  return Counter(function, slots).Count(function.body);
}

}  // namespace tern::loop
