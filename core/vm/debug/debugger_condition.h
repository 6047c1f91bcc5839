// SPDX-License-Identifier: Apache-2.0
// Expressions over registers: conditions of breakpoints, and what the console prints.
//
//   %3 > 10 && %x[0, 1] == 1.5        registers by number or by name, elements
//   rank(%x) == 2 && shape(%x)[0] >= n(…)
//
// Literals are ints, floats, true, false, none and "text". Operators, loosest first: ||, &&,
// comparisons, + -, * / %, unary - and !; brackets index tensors, shapes, tuples and lists.
// Functions of one value: rank, shape, dtype, size (elements, items, fields), bytes, min, max,
// mean, nan, inf (how many), abs, type, refs. Names: step, pc, depth, hits, function. A tensor of
// one element is a number where a number is wanted; float and int mix.
#ifndef TERN_CORE_VM_DEBUG_DEBUGGER_CONDITION_H_
#define TERN_CORE_VM_DEBUG_DEBUGGER_CONDITION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/object/any.h"

namespace tern::vm {

// Where names get their values: a frame of some state.
class ConditionScope {
 public:
  virtual Result<Any> Register(uint32_t index) const = 0;
  virtual Result<Any> NamedRegister(std::string_view name) const = 0;
  // step, pc, depth, hits, function.
  virtual Result<Any> Name(std::string_view name) const = 0;

 protected:
  ~ConditionScope() = default;
};

class Condition {
 public:
  // Errors point at the column and say what was expected.
  static Result<Condition> Parse(std::string_view text);

  Result<Any> Evaluate(const ConditionScope& scope) const;
  // The value must be a bool or a number.
  Result<bool> IsTrue(const ConditionScope& scope) const;
  const std::string& text() const { return text_; }

 private:
  friend class ConditionParser;
  enum class Kind : uint8_t { kLiteral, kRegister, kNamed, kName, kCall, kIndex, kUnary, kBinary };
  struct Node {
    Kind kind = Kind::kLiteral;
    Any value;           // of a literal
    std::string text;    // name, function or operator
    uint32_t index = 0;  // of a register
    std::vector<uint32_t> children;
  };

  Result<Any> EvaluateNode(uint32_t node, const ConditionScope& scope) const;
  Result<Any> EvaluateBinary(const Node& node, const ConditionScope& scope) const;
  Result<Any> EvaluateIndex(const Node& node, const ConditionScope& scope) const;

  std::string text_;
  std::vector<Node> nodes_;  // children before parents; the last is the root
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEBUGGER_CONDITION_H_
