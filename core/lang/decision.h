// SPDX-License-Identifier: Apache-2.0
// Decision trees: nested patterns as tests of one level each. exhaustive.cc builds a tree to tell
// which values no case matches and which cases nothing reaches; lower_match.cc builds it again to
// make code of it.
//
// The tree asks each question about a value at most once on every path, and ends in the first case
// that matches. Code may be longer than the patterns, because a case can be the end of several
// paths; BuildDecision gives up above a limit.
#ifndef TERN_CORE_LANG_DECISION_H_
#define TERN_CORE_LANG_DECISION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/lang/parse/ast.h"

namespace tern::lang {

// A part of the value that is matched.
enum class PlaceKind : uint8_t {
  kField,  // of a tuple or of a constructor's value
  kItem,   // of a list
  kRest,   // of a list: the items from there on
};
struct Place {
  int parent = -1;  // -1: the value itself
  PlaceKind kind = PlaceKind::kField;
  int index = 0;
};

struct Decision {
  enum class Kind : uint8_t {
    kFail,      // no case matches; example
    kMatch,     // arm; bindings; otherwise: where its guard does not hold (null without guard)
    kData,      // place, data; cases by tag; otherwise
    kLiterals,  // place; cases by literal; otherwise (null where true and false are both there)
    kLengths,   // place; cases by length, the shortest lists first, which are all there are
  };
  struct Case {
    int tag = -1;
    const Pattern* literal = nullptr;
    size_t length = 0;        // of the shortest list; the next case says where it ends
    std::vector<int> fields;  // places; of a list its items
    std::unique_ptr<Decision> then;
  };

  Kind kind = Kind::kFail;
  int place = 0;
  const DataDecl* data = nullptr;
  std::vector<Case> cases;
  std::unique_ptr<Decision> otherwise;
  size_t arm = 0;
  std::vector<std::pair<Local*, int>> bindings;  // names and places
  std::string example;
};

struct DecisionTree {
  std::unique_ptr<Decision> root;
  std::vector<Place> places;  // the first is the value
  std::vector<int> uses;      // leaves of each arm
  // Of the patterns a | b: those alternatives that some leaf is reached by.
  std::unordered_set<const Pattern*> reached;
  std::string missing;        // a value that no case matches, "" where there is none
  bool too_large = false;     // given up; the tree is not whole
  // Patterns of different types test one value, whose type a mistake elsewhere left open; given up.
  bool mixed = false;
};

// One row of a match.
// One case of a match, as the tree sees it. The pattern must outlive the tree.
struct DecisionRow {
  const Pattern* pattern;
  bool has_guard = false;
};
DecisionTree BuildDecision(const std::vector<DecisionRow>& rows);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_DECISION_H_
