// SPDX-License-Identifier: Apache-2.0
// Regular expressions of RE2's syntax that match a whole text, or as much as can be from a place
// on, in time that grows with the product of both lengths and never faster: all states of the
// automaton go through the text side by side.
//
// Not done, and refused with a reason: Unicode classes (\p{…}). Letters change their case in ASCII
// only where the flag i is set. Greedy or not is the same for the longest match.
#ifndef TERN_CORE_KERNELS_BIND_REGEX_H_
#define TERN_CORE_KERNELS_BIND_REGEX_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tern::kernels::bind {

// Ranges of code points, both ends included.
struct CharClass {
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  bool negated = false;
  bool Has(uint32_t c) const;
};

class Regex {
 public:
  static Result<Regex> Compile(std::string_view pattern);

  // Where the longest match that begins at `from` ends; text.npos: none begins there. *seen: how
  // far the text was read.
  size_t LongestAt(std::string_view text, size_t from, size_t* seen) const;
  bool MatchesWhole(std::string_view text) const {
    size_t seen = 0;
    return LongestAt(text, 0, &seen) == text.size();
  }
  // Steps that a text of so many bytes takes at most.
  int64_t WorkOf(size_t bytes) const {
    return (static_cast<int64_t>(bytes) + 1) * static_cast<int64_t>(program_.size() + 1);
  }

  enum class Code : uint8_t { kClass, kSplit, kJump, kAssert };
  enum class Place : uint8_t { kTextBegin, kTextEnd, kLineBegin, kLineEnd, kWord, kNoWord };
  // Targets are relative, so that pieces can be repeated by copying them. A split goes to a and b.
  struct Step {
    Code code;
    Place place = Place::kTextBegin;
    int32_t a = 0, b = 0;  // of a class: its index in a
  };

 private:
  friend class RegexParser;
  std::vector<Step> program_;  // its end is the match
  std::vector<CharClass> classes_;
};

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_REGEX_H_
