// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic over the bounds of loops (Moore, "Interval Analysis", 1966). Ends saturate,
// and a saturated end stands for "unknown".
#include "core/loop_kernels/kernel_cost.h"

#include <algorithm>
#include <unordered_map>

namespace tern::loop {
namespace {

// Values that an expression can have; without bounds any of int64.
struct Range {
  int64_t low = INT64_MIN, high = INT64_MAX;
};

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

Range RangeOf(DType type) {
  if (type.is_bool()) return {0, 1};
  if (!type.is_int() || type.bits >= 64) return {};
  const int64_t half = int64_t{1} << (type.bits - 1);
  return type.is_signed_int() ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

// The extremes of a product are at corners.
Range Product(const Range& a, const Range& b) {
  const int64_t ends[] = {Multiply(a.low, b.low), Multiply(a.low, b.high), Multiply(a.high, b.low),
                          Multiply(a.high, b.high)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
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
    const Range min = Evaluate(loop.range.min), extent = Evaluate(loop.range.extent);
    const int64_t most = std::max<int64_t>(extent.high, 0);
    // A step of unknown sign counts as 1, the slowest.
    const int64_t step = std::max<int64_t>(Evaluate(loop.range.step).low, 1);
    ranges_[loop.var.get()] = {min.low, Add(min.high, std::max<int64_t>(most - 1, 0))};
    return Multiply(most / step + (most % step != 0 ? 1 : 0), Add(1, Count(loop.body)));
  }

  Range Evaluate(const Expr& expr) {
    if (const IntImm* constant = expr->As<IntImm>()) return {constant->value, constant->value};
    if (const Var* var = expr->As<Var>()) {
      const auto found = ranges_.find(var);
      if (found != ranges_.end()) return found->second;
    }
    if (const Binary* binary = expr->As<Binary>(); binary != nullptr && expr->type.is_int())
      return Within(EvaluateBinary(*binary), expr->type.element());
    if (const Select* select = expr->As<Select>()) {
      const Range a = Evaluate(select->a), b = Evaluate(select->b);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    if (const Cast* cast = expr->As<Cast>(); cast != nullptr && cast->value->type.is_int())
      return Within(Evaluate(cast->value), expr->type.element());
    return RangeOf(expr->type.element());
  }

  // A value that leaves its type wraps around and may then be anything of the type.
  static Range Within(const Range& value, DType type) {
    const Range all = RangeOf(type);
    const bool ends = value.low == INT64_MIN || value.high == INT64_MAX;
    return ends || value.low < all.low || value.high > all.high ? all : value;
  }

  Range EvaluateBinary(const Binary& binary) {
    const Range a = Evaluate(binary.a), b = Evaluate(binary.b);
    switch (binary.op) {
      case BinaryOp::kAdd: return {Add(a.low, b.low), Add(a.high, b.high)};
      case BinaryOp::kSub:
        return {Add(a.low, Multiply(b.high, -1)), Add(a.high, Multiply(b.low, -1))};
      case BinaryOp::kMul: return Product(a, b);
      case BinaryOp::kMin: return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case BinaryOp::kMax: return {std::max(a.low, b.low), std::max(a.high, b.high)};
      case BinaryOp::kDiv:
        // Signs would make four cases; sizes have none.
        if (a.low < 0 || b.low < 1) return {};
        return {a.low / b.high, a.high / b.low};
      case BinaryOp::kMod:
        if (a.low < 0 || b.low < 1) return {};
        return {0, std::min(a.high, b.high - 1)};
      case BinaryOp::kShl:
      case BinaryOp::kShr:
      case BinaryOp::kLt:
      case BinaryOp::kLe:
      case BinaryOp::kGt:
      case BinaryOp::kGe:
      case BinaryOp::kEq:
      case BinaryOp::kNe:
      case BinaryOp::kAnd:
      case BinaryOp::kXor:
      case BinaryOp::kOr: break;
    }
    return {};
  }

  std::unordered_map<const Var*, Range> ranges_;
};

}  // namespace

// slots: sizes, then scalars, as a call passes them.
int64_t MostStatements(const LoopFunction& function, std::span<const int64_t> slots) {
  return Counter(function, slots).Count(function.body);
}

}  // namespace tern::loop
