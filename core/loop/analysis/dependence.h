// SPDX-License-Identifier: Apache-2.0
// Whether the iterations of a loop may run as lanes of a vector: statement after statement, each
// for all lanes at once, loads before the store, lanes stored in order.
//
// Buffers do not overlap, so only accesses of one buffer matter. Two of them are compared by the
// linear forms of their flat indices. What cannot be proven harmless is refused.
#ifndef TERN_CORE_LOOP_ANALYSIS_DEPENDENCE_H_
#define TERN_CORE_LOOP_ANALYSIS_DEPENDENCE_H_

#include <string>
#include <unordered_set>
#include <vector>

#include "core/loop/analysis/simplifier.h"
#include "core/loop/stmt.h"

namespace tern::loop {

// A value that every iteration folds something into: `acc = acc + e`, or `C[k] = C[k] + e` where k
// is the same in every iteration. Vectorized by one partial result per lane.
struct ReductionUpdate {
  Stmt stmt;  // the Assign or Store
  BinaryOp op = BinaryOp::kAdd;
  Expr value;            // e
  bool negated = false;  // acc - e
  Expr mul_a, mul_b;     // acc = mad(a, b, acc), where not null
  // Where one of them does not hold, no iteration touches the element, which need not be there.
  // They are the same in every iteration.
  std::vector<Expr> conditions;
};

struct LoopDependences {
  std::vector<ReductionUpdate> reductions;
  std::string problem;  // "" where the loop may be vectorized
  text::Span where;

  const ReductionUpdate* ReductionOf(const StmtNode* stmt) const;
};

// lanes: of a fixed vector, so that dependences over a longer distance are harmless; 0 for vectors
// of unknown length.
// around: the loops that it is in, outermost first.
LoopDependences AnalyzeLoop(const For& loop, std::span<const For* const> around, int64_t lanes,
                            const Simplifier& simplifier);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_ANALYSIS_DEPENDENCE_H_
