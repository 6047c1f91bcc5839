// SPDX-License-Identifier: Apache-2.0
#include "core/vm/dimension.h"

#include <algorithm>

#include "core/types/dim_grammar.h"

namespace tern::vm {
namespace {

// Computes a dimension's text while it is read. It runs at calls and its texts come from files, so
// it allocates no tree and checks every operation for overflow. What was not computed is 0, and
// `ok` says so.
struct Evaluator {
  using Value = int64_t;
  std::span<const std::string> symbols;
  std::span<const int64_t> extents;
  bool ok = true;

  int64_t Unknown() { return ok = false, 0; }
  int64_t Number(int64_t number) { return number; }
  int64_t Symbol(std::string_view name) {
    const auto found = std::find(symbols.begin(), symbols.end(), name);
    if (found == symbols.end()) return Unknown();
    const int64_t extent = extents[static_cast<size_t>(found - symbols.begin())];
    return extent == kUnknownExtent ? Unknown() : extent;
  }
  int64_t Negate(int64_t a) { return Apply(types::DimOperator::kSub, 0, a); }
  int64_t Apply(types::DimOperator op, int64_t a, int64_t b) {
    int64_t out = 0;
    switch (op) {
      case types::DimOperator::kAdd: return __builtin_add_overflow(a, b, &out) ? Unknown() : out;
      case types::DimOperator::kSub: return __builtin_sub_overflow(a, b, &out) ? Unknown() : out;
      case types::DimOperator::kMul: return __builtin_mul_overflow(a, b, &out) ? Unknown() : out;
      case types::DimOperator::kMin: return std::min(a, b);
      case types::DimOperator::kMax: return std::max(a, b);
      case types::DimOperator::kFloorDiv:
      case types::DimOperator::kCeilDiv:
      case types::DimOperator::kMod: break;
    }
    // Which also excludes INT64_MIN / -1.
    if (b <= 0) return Unknown();
    // C++ truncates; a negative remainder means that the quotient is one too large.
    const int64_t quotient = a / b - (a % b < 0 ? 1 : 0), rest = a - quotient * b;
    if (op == types::DimOperator::kMod) return rest;
    return quotient + (op == types::DimOperator::kCeilDiv && rest > 0 ? 1 : 0);
  }
};

}  // namespace

void SkipDimension(text::Scanner* in) {
  Evaluator evaluator{{}, {}};
  types::DimGrammar<Evaluator> grammar(*in, &evaluator);
  grammar.Sum();
  in->GoOn(grammar.scanner());
}

std::optional<int64_t> EvaluateDimension(std::string_view text,
                                         std::span<const std::string> symbols,
                                         std::span<const int64_t> extents) {
  Evaluator evaluator{symbols, extents};
  types::DimGrammar<Evaluator> grammar(text::Scanner(text, types::kDimForm), &evaluator);
  const int64_t value = grammar.Sum();
  text::Scanner rest = grammar.scanner();
  if (!evaluator.ok || !rest.ok() || !rest.AtEnd()) return std::nullopt;
  return value;
}

}  // namespace tern::vm
