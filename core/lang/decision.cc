// SPDX-License-Identifier: Apache-2.0
// Compiles matches by the matrix of clauses of L. Maranget, "Compiling Pattern Matching to Good
// Decision Trees" (2008). Each row is a case; Build picks a place that the first row tests, makes a
// node that asks about it, and goes on with the rows that each answer leaves. It takes the first
// test of the first row instead of scoring the places, so that the tree follows the order of the
// program.
#include "core/lang/decision.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/strings.h"
#include "core/lang/op_call.h"

namespace tern::lang {
namespace {

// The tree may be exponentially larger than the patterns where cases look at different places, so a
// limit is needed for hostile programs. Exceeding it is an error of the program (E1017).
constexpr int kMaxNodes = 20000;
// Nodes in each other: a case with a guard goes on in the next. Trees are walked in recursion.
// Literals of one place, which become branches in each other.
constexpr size_t kMaxDepth = 500;

// A question that a row still asks: whether the part of the value at `place` is what the pattern
// says. Wildcards, names and tuples never become tests, because they fit every value of their type.
struct Test {
  int place;
  const Pattern* pattern;  // kConstructor, kLiteral, kList or kOr
};

// A case in the matrix. A row without tests matches whatever comes here. Rows stay in the order of
// the program, because the first that matches wins.
struct MatchRow {
  std::vector<Test> tests = {};
  std::vector<std::pair<Local*, int>> bindings = {};
  std::vector<const Pattern*> alternatives = {};  // that were taken to come here
  size_t arm = 0;
  bool has_guard = false;
};

// What is known of a place on the way to a leaf. Only examples of missing values need it.
struct Known {
  std::string name = {};         // of a constructor; "" for a tuple
  std::vector<int> fields = {};  // places
  std::string literal = {};
  bool is_list = false;
  bool has_rest = false;  // of a list: it may be longer
};

// As the program wrote it, because examples are shown to people.
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

// Builds one tree. parts_ numbers the places, so that two rows which look at one part of the value
// agree on it; known_ describes the path from the root to the node that is being built.
class Builder {
 public:
  explicit Builder(DecisionTree* tree) : tree_(tree) {}

  void Run(const std::vector<DecisionRow>& patterns) {
    // Place 0 is the whole value.
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
  // The number of a part. The fields of different constructors are different places even at one
  // index, because their types differ.
  int PlaceOf(const Place& part, int tag = -1) {
    const auto [found, made] = parts_.emplace(std::tuple(part.parent, part.kind, part.index, tag),
                                              static_cast<int>(tree_->places.size()));
    if (made) tree_->places.push_back(part);
    return found->second;
  }

  // Adds what the pattern asks of the place to the row: names become bindings, tuples are taken
  // apart, and only real questions are left as tests.
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
    // A tuple needs no test, but examples have to print it with its parts.
    Known& known = known_[place];
    known.fields.clear();
    // PlaceOf and Expand may add to the map, so known_ is looked up again in each turn.
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

  // Makes the node for the rows that are still possible. Every node takes the tests of its place
  // out of the rows, so it ends.
  std::unique_ptr<Decision> Build(std::vector<MatchRow> rows) {
    tree_->too_large = tree_->too_large || depth_ >= kMaxDepth;
    ++depth_;
    std::unique_ptr<Decision> node = BuildNode(std::move(rows));
    --depth_;
    return node;
  }

  std::unique_ptr<Decision> BuildNode(std::vector<MatchRow> rows) {
    while (!rows.empty() && !tree_->too_large && !tree_->mixed) {
      // The first row asks nothing more: it matches, and later rows matter only if its guard fails.
      if (rows.front().tests.empty()) return Leaf(std::move(rows));
      const Test test = rows.front().tests.front();
      // Alternatives are split before anything is asked of their place, so that below here every
      // test of a place is a constructor, a literal or a list.
      if (SplitRows(test.place, &rows)) continue;
      if (IsMixed(rows, test)) break;
      if (test.pattern->kind == PatternKind::kConstructor) return BuildData(rows, test);
      return test.pattern->kind == PatternKind::kList ? BuildLengths(rows, test)
                                                      : BuildLiterals(rows, test);
    }
    return Fail();
  }

  // The row's test of this place; a row has at most one, because nested parts are other places.
  static const Test* TestOf(const MatchRow& row, int place) {
    const auto at = std::find_if(row.tests.begin(), row.tests.end(),
                                 [&](const Test& test) { return test.place == place; });
    return at == row.tests.end() ? nullptr : &*at;
  }

  // Constructors of different types, or literals beside lists, at one place. Only a program with a
  // type error has that, so there is nothing to build or to report.
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

  // The row's alternatives for the place or for something that the place is a part of; null if it
  // has none. They count because they may put a test there.
  const Test* ChoiceAbout(const MatchRow& row, int place) const {
    for (; place >= 0; place = tree_->places[static_cast<size_t>(place)].parent) {
      const Test* const test = TestOf(row, place);
      if (test != nullptr && test->pattern->kind == PatternKind::kOr) return test;
    }
    return nullptr;
  }

  // Replaces each row that has alternatives about the place by one row for each of them. False if
  // there are none. This is where trees grow, so the new rows count as nodes.
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

  // The alternatives of one row in their order, with everything else that the row asks.
  void SplitRow(const MatchRow& row, const Test& choice, std::vector<MatchRow>* split) {
    for (const PatternPtr& alternative : choice.pattern->args) {
      MatchRow one{.bindings = row.bindings,
                   .alternatives = row.alternatives,
                   .arm = row.arm,
                   .has_guard = row.has_guard};
      one.alternatives.push_back(alternative.get());
      // `choice` points into row.tests, so its address identifies it.
      for (const Test& each : row.tests) {
        if (&each == &choice)
          Expand(alternative.get(), choice.place, &one);
        else
          one.tests.push_back(each);
      }
      split->push_back(std::move(one));
    }
  }

  // No row is left. The first example found is the one of the earliest path, which is usually the
  // simplest.
  std::unique_ptr<Decision> Fail() {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kFail);
    node->example = Example(0);
    if (tree_->missing.empty()) tree_->missing = node->example;
    return node;
  }

