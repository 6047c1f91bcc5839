// SPDX-License-Identifier: Apache-2.0
// Formulas of operators, found in bindings however they were written. A pattern is written with the
// operators of C++ and the functions below:
//
//   x * 0.5 * (1 + Apply(Op::k_erf, x * 0.7071))
//
// Products and sums are found in any order and grouping, numbers among them wherever they stand.
// A quotient is a product with an inverse, `pow` of 2 or 3 one of equal factors. A product in
// parentheses behind a `*` is a factor of its own: a value that several others may read. A part
// that stands several times is the same value each time. Patterns are made while compiling.
#ifndef TERN_CORE_IR_PASSES_PATTERN_H_
#define TERN_CORE_IR_PASSES_PATTERN_H_

#include <array>
#include <vector>

#include "core/ir/expr.h"
#include "core/ir/node_map.h"

namespace tern::ir {

struct Pattern {
  enum class Kind : uint8_t { kNumber, kEpsilon, kValue, kSum, kProduct, kFunction };
  // In prefix order; more of them than kMostSteps do not compile. Numbers are no parts of a sum or
  // product: `number` is what they make together, and with `any_number` the epsilon.
  struct Step {
    Kind kind = Kind::kNumber;
    bool any_number = false;
    uint8_t slot = 0;   // of a value
    uint8_t parts = 0;  // that follow
    ops::Op op{};       // of a function
    float number = 0;
  };
  static constexpr size_t kMostSteps = 40;

  constexpr Pattern() = default;
  constexpr Pattern(double number)  // NOLINT(google-explicit-constructor): for formulas
      : Pattern(Step{.number = static_cast<float>(number)}) {}
  constexpr explicit Pattern(const Step& step) : size(1) { steps[0] = step; }

  constexpr Pattern& Append(const Pattern& part) {
    for (size_t i = 0; i < part.size; ++i) steps[size++] = part.steps[i];
    return *this;
  }
  constexpr void Join(const Pattern& part) {
    Step& root = steps[0];
    if (part.steps[0].kind == Kind::kEpsilon) {
      root.any_number = true;
    } else if (part.steps[0].kind == Kind::kNumber) {
      const float number = part.steps[0].number;
      root.number = root.kind == Kind::kSum ? root.number + number : root.number * number;
    } else {
      ++root.parts;
      Append(part);
    }
  }

  Step steps[kMostSteps] = {};
  size_t size = 0;
};

constexpr Pattern Value(uint8_t slot) {
  return Pattern(Pattern::Step{.kind = Pattern::Kind::kValue, .slot = slot});
}
// Any number, in a sum.
constexpr Pattern Epsilon() { return Pattern(Pattern::Step{.kind = Pattern::Kind::kEpsilon}); }
constexpr Pattern Apply(ops::Op op, const Pattern& operand) {
  return Pattern(Pattern::Step{.kind = Pattern::Kind::kFunction, .parts = 1, .op = op})
      .Append(operand);
}
// Over trailing axes that stay as extents of 1, the same ones in all of a pattern.
constexpr Pattern Mean(const Pattern& operand) { return Apply(ops::Op::k_reduce_mean, operand); }
// A sum or product that `a` may be already, and `b`.
constexpr Pattern Joined(Pattern::Kind kind, const Pattern& a, const Pattern& b) {
  Pattern all = a;
  if (a.steps[0].kind != kind) {
    const float neutral = kind == Pattern::Kind::kSum ? 0 : 1;
    all = Pattern(Pattern::Step{.kind = kind, .number = neutral});
    all.Join(a);
  }
  all.Join(b);
  return all;
}
constexpr Pattern operator+(const Pattern& a, const Pattern& b) {
  return Joined(Pattern::Kind::kSum, a, b);
}
constexpr Pattern operator*(const Pattern& a, const Pattern& b) {
  return Joined(Pattern::Kind::kProduct, a, b);
}
constexpr Pattern operator-(const Pattern& a, const Pattern& b) {
  Pattern difference = Apply(ops::Op::k_sub, a);
  ++difference.steps[0].parts;
  return difference.Append(b);
}

// What a pattern was found to stand for.
struct PatternMatch {
  static constexpr size_t kSlots = 3;
  std::array<Expr, kSlots> values;  // by slot
  double epsilon = 0;
  int first_axis = -1;               // of the means
  std::vector<const Node*> members;  // variables of the calls that it consists of, the root's first
};

// Calls by variable, of one block; how often a function uses each atom.
using CallsByVar = NodeMap<const Call*>;
using UsesByAtom = NodeMap<int>;

// Whether `root` is what the pattern says. Members but the root are of the same block, and read by
// other members only.
bool FindPattern(const Pattern& pattern, const Expr& root, const CallsByVar& calls,
                 const UsesByAtom& uses, PatternMatch* match);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_PATTERN_H_
