// SPDX-License-Identifier: Apache-2.0
#include "core/ops/math_rules.h"

namespace tern::ops {

namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// One term; "..." is shortened to '.', which stands for any number of axes.
Result<std::string> ParseTerm(std::string_view text) {
  std::string term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "..." && term.find('.') == std::string::npos) {
      term += '.';
      i += 2;
    } else if (IsLetter(text[i])) {
      term += text[i];
    } else if (text[i] != ' ') {
      return InvalidArgument("'", text,
                             "' in an einsum equation: expected letters and at most one '...'");
    }
  }
  return term;
}

// Without an arrow, NumPy's rule: the axes of "..." first, then letters that occur once, in order.
std::string ImplicitOutput(const std::vector<std::string>& inputs) {
  int count[128] = {};
  for (const std::string& term : inputs) {
    for (char c : term) ++count[static_cast<size_t>(c)];
  }
  std::string output = count['.'] > 0 ? "." : "";
  for (int c = 'A'; c <= 'z'; ++c) {
    if (count[c] == 1 && c != '.') output += static_cast<char>(c);
  }
  return output;
}

// Every letter of the output occurs once there and in some input.
Status CheckOutput(const EinsumTerms& terms) {
  for (size_t i = 0; i < terms.output.size(); ++i) {
    char letter = terms.output[i];
    bool found = false;
    for (const std::string& term : terms.inputs)
      found = found || term.find(letter) != std::string::npos;
    if (!found && letter != '.')
      return InvalidArgument("einsum output axis '", letter, "' is in no input");
    if (terms.output.find(letter, i + 1) != std::string::npos) {
      return InvalidArgument("einsum output axis '", letter, "' occurs twice");
    }
  }
  return OkStatus();
}

}  // namespace

// No axes mean all of them, unless the operator says that they mean none.
Status ReducedAxes(std::span<const int64_t> axes, bool noop_if_empty, int rank, uint32_t* mask) {
  TERN_TRY(ResolveAxes(axes, rank, mask));
  if (axes.empty() && !noop_if_empty) *mask = (1u << rank) - 1;
  return OkStatus();
}

// "ij,jk->ik", or without an arrow. Spaces are ignored.
Result<EinsumTerms> ParseEinsum(std::string_view equation) {
  EinsumTerms terms;
  const size_t arrow = equation.find("->");
  for (std::string_view text : StrSplit(equation.substr(0, arrow), ',')) {
    TERN_TRY_ASSIGN(std::string term, ParseTerm(text));
    terms.inputs.push_back(std::move(term));
  }
  if (arrow == std::string_view::npos) {
    terms.output = ImplicitOutput(terms.inputs);
  } else {
    TERN_TRY_ASSIGN(terms.output, ParseTerm(equation.substr(arrow + 2)));
  }
  TERN_TRY(CheckOutput(terms));
  return terms;
}

}  // namespace tern::ops
