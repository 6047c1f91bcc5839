// SPDX-License-Identifier: Apache-2.0
#include "core/loop/analysis/inside.h"

#include "core/loop/analysis/linear_form.h"
#include "core/loop/visitor.h"

namespace tern::loop {

namespace {

// Whether the index grows with the variable or does not depend on it. Then its extremes are at the
// variable's extremes.
bool GrowsWith(const Expr& index, const Var* var) {
  const LinearForm form = LinearFormOf(index);
  return !form.overflow && !form.HidesVar(var) && form.CoefficientOf(var) >= 0;
}

}  // namespace

bool IsInsideBuffer(const Simplifier& simplifier, std::span<const For* const> around,
                    const Expr& index, const Buffer& buffer) {
  if (index->type != kIndexType) return false;
  // Both ends start as the index itself; each loop's variable is replaced by its first or its last
  // value, innermost loop first, until only sizes are left.
  Expr low = index, high = index;
  for (size_t i = around.size(); i-- > 0;) {
    const For& loop = *around[i];
    const Var* var = loop.var.get();
    // The range of an inner loop may have put this variable into one of the two alone.
    if (!GrowsWith(low, var) || !GrowsWith(high, var)) return false;
    const Substitution first{var, loop.range.min};
    const Substitution last{var, Sub(Add(loop.range.min, loop.range.extent), MakeInt(1))};
    low = Substitute(low, {&first, 1});
    high = Substitute(high, {&last, 1});
  }
  Expr count = MakeInt(1);
  for (const Expr& extent : buffer.shape) count = Mul(count, extent);
  // Proven for every value of the sizes, not for one call's.
  return simplifier.ProvesAtLeast(low, MakeInt(0)) && simplifier.ProvesLess(high, count);
}

}  // namespace tern::loop
