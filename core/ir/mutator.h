// SPDX-License-Identifier: Apache-2.0
// ValueMutator: a value made again of other operands and other blocks. It is what passes that walk
// bindings themselves use for the nodes that they have nothing of their own to say about; Rewriter
// (rewriter.h) walks whole functions.
#ifndef TERN_CORE_IR_MUTATOR_H_
#define TERN_CORE_IR_MUTATOR_H_

#include "core/ir/expr.h"

namespace tern::ir {

class ValueMutator {
 public:
  virtual ~ValueMutator();
  // What stands for an operand, a callee that is a variable included.
  virtual Expr MutateAtom(const Expr& atom) { return atom; }
  // What stands for a branch.
  virtual LetPtr MutateBlock(const LetPtr& block) { return block; }

  // The value with what stands for its operands and branches, in the order of the Make function's
  // parameters; the same pointer where none is another. Names, and what is inside a lambda or a
  // block, stay.
  Expr Descend(const Expr& value);
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_MUTATOR_H_
