// SPDX-License-Identifier: Apache-2.0
// A search along one line: apply all first fixes that do not touch, check again, repeat, and keep
// the best text on the way.
#include "core/lang/editor/fix.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/base/strings.h"
#include "core/lang/lower/lower.h"
#include "core/lang/program.h"

namespace tern::lang {
namespace {

// Each round checks the whole program, so their number bounds the time. It also ends where a text
// comes back.
constexpr int kMaxRounds = 30;

struct Candidate {
  std::string place;
  const text::Fix* fix;
};

// Whether two edits cannot be applied in one go. Insertions at one place touch too, because they
// have no order.
bool Touches(const text::Edit& a, const text::Edit& b) {
  const bool apart = a.span.end <= b.span.begin || b.span.end <= a.span.begin;
  return !apart || a.span.begin == b.span.begin;
}

// How far a text is from a program, compared in order: mistakes of syntax hide all others, so a
// text without them is better whatever its number of errors.
std::pair<bool, size_t> Distance(const text::Diagnostics& found) {
  const auto is_syntax = [](const text::Diagnostic& each) {
    return each.code == "E1001" || each.code == "E1002";
  };
  return {std::any_of(found.items().begin(), found.items().end(), is_syntax), found.error_count()};
}

class Fixer {
 public:
  explicit Fixer(std::string_view file_name) : name_(file_name), prelude_(LoadPrelude()) {}

  // One fix may uncover a mistake that another one hid, so the number of errors may grow for a
  // round. What counts is the best text on the way.
  FixedSource Run(std::string_view text) {
    FixedSource now{std::string(text), {}, CheckText(text)};
    FixedSource best = now;
    std::unordered_set<std::string> seen;
    for (int round = 0; round < kMaxRounds && seen.insert(now.text).second; ++round) {
      const std::vector<Candidate> candidates = Candidates(now.left);
      if (candidates.empty()) break;
      now.text = Apply(candidates, std::move(now.text));
      for (const Candidate& candidate : candidates) now.applied.push_back(candidate.place);
      now.left = CheckText(now.text);
      if (Distance(now.left) < Distance(best.left)) best = now;
    }
    return best;
  }

 private:
  text::Diagnostics CheckText(std::string_view text) const {
    CheckedProgram checked = Check(name_, text, prelude_);
    // Lowering has errors of its own, but only a program without others can be lowered.
    if (checked.diagnostics.ok()) Lower(*checked.program, &checked.diagnostics);
    return std::move(checked.diagnostics);
  }

  // The first fix of each error, leaving out those that touch one chosen before; these have another
  // chance in the next round. Incomplete fixes insert text that somebody has to finish.
  static std::vector<Candidate> Candidates(const text::Diagnostics& found) {
    std::vector<Candidate> candidates;
    for (const text::Diagnostic& diagnostic : found.items()) {
      if (diagnostic.severity != text::Severity::kError || diagnostic.fixes.empty()) continue;
      const text::Fix& fix = diagnostic.fixes.front();
      if (fix.is_incomplete) continue;
      const bool alone = std::none_of(candidates.begin(), candidates.end(),
                                      [&](const Candidate& one) { return Overlap(*one.fix, fix); });
      if (alone)
        candidates.push_back(
            {StrCat(found.sources().Describe(diagnostic.span), ": ", fix.title), &fix});
    }
    return candidates;
  }

  static bool Overlap(const text::Fix& a, const text::Fix& b) {
    return std::any_of(a.edits.begin(), a.edits.end(), [&](const text::Edit& edit) {
      return std::any_of(b.edits.begin(), b.edits.end(),
                         [&](const text::Edit& other) { return Touches(edit, other); });
    });
  }

  // Applies edits from the end of the text, so that the places of those before stay right.
  static std::string Apply(const std::vector<Candidate>& candidates, std::string text) {
    std::vector<const text::Edit*> edits;
    for (const Candidate& candidate : candidates) {
      for (const text::Edit& edit : candidate.fix->edits) edits.push_back(&edit);
    }
    std::sort(edits.begin(), edits.end(), [](const text::Edit* a, const text::Edit* b) {
      return a->span.begin > b->span.begin;
    });
    for (const text::Edit* edit : edits)
      text.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->replacement);
    return text;
  }

  std::string name_;
  PreludePtr prelude_;
};

}  // namespace

FixedSource FixSource(std::string_view file_name, std::string_view text) {
  return Fixer(file_name).Run(text);
}

}  // namespace tern::lang
