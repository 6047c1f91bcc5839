// SPDX-License-Identifier: Apache-2.0
#include "core/loop/te/schedule_parser.h"

#include "core/base/strings.h"

namespace tern::loop::te {
namespace {

// The name in the first example of the founding document; it means vectorize with scalable = true.
constexpr std::string_view kAlias = "vectorize_scalable";

// Null if there is no primitive of that name.
const PrimitiveInfo* FindPrimitive(std::string_view text) {
  if (text == kAlias) text = "vectorize";
  for (const PrimitiveInfo& info : AllPrimitives()) {
    if (info.text == text) return &info;
  }
  return nullptr;
}

}  // namespace

void DirectiveReader::AddFactor(Lanes factor, text::Span span) {
  directive_.factors.push_back(factor);
  if (!where_.valid()) where_ = span;
}

// Options are checked here for their values; whether the primitive takes them, Finish decides.
void DirectiveReader::AddOption(const Token& option, const Token& value) {
  const std::optional<int64_t> number = ParseInt64(value.text);
  const bool is_bool = value.Is("true") || value.Is("false");
  if (option.Is("scalable") && is_bool) {
    directive_.scalable = value.Is("true");
  } else if (option.Is("predicated") && is_bool) {
    directive_.tail = value.Is("true") ? LoopTail::kPredicated : LoopTail::kCleanup;
  } else if (option.Is("interleave") && number.has_value() && *number >= 1 &&
             *number <= kMaxInterleave) {
    directive_.interleave = static_cast<int32_t>(*number);
  } else if ((option.Is("factor") || option.Is("lanes")) && number.has_value() && *number >= 1 &&
             *number <= kMaxLanes) {
    // Two names of one number: as the factor of a split, and as what a vector has.
    directive_.factors.push_back({static_cast<int32_t>(*number), false});
  } else {
    problem_ = StrCat("'", option.text, " = ", value.text, "' is not an option; there are factor ",
                      "and lanes (1 to ", kMaxLanes, "), interleave (1 to ", kMaxInterleave,
                      "), scalable and predicated (true or false)");
    where_ = option.span;
  }
}

// How many names and factors each primitive takes, as its usage in primitives.def shows.
bool DirectiveReader::FitsForm() const {
  const size_t names = directive_.names.size(), factors = directive_.factors.size();
  switch (directive_.primitive) {
    case Primitive::kSplit: return names == 1 && factors == 1;
    case Primitive::kFuse: return names == 2 && factors == 0;
    case Primitive::kReorder: return names >= 2 && factors == 0;
    case Primitive::kTile: return names == 2 && factors == 2;
    case Primitive::kUnroll:
    case Primitive::kParallel: return names == 1 && factors == 0;
    case Primitive::kVectorize:
      return names == 1 && (factors == 0 || (factors == 1 && !directive_.factors[0].scalable));
    case Primitive::kComputeAt: return names == 2 && factors == 0;
    case Primitive::kComputeInline: return names == 0 && factors == 0;
  }
  return false;
}

std::optional<Directive> DirectiveReader::Finish(text::Diagnostics* diagnostics) {
  const PrimitiveInfo* info = FindPrimitive(name_.text);
  if (info == nullptr) {
    std::vector<std::string_view> names = {kAlias};
    for (const PrimitiveInfo& known : AllPrimitives()) names.push_back(known.text);
    diagnostics->Error(kBadSchedule, StrCat("there is no schedule primitive '", name_.text, "'"))
        .At(name_.span)
        .Help(StrCat("there are ", StrJoin(names, ", ")));
    return std::nullopt;
  }
  directive_.primitive = info->primitive;
  directive_.span = name_.span;
  // The alias is vectorize with scalable vectors.
  if (name_.Is(kAlias)) directive_.scalable = true;
  const bool has_option = directive_.scalable || directive_.interleave != 0 ||
                          directive_.tail != LoopTail::kOfKind;
  if (problem_.empty() && has_option && info->primitive != Primitive::kVectorize)
    problem_ = "only vectorize is scalable, predicated or interleaved";
  if (problem_.empty() && !FitsForm()) problem_ = StrCat("wrong arguments of ", info->text);
  if (problem_.empty()) return std::move(directive_);
  diagnostics->Error(kBadSchedule, problem_)
      .At(where_.valid() ? where_ : name_.span)
      .Help(StrCat("write ", info->usage, ": ", info->phrase));
  return std::nullopt;
}

}  // namespace tern::loop::te
