// SPDX-License-Identifier: Apache-2.0
// Simplifier: what can be said about int64 scalar expressions without running them.
//
// It knows that vscale lies in 1..16, that size parameters are at least 0, and the ranges of the
// variables it is told of. Proofs are by linear forms and intervals: true means proven, false means
// nothing. Wrapping is not considered: index arithmetic that wraps has left every buffer long
// before.
#ifndef TERN_CORE_LOOP_ANALYSIS_SIMPLIFIER_H_
#define TERN_CORE_LOOP_ANALYSIS_SIMPLIFIER_H_

#include <unordered_map>

#include "core/loop/analysis/interval.h"
#include "core/loop/stmt.h"

namespace tern::loop {

class Simplifier {
 public:
  explicit Simplifier(const LoopFunction& function);
  Simplifier() = default;

  // min <= var < min + extent, for a loop or an axis.
  void Bind(const Var* var, const Expr& min, const Expr& extent);
  void Bind(const Var* var, Interval interval) { bounds_[var] = interval; }
  void Forget(const Var* var) { bounds_.erase(var); }

  Interval BoundsOf(const Expr& expr) const;
  bool ProvesAtLeast(const Expr& a, const Expr& b) const;       // a >= b
  bool ProvesLess(const Expr& a, const Expr& b) const;          // a < b
  bool ProvesMultiple(const Expr& expr, const Expr& of) const;  // expr = k * of, of > 0

  // The same value, shorter. Any type; index arithmetic, constants and conditions are folded.
  Expr Simplify(const Expr& expr) const;

 private:
  friend class Rewriter;
  Expr SimplifyNode(const Expr& expr) const;
  Expr SimplifyIndex(const Expr& expr) const;
  Expr SimplifyDivision(const Binary& binary) const;
  Expr SimplifyMinMax(const Binary& binary) const;
  Expr SimplifyCompare(const Binary& binary) const;
  Expr SimplifyLogic(const Binary& binary) const;

  std::unordered_map<const Var*, Interval> bounds_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_ANALYSIS_SIMPLIFIER_H_
