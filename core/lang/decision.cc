// SPDX-License-Identifier: Apache-2.0
#include "core/lang/decision.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/strings.h"
#include "core/lang/op_call.h"

namespace tern::lang {
namespace {

constexpr int kMaxNodes = 20000;

struct Test {
  int place;
  const Pattern* pattern;  // kConstructor, kLiteral, kList or kOr
};

struct MatchRow {
  std::vector<Test> tests = {};
  std::vector<std::pair<Local*, int>> bindings = {};
  std::vector<const Pattern*> alternatives = {};  // that were taken to come here
  size_t arm = 0;
  bool has_guard = false;
};

// What is known of a place on the way to a leaf, for examples.
struct Known {
  std::string name = {};         // of a constructor; "" for a tuple
  std::vector<int> fields = {};  // places
  std::string literal = {};
  bool is_list = false;
  bool has_rest = false;  // of a list: it may be longer
};

std::string LiteralText(const Pattern& pattern) { return pattern.literal->text; }

// Equal literals may be written differently: 16 and 0x10.
std::string LiteralKey(const Pattern& pattern) {
  const std::optional<int64_t> value = ParseInt64(pattern.literal->text);
  const std::optional<int64_t> literal = IntLiteral(*pattern.literal);
  if (value.has_value() || literal.has_value())
    return StrCat(value.has_value() ? *value : *literal);
  if (pattern.literal->kind == ExprKind::kString) return "\"" + Unescape(pattern.literal->text);
  return pattern.literal->text;
}

class Builder {
 public:
  explicit Builder(DecisionTree* tree) : tree_(tree) {}

  void Run(const std::vector<DecisionRow>& patterns) {
    tree_->places.push_back({});
    tree_->uses.assign(patterns.size(), 0);
    std::vector<MatchRow> rows;
    for (size_t i = 0; i < patterns.size(); ++i) {
      MatchRow row{.arm = i, .has_guard = patterns[i].has_guard};
      Expand(patterns[i].pattern, 0, &row);
      rows.push_back(std::move(row));
    }
    tree_->root = Build(std::move(rows));
  }

 private:
  // Fields of different constructors are different places.
  int PlaceOf(const Place& part, int tag = -1) {
    const auto [found, made] = parts_.emplace(std::tuple(part.parent, part.kind, part.index, tag),
                                              static_cast<int>(tree_->places.size()));
    if (made) tree_->places.push_back(part);
    return found->second;
  }

  // Names become bindings, tuples their parts; what is left are tests.
  void Expand(const Pattern* pattern, int place, MatchRow* row) {
    switch (pattern->kind) {
      case PatternKind::kError:
      case PatternKind::kWildcard: return;
      case PatternKind::kBind: row->bindings.emplace_back(pattern->local, place); return;
      case PatternKind::kLiteral:
      case PatternKind::kConstructor:
      case PatternKind::kList:
      case PatternKind::kOr: row->tests.push_back({place, pattern}); return;
      case PatternKind::kTuple: break;
    }
    Known& known = known_[place];
    known.fields.clear();
    for (size_t i = 0; i < pattern->args.size(); ++i) {
      const int part = PlaceOf({place, PlaceKind::kField, static_cast<int>(i)});
      known_[place].fields.push_back(part);
      Expand(pattern->args[i].get(), part, row);
    }
  }

  std::unique_ptr<Decision> Node(Decision::Kind kind) {
    auto node = std::make_unique<Decision>();
    node->kind = kind;
    tree_->too_large = tree_->too_large || ++nodes_ > kMaxNodes;
    return node;
  }

  std::unique_ptr<Decision> Build(std::vector<MatchRow> rows) {
    while (!rows.empty() && !tree_->too_large && !tree_->mixed) {
      if (rows.front().tests.empty()) return Leaf(std::move(rows));
      const Test test = rows.front().tests.front();
      if (SplitRows(test.place, &rows)) continue;
      if (IsMixed(rows, test)) break;
      if (test.pattern->kind == PatternKind::kConstructor) return BuildData(rows, test);
      return test.pattern->kind == PatternKind::kList ? BuildLengths(rows, test)
                                                      : BuildLiterals(rows, test);
    }
    return Fail();
  }

  static const Test* TestOf(const MatchRow& row, int place) {
    const auto at = std::find_if(row.tests.begin(), row.tests.end(),
                                 [&](const Test& test) { return test.place == place; });
    return at == row.tests.end() ? nullptr : &*at;
  }

  bool IsMixed(const std::vector<MatchRow>& rows, const Test& test) {
    for (const MatchRow& row : rows) {
      const Test* const other = TestOf(row, test.place);
      if (other == nullptr) continue;
      const bool same =
          other->pattern->kind == test.pattern->kind && other->pattern->data == test.pattern->data;
      tree_->mixed = tree_->mixed || !same;
    }
    return tree_->mixed;
  }

