// SPDX-License-Identifier: Apache-2.0
#include "core/ops/ops.h"

#include <algorithm>
#include <array>

#include "core/ops/shape_attrs.h"

namespace tern::ops {

namespace {

struct Arity {
  int min = 0, max = 0;
};

// How many arguments "x w bias? inputs*" allows. '?' may be missing, '*' may be any number.
constexpr Arity ArityOf(std::string_view parameters) {
  Arity arity;
  bool in_word = false;
  for (size_t i = 0; i <= parameters.size(); ++i) {
    const bool letter = i < parameters.size() && parameters[i] != ' ';
    if (!letter && in_word) {
      const char last = parameters[i - 1];
      if (last != '?' && last != '*') arity.min = arity.max + 1;
      arity.max = last == '*' ? INT32_MAX : arity.max + 1;
    }
    in_word = letter;
  }
  return arity;
}

// The table of operators, in the order of the enumeration Op.
constexpr OpInfo kOps[] = {
#define TERN_OP(name, family, parameters, outputs, Relation, layout, movement, phrase) \
  {Op::k_##name,                                                                       \
   #name,                                                                              \
   Family::family,                                                                     \
   parameters,                                                                         \
   ArityOf(parameters).min,                                                            \
   ArityOf(parameters).max,                                                            \
   outputs,                                                                            \
   LayoutRule::layout,                                                                 \
   Movement::movement},
#include "core/ops/ops.def"
#undef TERN_OP
};

// In the order of the enumeration Family.
constexpr std::string_view kFamilyNames[] = {"image",  "norm",     "matmul",   "unary",
                                             "binary", "reduce",   "shape",    "index",
                                             "make",   "quantize", "recurrent"};

// Indices into kOps sorted by name, at compile time (insertion sort), so that FindOp searches by
// halves.
constexpr auto kByName = [] {
  std::array<int16_t, std::size(kOps)> order{};
  for (size_t i = 0; i < order.size(); ++i) {
    size_t at = i;
    for (; at > 0 && kOps[i].name < kOps[static_cast<size_t>(order[at - 1])].name; --at)
      order[at] = order[at - 1];
    order[at] = static_cast<int16_t>(i);
  }
  return order;
}();

// Word number `index` of the parameters with its mark; the last one again if that takes any number.
std::string_view ParameterWord(std::string_view parameters, int index) {
  std::string_view word;
  for (int i = 0; i <= index; ++i) {
    if (parameters.empty()) return !word.empty() && word.back() == '*' ? word : "";
    const size_t space = parameters.find(' ');
    word = parameters.substr(0, space);
    parameters = space == std::string_view::npos ? "" : parameters.substr(space + 1);
  }
  return word;
}

}  // namespace

std::string_view FamilyName(Family family) { return kFamilyNames[static_cast<size_t>(family)]; }

std::string_view OpInfo::parameter(int index) const {
  std::string_view word = ParameterWord(parameters, index);
  if (!word.empty() && (word.back() == '?' || word.back() == '*')) word.remove_suffix(1);
  return word;
}

// Whether the call may leave the argument out or give None.
bool OpInfo::IsOptional(int index) const {
  const std::string_view word = ParameterWord(parameters, index);
  return !word.empty() && word.back() == '?';
}

std::span<const OpInfo> AllOps() { return kOps; }

// Null if there is no operator of that name.
const OpInfo* FindOp(std::string_view name) {
  const auto found = std::lower_bound(kByName.begin(), kByName.end(), name,
                                      [](int16_t index, std::string_view key) {
                                        return kOps[static_cast<size_t>(index)].name < key;
                                      });
  if (found == kByName.end() || kOps[static_cast<size_t>(*found)].name != name) return nullptr;
  return &kOps[static_cast<size_t>(*found)];
}

const OpInfo& InfoOf(Op op) { return kOps[static_cast<size_t>(op)]; }

std::string_view PhraseOf(Op op) {
  constexpr std::string_view kPhrases[] = {
#define TERN_OP(name, family, parameters, outputs, Relation, layout, movement, phrase) phrase,
#include "core/ops/ops.def"
#undef TERN_OP
  };
  return kPhrases[static_cast<size_t>(op)];
}

Result<int> OutputCount(const OpInfo& op, const Attrs& attrs) {
  // 0 in the table: the number of results depends on the attributes, which only split has.
  if (op.outputs != 0) return op.outputs;
  TERN_TRY_ASSIGN(SplitAttrs split, SplitAttrs::From(attrs, op.name));
  return split.count();
}

}  // namespace tern::ops