  // The first row's case is the result; the rows behind it are reached only where its guard fails.
  std::unique_ptr<Decision> Leaf(std::vector<MatchRow> rows) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kMatch);
    node->arm = rows.front().arm;
    node->bindings = rows.front().bindings;
    ++tree_->uses[node->arm];
    // Alternatives on the way are marked, so that exhaustive.cc can warn about those that no leaf
    // marks.
    tree_->reached.insert(rows.front().alternatives.begin(), rows.front().alternatives.end());
    if (!rows.front().has_guard) return node;
    rows.erase(rows.begin());
    node->otherwise = Build(std::move(rows));
    return node;
  }

  // The rows that remain when the place is what `matches` accepts. Rows without a test of it stay,
  // because they accept anything there.
  template <class Matches>
  std::vector<MatchRow> Specialize(const std::vector<MatchRow>& rows, int place,
                                   const std::vector<int>& fields, const Matches& matches) {
    std::vector<const MatchRow*> left;
    for (const MatchRow& row : rows) {
      const Test* const at = TestOf(row, place);
      if (at == nullptr || matches(*at->pattern)) left.push_back(&row);
    }
    return Answered(left, place, fields);
  }

  // The rows with tests of the fields in place of those of the place.
  std::vector<MatchRow> Answered(const std::vector<const MatchRow*>& rows, int place,
                                 const std::vector<int>& fields) {
    std::vector<MatchRow> left;
    for (const MatchRow* const each : rows) {
      const MatchRow& row = *each;
      const Test* const at = TestOf(row, place);
      if (at == nullptr) {
        left.push_back(row);
        continue;
      }
      MatchRow kept{.bindings = row.bindings,
                    .alternatives = row.alternatives,
                    .arm = row.arm,
                    .has_guard = row.has_guard};
      const Pattern& pattern = *at->pattern;
      // Only the parts that the answer has: a list case of length n gives n items to look at.
      for (size_t i = 0; i < pattern.item_count() && i < fields.size(); ++i)
        Expand(pattern.args[i].get(), fields[i], &kept);
      if (pattern.has_rest)
        Expand(pattern.args.back().get(), RestOf(place, pattern.item_count()), &kept);
      // The order of the other tests stays; it decides what is asked next.
      for (const Test& test : row.tests) {
        if (test.place != place) kept.tests.push_back(test);
      }
      left.push_back(std::move(kept));
    }
    return left;
  }