  // Alternatives for the place or for what it is a part of; null where there are none.
  const Test* ChoiceAbout(const MatchRow& row, int place) const {
    for (; place >= 0; place = tree_->places[static_cast<size_t>(place)].parent) {
      const Test* const test = TestOf(row, place);
      if (test != nullptr && test->pattern->kind == PatternKind::kOr) return test;
    }
    return nullptr;
  }

  // A row with alternatives that say something about the place becomes a row for each of them.
  // False where there is none.
  bool SplitRows(int place, std::vector<MatchRow>* rows) {
    const size_t before = rows->size();
    std::vector<MatchRow> split;
    bool any = false;
    for (MatchRow& row : *rows) {
      const Test* const choice = ChoiceAbout(row, place);
      any = any || choice != nullptr;
      if (choice == nullptr)
        split.push_back(std::move(row));
      else
        SplitRow(row, *choice, &split);
    }
    nodes_ += static_cast<int>(split.size() - before);
    tree_->too_large = tree_->too_large || nodes_ > kMaxNodes;
    *rows = std::move(split);
    return any;
  }

  void SplitRow(const MatchRow& row, const Test& choice, std::vector<MatchRow>* split) {
    for (const PatternPtr& alternative : choice.pattern->args) {
      MatchRow one{.bindings = row.bindings,
                   .alternatives = row.alternatives,
                   .arm = row.arm,
                   .has_guard = row.has_guard};
      one.alternatives.push_back(alternative.get());
      for (const Test& each : row.tests) {
        if (&each == &choice)
          Expand(alternative.get(), choice.place, &one);
        else
          one.tests.push_back(each);
      }
      split->push_back(std::move(one));
    }
  }

  std::unique_ptr<Decision> Fail() {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kFail);
    node->example = Example(0);
    if (tree_->missing.empty()) tree_->missing = node->example;
    return node;
  }

