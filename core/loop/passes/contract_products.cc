// SPDX-License-Identifier: Apache-2.0
// a * b + c of floats becomes mad(a, b, c) in relaxed programs, which backends that can round once.
// What others read too is a variable by now (share_values), so that no product is computed twice.
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// Bottom up, so that a chain a*b + (c*d + e) becomes one mad inside another. Where both operands
// are products, the right one is taken: which of the two is rounded on its own must not depend on a
// backend.
class Contractor : public Mutator {
 public:
  Expr MutateExpr(const Expr& expr) override {
    const Expr inner = Descend(expr);
    const Binary* sum = inner->As<Binary>();
    // 16-bit floats are rounded after each step on every backend.
    if (sum == nullptr || sum->op != BinaryOp::kAdd || !sum->type.is_float() ||
        sum->type.bits() < 32)
      return inner;
    if (IsProduct(sum->b)) return Contracted(sum->b, sum->a);
    return IsProduct(sum->a) ? Contracted(sum->a, sum->b) : inner;
  }

 private:
  static bool IsProduct(const Expr& expr) {
    const Binary* binary = expr->As<Binary>();
    return binary != nullptr && binary->op == BinaryOp::kMul;
  }
  static Expr Contracted(const Expr& product, const Expr& addend) {
    const Binary* binary = product->As<Binary>();
    return MakeCall(Intrinsic::kMulAdd, {binary->a, binary->b, addend});
  }
};

}  // namespace

LoopFunction ContractProducts(const LoopFunction& function, const PassContext&) {
  if (!function.relaxed) return function;
  LoopFunction out = function;
  out.body = Contractor().MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
