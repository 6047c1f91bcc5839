// SPDX-License-Identifier: Apache-2.0
// OnceMutator: a mutator that rewrites each node once, bottom up, so that nodes which several
// parents share stay shared. Expressions of emitters are graphs: a conversion is long, and walking
// it once for each path to it would take time without bound.
#ifndef TERN_CORE_LOOP_EMIT_ONCE_MUTATOR_H_
#define TERN_CORE_LOOP_EMIT_ONCE_MUTATOR_H_

#include <unordered_map>
#include <utility>

#include "core/loop/visitor.h"

namespace tern::loop {

class OnceMutator : public Mutator {
 public:
  Expr MutateExpr(const Expr& expr) final {
    const auto found = done_.find(expr.get());
    if (found != done_.end()) return found->second.second;
    Expr result = Rewrite(expr);
    done_.emplace(expr.get(), std::pair(expr, result));
    return result;
  }

 protected:
  // Calls MutateExpr for what is inside.
  virtual Expr Rewrite(const Expr& expr) = 0;

 private:
  // The key's node is kept alive, or its address could come back as another's.
  std::unordered_map<const ExprNode*, std::pair<Expr, Expr>> done_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_ONCE_MUTATOR_H_
