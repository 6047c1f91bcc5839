// SPDX-License-Identifier: Apache-2.0
// Recursive descent over a dimension's text, which it computes while it reads. It runs at calls and
// its texts come from files, so it allocates no tree, limits its depth, and checks every operation
// for overflow. The first mistake ends it.
#include "core/vm/dimension.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/vm/signature.h"

namespace tern::vm {
namespace {

class DimensionEvaluator {
 public:
  DimensionEvaluator(std::string_view text, std::span<const std::string> symbols,
                     std::span<const int64_t> extents)
      : text_(text), symbols_(symbols), extents_(extents) {}

  std::optional<int64_t> Run() {
    const int64_t value = Sum(0);
    SkipSpace();
    // Text behind the expression is a mistake too.
    if (!ok_ || at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  // Parentheses and signs nest; a hostile text must not exhaust the stack.
  static constexpr int kMaxDepth = 32;

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char Peek() {
    SkipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Accept(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  // Moves to the end, so that every loop stops at once.
  int64_t Fail() {
    ok_ = false;
    at_ = text_.size();
    return 0;
  }
  // '/' and '%' round towards minus infinity, as Python's do, so that (n - 1) / 2 is right for n =
  // 0. A divisor must be positive, which also excludes INT64_MIN / -1.
  int64_t Apply(char op, int64_t a, int64_t b) {
    int64_t out = 0;
    switch (op) {
      case '+': return __builtin_add_overflow(a, b, &out) ? Fail() : out;
      case '-': return __builtin_sub_overflow(a, b, &out) ? Fail() : out;
      case '*': return __builtin_mul_overflow(a, b, &out) ? Fail() : out;
      default: break;
    }
    if (b <= 0) return Fail();
    // C++ truncates; a negative remainder means that the quotient is one too large.
    const int64_t quotient = a / b - (a % b < 0 ? 1 : 0);
    return op == '/' ? quotient : a - quotient * b;
  }
  // Sum and Product loop, so that operators of one level bind to the left.
  int64_t Sum(int depth) {
    int64_t value = Product(depth);
    for (char op = Peek(); ok_ && (op == '+' || op == '-'); op = Peek()) {
      ++at_;
      value = Apply(op, value, Product(depth));
    }
    return value;
  }
  int64_t Product(int depth) {
    int64_t value = Factor(depth);
    for (char op = Peek(); ok_ && (op == '*' || op == '/' || op == '%'); op = Peek()) {
      ++at_;
      value = Apply(op, value, Factor(depth));
    }
    return value;
  }
  int64_t Factor(int depth) {
    if (depth > kMaxDepth) return Fail();
    if (Accept('-')) return Apply('-', 0, Factor(depth + 1));
    if (Accept('(')) {
      const int64_t value = Sum(depth + 1);
      return Accept(')') ? value : Fail();
    }
    SkipSpace();
    const size_t begin = at_;
    // The character is taken if it can stand inside a name: a trick that keeps one definition of
    // names.
    while (at_ < text_.size() && (IsPlainName(StrCat("_", text_[at_])))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (const auto number = ParseInt64(word); number.has_value()) return *number;
    // min and max are functions only before a parenthesis, so that symbols may have these names.
    if ((word == "min" || word == "max") && Accept('(')) return Pair(word == "min", depth);
    const auto found = std::find(symbols_.begin(), symbols_.end(), word);
    if (found == symbols_.end()) return Fail();
    const int64_t extent = extents_[static_cast<size_t>(found - symbols_.begin())];
    return extent == kUnknownExtent ? Fail() : extent;
  }
  int64_t Pair(bool smaller, int depth) {
    const int64_t a = Sum(depth + 1);
    if (!Accept(',')) return Fail();
    const int64_t b = Sum(depth + 1);
    if (!Accept(')')) return Fail();
    return smaller ? std::min(a, b) : std::max(a, b);
  }

  std::string_view text_;
  std::span<const std::string> symbols_;
  std::span<const int64_t> extents_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

std::optional<int64_t> EvaluateDimension(std::string_view text,
                                         std::span<const std::string> symbols,
                                         std::span<const int64_t> extents) {
  return DimensionEvaluator(text, symbols, extents).Run();
}

}  // namespace tern::vm
