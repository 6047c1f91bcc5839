// SPDX-License-Identifier: Apache-2.0
// BodyVectorizer: the statements of a loop body for all lanes of a vector at once.
//
// The loop variable becomes ramp(base, 1, lanes). What does not depend on it stays scalar; where a
// scalar meets a vector it is broadcast. A condition that differs between lanes becomes a mask:
// loads and stores under it are predicated, assignments select. Arithmetic is never masked.
#ifndef TERN_CORE_LOOP_PASSES_VECTORIZE_BODY_H_
#define TERN_CORE_LOOP_PASSES_VECTORIZE_BODY_H_

#include <unordered_map>
#include <unordered_set>

#include "core/loop/analysis/dependence.h"
#include "core/loop/visitor.h"

namespace tern::loop {

class BodyVectorizer {
 public:
  BodyVectorizer(const LoopDependences& dependences, Lanes lanes);

  // `base` stands for the loop variable of the first lane; tail: null, or the lanes that exist.
  Stmt Vectorize(const For& loop, const Expr& base, Expr tail);

  // Before the loop: one partial result per lane. After it: folded into the real ones.
  std::vector<Stmt> DeclarePartials();
  std::vector<Stmt> FoldPartials() const;
  // The other's partial results, lane by lane, into these.
  std::vector<Stmt> TakePartials(const BodyVectorizer& other) const;
  // Whether a condition or the tail masks anything.
  bool uses_masks() const { return uses_masks_; }

 private:
  Expr Vector(const Expr& expr);  // a scalar where nothing differs between lanes
  Expr Widen(const Expr& expr);   // always a vector
  Expr VectorIndex(const Binary& binary, Expr a, Expr b);
  Expr VectorBinary(const Binary& binary);
  Expr VectorLoad(const Load& load);
  Stmt VectorStmt(const Stmt& stmt);
  Stmt VectorStore(const Store& store);
  Stmt VectorIf(const If& branch);
  Stmt VectorLet(const Let& let);
  Stmt VectorAssign(const Assign& assign);
  Stmt VectorReduction(const ReductionUpdate& update);
  bool Differs(const Expr& expr) const;
  // Neither different between lanes nor to be kept from running where no lane would.
  bool StaysScalar(const Expr& expr) const;
  Expr Rename(const Expr& expr) const;
  void FindVectorVars(const Stmt& body);
  Expr MemoryMask() const;
  Expr Both(const Expr& a, const Expr& b) const;

  const LoopDependences& dependences_;
  Lanes lanes_;
  const Var* loop_var_ = nullptr;
  Expr ramp_, tail_, condition_;
  bool uses_masks_ = false;
  std::unordered_set<const Var*> differs_;          // variables of the body that become vectors
  std::unordered_map<const Var*, VarPtr> renamed_;  // all that the body declares, as it met them
  struct Partial {
    const ReductionUpdate* update;
    VarPtr var;
  };
  std::vector<Partial> partials_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_PASSES_VECTORIZE_BODY_H_