  // The patterns that test the place, one for each value of `key`, in the order of the rows. One
  // more than `most` is the last.
  template <class Key>
  static auto TestsOf(const std::vector<MatchRow>& rows, int place, const Key& key,
                      size_t most = SIZE_MAX - 1) {
    std::vector<std::pair<decltype(key(*rows[0].tests[0].pattern)), const Pattern*>> found;
    for (const MatchRow& row : rows) {
      if (found.size() > most) break;
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

  // For each constructor that a row names, the rows that accept it, in their order: one walk, as
  // declarations may be long.
  static std::vector<std::vector<const MatchRow*>> RowsByTag(const std::vector<MatchRow>& rows,
                                                             const Test& test) {
    std::vector<std::vector<const MatchRow*>> found(test.pattern->data->constructors.size());
    std::vector<bool> is_named(found.size());
    for (const MatchRow& row : rows) {
      const Test* const at = TestOf(row, test.place);
      if (at != nullptr) is_named[static_cast<size_t>(at->pattern->tag)] = true;
    }
    for (const MatchRow& row : rows) {
      if (const Test* const at = TestOf(row, test.place)) {
        found[static_cast<size_t>(at->pattern->tag)].push_back(&row);
        continue;
      }
      for (size_t tag = 0; tag < found.size(); ++tag) {
        if (is_named[tag]) found[tag].push_back(&row);
      }
    }
    return found;
  }

  // A switch over constructors. Those that no row names share one branch.
  std::unique_ptr<Decision> BuildData(const std::vector<MatchRow>& rows, const Test& test) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kData);
    node->place = test.place;
    node->data = test.pattern->data;
    const std::vector<std::vector<const MatchRow*>> rows_of = RowsByTag(rows, test);
    // In the order of the declaration, which keeps the cases of the switch sorted by tag.
    for (size_t tag = 0; tag < rows_of.size(); ++tag) {
      if (rows_of[tag].empty()) continue;
      Decision::Case made;
      made.tag = static_cast<int>(tag);
      made.fields = Enter(test.place, *node->data, tag);
      made.then = Build(Answered(rows_of[tag], test.place, made.fields));
      // Known facts end with their branch: the next branch knows something else.
      known_.erase(test.place);
      node->cases.push_back(std::move(made));
    }
    // All constructors have a case, so nothing can be left over.
    if (node->cases.size() == rows_of.size()) return node;
    // The branch of all others needs one constructor as an example; the first without a case will
    // do.
    size_t absent = 0;
    while (!rows_of[absent].empty()) ++absent;
    Enter(test.place, *node->data, absent);
    node->otherwise = Build(Specialize(rows, test.place, {}, [](const Pattern&) { return false; }));
    known_.erase(test.place);
    return node;
  }

  // Records that the place holds this constructor on the path below, and gives the places of its
  // fields.
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

  // A case for each range of lengths that the patterns tell apart. Every list has some length, so
  // there is no branch for others; a pattern without rest ends its range at item_count + 1. The
  // last case holds all longer lists.
  std::unique_ptr<Decision> BuildLengths(const std::vector<MatchRow>& rows, const Test& test) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kLengths);
    node->place = test.place;
    // Length 0 begins the first range, so that the ranges cover all lists.
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
      // A range [length, next) behaves like its shortest list: a pattern with a rest fits if it has
      // no more items than that, one without only if it has exactly as many.
      made.then = Build(Specialize(rows, test.place, made.fields, [&](const Pattern& pattern) {
        return pattern.has_rest ? pattern.item_count() <= length : pattern.item_count() == length;
      }));
      node->cases.push_back(std::move(made));
    }
    known_.erase(test.place);
    return node;
  }

  // A chain of comparisons. Literals are compared by value (LiteralKey), so 16 and 0x10 are one
  // case.
  std::unique_ptr<Decision> BuildLiterals(const std::vector<MatchRow>& rows, const Test& test) {
    std::unique_ptr<Decision> node = Node(Decision::Kind::kLiterals);
    node->place = test.place;
    const auto literals = TestsOf(rows, test.place, LiteralKey, kMaxDepth);
    // Each is compared with all rows, and becomes a branch in those before it.
    if (literals.size() > kMaxDepth) {
      tree_->too_large = true;
      return Fail();
    }
    for (const auto& [key, literal] : literals) {
      Decision::Case made;
      made.literal = literal;
      known_[test.place] = {.literal = LiteralText(*literal)};
      made.then = Build(Specialize(rows, test.place, {}, [&key = key](const Pattern& pattern) {
        return LiteralKey(pattern) == key;
      }));
      node->cases.push_back(std::move(made));
    }
    // Bools have two values: with a case for each, nothing is left over.
    const bool bools = test.pattern->literal->kind == ExprKind::kBool;
    if (!bools || literals.size() < 2) {
      known_[test.place] = {.literal = Absent(*test.pattern, literals)};
      node->otherwise =
          Build(Specialize(rows, test.place, {}, [](const Pattern&) { return false; }));
    }
    known_.erase(test.place);
    return node;
  }

  // Text of a literal that is none of these, for the example: the smallest int from 0 or the
  // shortest string of x that is free. It ends, because the list is finite.
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

  // A value that comes to this point, as a pattern; "_" stands for whatever is not known about it.
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
  size_t depth_ = 0;
};

}  // namespace

DecisionTree BuildDecision(const std::vector<DecisionRow>& rows) {
  DecisionTree tree;
  Builder(&tree).Run(rows);
  return tree;
}

}  // namespace tern::lang
