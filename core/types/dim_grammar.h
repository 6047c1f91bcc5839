// SPDX-License-Identifier: Apache-2.0
// DimGrammar: the text form of dimensions. Types read symbolic dimensions with it, signatures of
// the machine look at theirs, and calls compute them.
//
//   2*n+1  (h-1)/2  max(m, n)  floordiv(n, 2)  -n+k  ?
//
// Operators are + - and, binding tighter, * / %; a '-' in front belongs to its operand alone. / and
// % round down, so that (n - 1) / 2 is right for n = 0. Names may hold dots.
//
// An Algebra says what the values are:
//   using Value = …;
//   Value Number(int64_t number);
//   Value Symbol(std::string_view name);
//   Value Unknown();                       of ?
//   Value Negate(const Value& a);
//   Value Apply(DimOperator op, const Value& a, const Value& b);
#ifndef TERN_CORE_TYPES_DIM_GRAMMAR_H_
#define TERN_CORE_TYPES_DIM_GRAMMAR_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/names.h"
#include "core/base/strings.h"
#include "core/text/precedence.h"
#include "core/text/scanner.h"

namespace tern::types {

enum class DimOperator : uint8_t { kAdd, kSub, kMul, kFloorDiv, kCeilDiv, kMod, kMin, kMax };

// Of one line and without comments: n // 2 is a mistake, and not n.
inline constexpr text::TextForm kDimForm{.word_marks = ".", .marks = "+-*/%"};

template <class Algebra>
class DimGrammar {
 public:
  using Value = typename Algebra::Value;

  DimGrammar(const text::Scanner& in, Algebra* algebra)
      : in_(in.text(), kDimForm, in.at()), algebra_(algebra) {}
  const text::Scanner& scanner() const { return in_; }

  Value Sum() { return text::ParseOperators(*this); }

  // --- what ParseOperators asks for

  struct Chain {
    DimOperator op = DimOperator::kAdd;
  };
  int PeekPrecedence() {
    const std::string_view op = in_.PeekOperator();
    return op.empty() ? 0 : op == "+" || op == "-" ? 1 : 2;
  }
  bool TakeOperator(Chain* chain) {
    switch (in_.Take(in_.PeekOperator())[0]) {
      case '+': chain->op = DimOperator::kAdd; break;
      case '-': chain->op = DimOperator::kSub; break;
      case '*': chain->op = DimOperator::kMul; break;
      case '/': chain->op = DimOperator::kFloorDiv; break;
      default: chain->op = DimOperator::kMod; break;
    }
    return true;
  }
  Value Join(Chain* chain, const Value& a, const Value& b) {
    return algebra_->Apply(chain->op, a, b);
  }
  // Every recursion passes here, so counting here bounds all of it: texts come from files.
  Value ParseOperand() {
    if (++depth_ > kMaxDepth) in_.Fail("fewer nested parentheses");
    Value value = in_.ok() ? Operand() : algebra_->Unknown();
    --depth_;
    return value;
  }

 private:
  static constexpr int kMaxDepth = 64;

  Value Fail(std::string_view expected) { return in_.Fail(expected), algebra_->Unknown(); }

  Value Operand() {
    if (in_.Accept('?')) return algebra_->Unknown();
    if (in_.Accept('-')) return algebra_->Negate(ParseOperand());
    if (in_.Accept('(')) {
      Value inner = Sum();
      in_.Expect(")");
      return inner;
    }
    const std::string_view word = in_.PeekWord();
    const size_t begin = in_.at();
    if (IsDigit(in_.Here())) {
      const std::optional<int64_t> number = ParseInt64(word);
      if (!number.has_value()) return Fail("a number of at most 63 bits");
      return in_.Take(word), algebra_->Number(*number);
    }
    if (!IsNameStart(in_.Here())) return Fail("a number, a symbol or '('");
    in_.Take(word);
    // Functions are words only before a parenthesis, so that symbols may have their names.
    return in_.Accept('(') ? Call(begin, word) : algebra_->Symbol(word);
  }

  Value Call(size_t begin, std::string_view name) {
    constexpr std::pair<std::string_view, DimOperator> kFunctions[] = {
        {"floordiv", DimOperator::kFloorDiv},
        {"ceildiv", DimOperator::kCeilDiv},
        {"min", DimOperator::kMin},
        {"max", DimOperator::kMax}};
    const Value a = Sum();
    in_.Expect(",");
    const Value b = Sum();
    in_.Expect(")");
    for (const auto& [function, op] : kFunctions) {
      if (function == name) return algebra_->Apply(op, a, b);
    }
    in_.FailSince(begin, StrCat("expected floordiv, ceildiv, min or max, got '", name, "'"));
    return algebra_->Unknown();
  }

  text::Scanner in_;
  Algebra* algebra_;
  int depth_ = 0;
};

}  // namespace tern::types

#endif  // TERN_CORE_TYPES_DIM_GRAMMAR_H_