  std::unique_ptr<Decision> Leaf(std::vector<MatchRow> rows) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kMatch);
    node->arm = rows.front().arm;
    node->bindings = rows.front().bindings;
    ++tree_->uses[node->arm];
    tree_->reached.insert(rows.front().alternatives.begin(), rows.front().alternatives.end());
    if (!rows.front().has_guard) return node;
    rows.erase(rows.begin());
    node->otherwise = Build(std::move(rows));
    return node;
  }

  // The rows that remain where the place is what `matches` accepts; tests of it become those of its
  // fields. Rows without a test of it stay.
  template <class Matches>
  std::vector<MatchRow> Specialize(const std::vector<MatchRow>& rows, int place,
                                   const std::vector<int>& fields, const Matches& matches) {
    std::vector<MatchRow> left;
    for (const MatchRow& row : rows) {
      const Test* const at = TestOf(row, place);
      if (at == nullptr) {
        left.push_back(row);
        continue;
      }
      if (!matches(*at->pattern)) continue;
      MatchRow kept{.bindings = row.bindings,
                    .alternatives = row.alternatives,
                    .arm = row.arm,
                    .has_guard = row.has_guard};
      const Pattern& pattern = *at->pattern;
      for (size_t i = 0; i < pattern.item_count() && i < fields.size(); ++i)
        Expand(pattern.args[i].get(), fields[i], &kept);
      if (pattern.has_rest)
        Expand(pattern.args.back().get(), RestOf(place, pattern.item_count()), &kept);
      for (const Test& test : row.tests) {
        if (test.place != place) kept.tests.push_back(test);
      }
      left.push_back(std::move(kept));
    }
    return left;
  }

  // The patterns that test the place, each once by `key`.
  template <class Key>
  static auto TestsOf(const std::vector<MatchRow>& rows, int place, const Key& key) {
    std::vector<std::pair<decltype(key(*rows[0].tests[0].pattern)), const Pattern*>> found;
    for (const MatchRow& row : rows) {
      for (const Test& test : row.tests) {
        if (test.place != place) continue;
        auto value = key(*test.pattern);
        const auto same = [&](const auto& entry) { return entry.first == value; };
        if (std::none_of(found.begin(), found.end(), same))
          found.emplace_back(std::move(value), test.pattern);
      }
    }
    return found;
  }

  std::unique_ptr<Decision> BuildData(const std::vector<MatchRow>& rows, const Test& test) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kData);
    node->place = test.place;
    node->data = test.pattern->data;
    const auto tags = TestsOf(rows, test.place, [](const Pattern& p) { return p.tag; });
    for (size_t tag = 0; tag < node->data->constructors.size(); ++tag) {
      const auto is = [&](const auto& entry) { return entry.first == static_cast<int>(tag); };
      if (std::none_of(tags.begin(), tags.end(), is)) continue;
      Decision::Case made;
      made.tag = static_cast<int>(tag);
      made.fields = Enter(test.place, *node->data, tag);
      made.then = Build(Specialize(rows, test.place, made.fields, [&](const Pattern& pattern) {
        return pattern.tag == static_cast<int>(tag);
      }));
      known_.erase(test.place);
      node->cases.push_back(std::move(made));
    }
    if (node->cases.size() == node->data->constructors.size()) return node;
    size_t absent = 0;
    while (std::any_of(tags.begin(), tags.end(),
                       [&](const auto& entry) { return entry.first == static_cast<int>(absent); }))
      ++absent;
    Enter(test.place, *node->data, absent);
    node->otherwise = Build(Specialize(rows, test.place, {}, [](const Pattern&) { return false; }));
    known_.erase(test.place);
    return node;
  }

  // From here on the place is known to be of that constructor. Gives the places of its fields.
  std::vector<int> Enter(int place, const DataDecl& data, size_t tag) {
    const ConstructorDecl& constructor = data.constructors[tag];
    Known known{.name = constructor.name.text};
    for (size_t i = 0; i < constructor.fields.size(); ++i)
      known.fields.push_back(
          PlaceOf({place, PlaceKind::kField, static_cast<int>(i)}, static_cast<int>(tag)));
    known_[place] = known;
    return known.fields;
  }

  int RestOf(int place, size_t begin) {
    return PlaceOf({place, PlaceKind::kRest, static_cast<int>(begin)});
  }

  // Lists of lengths that no pattern tells apart are one case.
  std::unique_ptr<Decision> BuildLengths(const std::vector<MatchRow>& rows, const Test& test) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kLengths);
    node->place = test.place;
    std::set<size_t> lengths = {0};
    for (const MatchRow& row : rows) {
      const Test* const same = TestOf(row, test.place);
      if (same == nullptr) continue;
      lengths.insert(same->pattern->item_count());
      if (!same->pattern->has_rest) lengths.insert(same->pattern->item_count() + 1);
    }
    for (const size_t length : lengths) {
      Decision::Case made;
      made.length = length;
      for (size_t i = 0; i < length; ++i)
        made.fields.push_back(PlaceOf({test.place, PlaceKind::kItem, static_cast<int>(i)}));
      known_[test.place] = {
          .fields = made.fields, .is_list = true, .has_rest = length == *lengths.rbegin()};
      made.then = Build(Specialize(rows, test.place, made.fields, [&](const Pattern& pattern) {
        return pattern.has_rest ? pattern.item_count() <= length : pattern.item_count() == length;
      }));
      node->cases.push_back(std::move(made));
    }
    known_.erase(test.place);
    return node;
  }

  std::unique_ptr<Decision> BuildLiterals(const std::vector<MatchRow>& rows, const Test& test) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kLiterals);
    node->place = test.place;
    const auto literals = TestsOf(rows, test.place, LiteralKey);
    for (const auto& [key, literal] : literals) {
      Decision::Case made;
      made.literal = literal;
      known_[test.place] = {.literal = LiteralText(*literal)};
      made.then = Build(Specialize(rows, test.place, {}, [&key = key](const Pattern& pattern) {
        return LiteralKey(pattern) == key;
      }));
      node->cases.push_back(std::move(made));
    }
    const bool bools = test.pattern->literal->kind == ExprKind::kBool;
    if (!bools || literals.size() < 2) {
      known_[test.place] = {.literal = Absent(*test.pattern, literals)};
      node->otherwise =
          Build(Specialize(rows, test.place, {}, [](const Pattern&) { return false; }));
    }
    known_.erase(test.place);
    return node;
  }

  // A literal that is not among these.
  template <class Literals>
  static std::string Absent(const Pattern& pattern, const Literals& literals) {
    if (pattern.literal->kind == ExprKind::kBool)
      return pattern.literal->text == "true" ? "false" : "true";
    const auto has = [&](const std::string& key) {
      return std::any_of(literals.begin(), literals.end(),
                         [&](const auto& entry) { return entry.first == key; });
    };
    const bool text = pattern.literal->kind == ExprKind::kString;
    for (int i = 0;; ++i) {
      const std::string value =
          text ? StrCat("\"", std::string(static_cast<size_t>(i), 'x')) : StrCat(i);
      if (!has(value)) return text ? value + "\"" : value;
    }
  }

  std::string Example(int place) const {
    const auto found = known_.find(place);
    if (found == known_.end()) return "_";
    const Known& known = found->second;
    if (!known.literal.empty()) return known.literal;
    if (known.is_list) return ListExample(known);
    if (known.fields.empty()) return known.name.empty() ? "_" : known.name;
    std::string text = known.name + "(";
    for (size_t i = 0; i < known.fields.size(); ++i)
      StrAppend(&text, i == 0 ? "" : ", ", Example(known.fields[i]));
    return text + ")";
  }

  std::string ListExample(const Known& known) const {
    std::string text = "[";
    for (const int item : known.fields) StrAppend(&text, text == "[" ? "" : ", ", Example(item));
    if (known.has_rest) StrAppend(&text, text == "[" ? ".." : ", ..");
    return text + "]";
  }

  DecisionTree* tree_;
  std::map<std::tuple<int, PlaceKind, int, int>, int> parts_;
  std::map<int, Known> known_;
  int nodes_ = 0;
};

}  // namespace

DecisionTree BuildDecision(const std::vector<DecisionRow>& rows) {
  DecisionTree tree;
  Builder(&tree).Run(rows);
  return tree;
}

}  // namespace tern::lang
