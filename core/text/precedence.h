// SPDX-License-Identifier: Apache-2.0
// Binary operators read by precedence climbing, for text forms of any tokens.
//
// A grammar gives:
//   using Chain = …;                   what it keeps for one chain of operators; made empty
//   Value ParseOperand();
//   int PeekPrecedence();              of the operator that is next, higher binds tighter; 0: none
//   bool TakeOperator(Chain* chain);   moves behind it and notes which it is; false ends the chain
//   Value Join(Chain* chain, Value left, Value right);
// Operators of one precedence nest to the left.
#ifndef TERN_CORE_TEXT_PRECEDENCE_H_
#define TERN_CORE_TEXT_PRECEDENCE_H_

#include <utility>

namespace tern::text {

template <class Grammar>
auto ParseOperators(Grammar& grammar, int least = 1);

// The same, where the first operand was read already.
template <class Grammar, class Value>
Value ExtendOperators(Grammar& grammar, Value left, int least = 1) {
  typename Grammar::Chain chain{};
  for (;;) {
    const int precedence = grammar.PeekPrecedence();
    if (precedence == 0 || precedence < least || !grammar.TakeOperator(&chain)) return left;
    // One higher, so that an equal one that follows is this chain's.
    Value right = ParseOperators(grammar, precedence + 1);
    left = grammar.Join(&chain, std::move(left), std::move(right));
  }
}

// Operands and operators of at least the precedence `least`.
template <class Grammar>
auto ParseOperators(Grammar& grammar, int least) {
  return ExtendOperators(grammar, grammar.ParseOperand(), least);
}

}  // namespace tern::text

#endif  // TERN_CORE_TEXT_PRECEDENCE_H_
