// SPDX-License-Identifier: Apache-2.0
// A parser that writes the automaton's program as it goes, and the simulation of all its states.
#include "core/kernels/bind/regex.h"

#include <optional>
#include <utility>

#include "core/base/strings.h"
#include "core/base/utf8.h"

namespace tern::kernels::bind {
namespace {

// Steps bound memory and, for each character of a text, time; the depth bounds the stack of the
// parser.
constexpr size_t kMostSteps = 20000;
constexpr int kMostDepth = 200;
constexpr int kMostRepeats = 1000;  // RE2's own limit
constexpr uint32_t kLastCodePoint = 0x10FFFF;

using Range = std::pair<uint32_t, uint32_t>;  // first and last code point
using Ranges = std::vector<Range>;

// A constant table without constructors: nothing guards the first use of a static of core, and two
// threads may compile patterns at once. Unused ranges at the end are empty.
struct NamedRanges {
  std::string_view name;
  Range ranges[4];
};
constexpr Range kNoRange = {1, 0};
constexpr NamedRanges kNamed[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, kNoRange}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}, kNoRange, kNoRange}},
    {"ascii", {{0, 127}, kNoRange, kNoRange, kNoRange}},
    {"blank", {{'\t', '\t'}, {' ', ' '}, kNoRange, kNoRange}},
    {"cntrl", {{0, 31}, {127, 127}, kNoRange, kNoRange}},
    {"digit", {{'0', '9'}, kNoRange, kNoRange, kNoRange}},
    {"graph", {{'!', '~'}, kNoRange, kNoRange, kNoRange}},
    {"lower", {{'a', 'z'}, kNoRange, kNoRange, kNoRange}},
    {"print", {{' ', '~'}, kNoRange, kNoRange, kNoRange}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}, kNoRange, kNoRange}},
    {"upper", {{'A', 'Z'}, kNoRange, kNoRange, kNoRange}},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}, kNoRange}},
    {"d", {{'0', '9'}, kNoRange, kNoRange, kNoRange}},
    // RE2's \s has no vertical tab, unlike [[:space:]].
    {"s", {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}, kNoRange}},
    {"w", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
};

// Empty where there is no such set: every set has a range.
Ranges FindNamed(std::string_view name) {
  Ranges found;
  for (const NamedRanges& named : kNamed) {
    for (const Range& range : named.ranges) {
      if (named.name == name && range.first <= range.second) found.push_back(range);
    }
  }
  return found;
}

bool IsWordChar(uint32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// All code points that are in none of the ranges.
Ranges Complement(const Ranges& ranges) {
  Ranges rest;
  uint32_t next = 0;
  while (next <= kLastCodePoint) {
    // Ranges come in any order and may overlap: the nearest that ends at or behind `next` is looked
    // for each time.
    uint32_t nearest = kLastCodePoint + 1, end = kLastCodePoint;
    for (const auto& [first, last] : ranges) {
      if (last >= next && first < nearest) nearest = first, end = last;
    }
    if (nearest > next) rest.emplace_back(next, nearest - 1);
    next = end + 1 > next ? end + 1 : kLastCodePoint + 1;
    if (nearest > kLastCodePoint) break;
  }
  return rest;
}

}  // namespace

bool CharClass::Has(uint32_t c) const {
  for (const auto& [first, last] : ranges) {
    if (c >= first && c <= last) return !negated;
  }
  return negated;
}

// One function for each level of precedence: alternation, sequence, repetition, atom. Each writes
// code behind what there is, and takes it back where a split belongs in front.
class RegexParser {
 public:
  explicit RegexParser(std::string_view pattern) : pattern_(pattern) {}

  Result<Regex> Run() {
    Alternation(0);
    // An alternation ends at the end of the pattern or at a ')', and no group is open here.
    if (ok() && at_ < pattern_.size()) Fail("has a ')' without its '('");
    if (!ok()) return std::move(status_);
    return std::move(regex_);
  }

 private:
  using Step = Regex::Step;
  using Code = Regex::Code;
  using Place = Regex::Place;
  struct Flags {
    bool ignore_case = false, lines = false, dot_all = false;
  };

  bool ok() const { return status_.ok(); }
  // The first mistake counts: what the parser finds behind it may be its consequence.
  void Fail(std::string_view what) {
    if (ok())
      status_ = InvalidArgument("the pattern '", pattern_.substr(0, 100), "' ", what, " at byte ",
                                at_, "; RE2's syntax is expected");
  }
  void FailUnsupported(std::string_view what) {
    if (ok())
      status_ =
          Unsupported("the pattern '", pattern_.substr(0, 100), "' has ", what, " at byte ", at_);
  }
  bool AtEnd() const { return at_ >= pattern_.size(); }
  char Peek() const { return AtEnd() ? '\0' : pattern_[at_]; }
  bool Take(std::string_view text) {
    if (!pattern_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  uint32_t TakeCodePoint() {
    const char32_t c = DecodeUtf8(pattern_, &at_);
    if (c == kInvalidCodePoint) Fail("has bytes that are no UTF-8");
    return static_cast<uint32_t>(c);
  }

  size_t size() const { return regex_.program_.size(); }
  // Repetitions copy code, so a short pattern may ask for much of it.
  void Emit(Step step) {
    if (size() >= kMostSteps) return FailUnsupported("more states than are possible");
    regex_.program_.push_back(step);
  }
  void EmitClass(CharClass set) {
    regex_.classes_.push_back(std::move(set));
    Emit({Code::kClass, Place::kTextBegin, static_cast<int32_t>(regex_.classes_.size() - 1), 0});
  }
  void EmitPlace(Place place) { Emit({Code::kAssert, place, 0, 0}); }
  // Both ways are followed at once, so that their order says nothing about which is preferred.
  void EmitSplit(size_t a, size_t b) {
    Emit({Code::kSplit, Place::kTextBegin, static_cast<int32_t>(a), static_cast<int32_t>(b)});
  }
  void EmitAll(const std::vector<Step>& code) {
    for (const Step& step : code) {
      if (ok()) Emit(step);
    }
  }
  // The code from `begin` on, taken back so that a split can be put before it. Targets are
  // relative: code may be moved and copied.
  std::vector<Step> TakeCode(size_t begin) {
    std::vector<Step> code(regex_.program_.begin() + static_cast<ptrdiff_t>(begin),
                           regex_.program_.end());
    regex_.program_.resize(begin);
    return code;
  }

  // a|b|c: split to a or to the rest.
  void Alternation(int depth) {
    if (depth > kMostDepth) return FailUnsupported("groups too deep in each other");
    // Flags that are set within a group end with it.
    const Flags outer = flags_;
    std::vector<std::vector<Step>> branches;
    const size_t begin = size();
    do {
      Sequence(depth);
      branches.push_back(TakeCode(begin));
    } while (ok() && Take("|"));
    size_t rest = 0;  // behind the branch that is written
    for (const auto& branch : branches) rest += branch.size() + 2;
    // Every branch but the last is followed by a jump and has a split in front.
    rest -= 2;
    for (size_t i = 0; i + 1 < branches.size() && ok(); ++i) {
      rest -= branches[i].size() + 2;
      EmitSplit(1, branches[i].size() + 2);
      EmitAll(branches[i]);
      Emit({Code::kJump, Place::kTextBegin, static_cast<int32_t>(rest + 1), 0});
    }
    EmitAll(branches.back());
    flags_ = outer;
  }

  void Sequence(int depth) {
    while (ok() && !AtEnd() && (quoting_ || (Peek() != '|' && Peek() != ')'))) {
      const size_t begin = size();
      // Flags, for instance, write nothing that can be repeated: a '*' behind them is refused as
      // one that repeats nothing.
      if (quoting_ ? !Quoted() : !Atom(depth)) continue;
      while (ok() && Repeat(begin)) {
        if (Peek() == '*' || Peek() == '+' || Peek() == '?') Fail("repeats a repetition");
      }
    }
  }

  // False: nothing that can be repeated.
  bool Atom(int depth) {
    switch (Peek()) {
      case '(': return Group(depth);
      case '[': return ++at_, Set(), true;
      case '.': return ++at_, Dot(), true;
      case '^': return ++at_, EmitPlace(flags_.lines ? Place::kLineBegin : Place::kTextBegin), true;
      case '$': return ++at_, EmitPlace(flags_.lines ? Place::kLineEnd : Place::kTextEnd), true;
      case '\\': return Escape();
      case '*':
      case '+':
      case '?': return Fail("repeats nothing"), true;
      default: return Literal(TakeCodePoint()), true;
    }
  }

  // A character is a class of one, so that matching knows one kind of step that reads.
  void Literal(uint32_t c) { EmitClass(Folded({{{c, c}}, false})); }

  void Dot() {
    if (flags_.dot_all) return EmitClass({{{0, kLastCodePoint}}, false});
    EmitClass({{{'\n', '\n'}}, true});
  }

  // Letters of ASCII alone, although RE2 folds all of Unicode: its tables would be larger than all
  // of this.
  CharClass Folded(CharClass set) const {
    if (!flags_.ignore_case) return set;
    const Ranges ranges = set.ranges;
    for (const auto& [first, last] : ranges) {
      for (uint32_t c = 'A'; c <= 'Z'; ++c) {
        const uint32_t small = c + 32;
        if (c >= first && c <= last) set.ranges.emplace_back(small, small);
        if (small >= first && small <= last) set.ranges.emplace_back(c, c);
      }
    }
    return set;
  }

  // (…), (?:…), (?P<name>…), (?<name>…), (?flags) and (?flags:…).
  bool Group(int depth) {
    ++at_;
    if (Take("?P<") || Take("?<")) {
      // Names of groups are for captures, which nobody asks for here.
      const size_t end = pattern_.find('>', at_);
      if (end == std::string_view::npos || end == at_)
        return Fail("has a group without its name"), true;
      at_ = end + 1;
    } else if (Take("?")) {
      const Flags before = flags_;
      if (!ReadFlags()) return true;
      if (Take(")")) return false;  // for the rest of the group around it
      if (!Take(":")) return Fail("has an unknown kind of group"), true;
      Alternation(depth + 1);
      flags_ = before;
      if (!Take(")")) Fail("has a '(' without its ')'");
      return true;
    }
    Alternation(depth + 1);
    if (!Take(")")) Fail("has a '(' without its ')'");
    return true;
  }

  // A '-' turns off what follows it: (?i-s) ignores case and keeps the dot from the end of a line.
  bool ReadFlags() {
    bool on = true;
    for (; ok() && !AtEnd() && Peek() != ')' && Peek() != ':'; ++at_) {
      switch (Peek()) {
        case '-': on = false; break;
        case 'i': flags_.ignore_case = on; break;
        case 'm': flags_.lines = on; break;
        case 's': flags_.dot_all = on; break;
        // Which of several matches is taken makes no difference to whether the whole text matches.
        case 'U': break;
        default: Fail("has an unknown flag");
      }
    }
    return ok();
  }

  // One of * + ? {n} {n,} {n,m}, each maybe with a ? behind it, of the code from `begin` on.
  bool Repeat(size_t begin) {
    int least = 0, most = -1;
    if (Take("*")) {
    } else if (Take("+")) {
      least = 1;
    } else if (Take("?")) {
      most = 1;
    } else if (!ReadCounts(&least, &most)) {
      return false;
    }
    // The same holds for a repetition that would rather be short.
    Take("?");
    const std::vector<Step> code = TakeCode(begin);
    for (int i = 0; i < least && ok(); ++i) EmitAll(code);
    if (most < 0) {
      EmitSplit(1, code.size() + 2);
      EmitAll(code);
      Emit({Code::kJump, Place::kTextBegin, -static_cast<int32_t>(code.size() + 1), 0});
    }
    // Each optional copy may skip all copies behind it.
    for (int i = least; i < most && ok(); ++i) {
      EmitSplit(1, static_cast<size_t>(most - i) * (code.size() + 1));
      EmitAll(code);
    }
    return true;
  }

  // A brace that is not followed by counts is a letter like any other.
  bool ReadCounts(int* least, int* most) {
    if (Peek() != '{') return false;
    size_t at = at_ + 1;
    const std::optional<int> first = ReadCount(&at);
    if (!first) return false;
    *least = *most = *first;
    if (at < pattern_.size() && pattern_[at] == ',') {
      const std::optional<int> second = ReadCount(&++at);
      *most = second.value_or(-1);
    }
    if (at >= pattern_.size() || pattern_[at] != '}') return false;
    at_ = at + 1;
    if (*least > kMostRepeats || *most > kMostRepeats || (*most >= 0 && *most < *least))
      Fail("repeats something a number of times that is not possible");
    return true;
  }

  std::optional<int> ReadCount(size_t* at) const {
    const size_t begin = *at;
    int count = 0;
    for (; *at < pattern_.size() && pattern_[*at] >= '0' && pattern_[*at] <= '9'; ++*at)
      // A number that is too large already grows no further, so that no length of it overflows.
      count = count > kMostRepeats ? count : count * 10 + (pattern_[*at] - '0');
    return *at == begin ? std::nullopt : std::optional<int>(count);
  }

  // Behind a backslash, outside of a set. False: nothing that can be repeated.
  bool Escape() {
    ++at_;
    if (Take("A")) return EmitPlace(Place::kTextBegin), true;
    if (Take("z")) return EmitPlace(Place::kTextEnd), true;
    if (Take("b")) return EmitPlace(Place::kWord), true;
    if (Take("B")) return EmitPlace(Place::kNoWord), true;
    if (Take("Q")) return quoting_ = !Take("\\E"), false;
    if (Take("C")) return FailUnsupported("a single byte (\\C)"), true;
    CharClass set;
    if (EscapedSet(&set.ranges)) return EmitClass(Folded(std::move(set))), true;
    Literal(EscapedChar());
    return true;
  }

  // What is between \Q and \E is meant as it is; the last of it can be repeated.
  bool Quoted() {
    Literal(TakeCodePoint());
    quoting_ = !Take("\\E");
    return !quoting_;
  }

  bool EscapedSet(Ranges* ranges) {
    const char c = Peek();
    if (c == 'p' || c == 'P') return FailUnsupported("a Unicode class (\\p)"), true;
    const char small = static_cast<char>(c | 0x20);
    if (small != 'd' && small != 's' && small != 'w') return false;
    const Ranges named = FindNamed(std::string_view(&small, 1));
    const Ranges added = c == small ? named : Complement(named);
    ranges->insert(ranges->end(), added.begin(), added.end());
    ++at_;
    return true;
  }

  uint32_t EscapedChar() {
    if (AtEnd()) return Fail("ends with a backslash"), 0;
    const uint32_t c = TakeCodePoint();
    switch (c) {
      case 'a': return '\a';
      case 'f': return '\f';
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      case 'v': return '\v';
      case 'x': return HexChar();
      case '0': return OctalChar();
      default: break;
    }
    // Letters and digits are reserved for escapes to come; of signs the backslash takes any
    // meaning.
    if (c < 128 && IsWordChar(c) && c != '_') Fail("has an unknown escape");
    return c;
  }

  static int DigitOf(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char small = static_cast<char>(c | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : 99;
  }

  // \x7F and \x{10FFFF}.
  uint32_t HexChar() {
    const bool braces = Take("{");
    uint32_t value = 0;
    int digits = 0;
    for (; !AtEnd() && DigitOf(Peek()) < 16 && digits < (braces ? 8 : 2); ++digits, ++at_)
      value = value * 16 + static_cast<uint32_t>(DigitOf(Peek()));
    const bool complete = braces ? digits > 0 && Take("}") : digits == 2;
    if (!complete || value > kLastCodePoint) Fail("has an incomplete \\x");
    return value;
  }

  uint32_t OctalChar() {
    uint32_t value = 0;
    for (int i = 0; i < 2 && !AtEnd() && DigitOf(Peek()) < 8; ++i, ++at_)
      value = value * 8 + static_cast<uint32_t>(DigitOf(Peek()));
    return value;
  }

  // Behind a '['.
  void Set() {
    CharClass set;
    set.negated = Take("^");
    // A ']' that comes first is a member of the set.
    for (bool first = true; ok() && (first || Peek() != ']'); first = false) {
      if (AtEnd()) return Fail("has a '[' without its ']'");
      if (Take("[:")) {
        NamedSet(&set.ranges);
        continue;
      }
      const bool escaped = Take("\\");
      if (escaped && EscapedSet(&set.ranges)) continue;
      SetRange(escaped, &set.ranges);
    }
    ++at_;
    EmitClass(Folded(std::move(set)));
  }

  // A character, or two and all between them; escaped: the backslash of the first has been taken.
  void SetRange(bool escaped, Ranges* ranges) {
    const uint32_t first = escaped ? EscapedChar() : TakeCodePoint();
    uint32_t last = first;
    if (ok() && Peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']') {
      ++at_;
      last = Take("\\") ? EscapedChar() : TakeCodePoint();
    }
    if (last < first) return Fail("has a range whose end is before its begin");
    ranges->emplace_back(first, last);
  }

  void NamedSet(Ranges* ranges) {
    const bool negated = Take("^");
    const size_t end = pattern_.find(":]", at_);
    const Ranges named =
        end == std::string_view::npos ? Ranges() : FindNamed(pattern_.substr(at_, end - at_));
    if (named.empty()) return Fail("has an unknown named set");
    const Ranges added = negated ? Complement(named) : named;
    ranges->insert(ranges->end(), added.begin(), added.end());
    at_ = end + 2;
  }

  std::string_view pattern_;
  size_t at_ = 0;
  Flags flags_;
  bool quoting_ = false;
  Regex regex_;
  Status status_;
};

Result<Regex> Regex::Compile(std::string_view pattern) { return RegexParser(pattern).Run(); }

// --- matching

namespace {

// The states that the automaton may be in, each once.
class States {
 public:
  // A mark counts up instead of being cleared, so that Clear takes no time.
  explicit States(size_t size) : marks_(size, 0) {}

  void Clear() {
    list_.clear();
    ++mark_;
  }
  bool Add(size_t state) {
    if (marks_[state] == mark_) return false;
    marks_[state] = mark_;
    list_.push_back(state);
    return true;
  }
  const std::vector<size_t>& list() const { return list_; }
  bool Has(size_t state) const { return marks_[state] == mark_; }

 private:
  std::vector<size_t> list_;
  std::vector<uint64_t> marks_;
  uint64_t mark_ = 1;
};

// What is left and right of a position; no code point at the ends of the text.
struct Neighbours {
  std::optional<uint32_t> before, after;
};

bool IsAt(Regex::Place place, const Neighbours& n) {
  // A border of words lies between a character of words and another one, or an end of the text.
  const bool word = (n.before && IsWordChar(*n.before)) != (n.after && IsWordChar(*n.after));
  switch (place) {
    case Regex::Place::kTextBegin: return !n.before;
    case Regex::Place::kTextEnd: return !n.after;
    case Regex::Place::kLineBegin: return !n.before || *n.before == '\n';
    case Regex::Place::kLineEnd: return !n.after || *n.after == '\n';
    case Regex::Place::kWord: return word;
    case Regex::Place::kNoWord: return !word;
  }
  return false;
}

// The state and all that follow without reading a character.
void Follow(const std::vector<Regex::Step>& program, size_t state, const Neighbours& n,
            States* states) {
  std::vector<size_t> open{state};
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    // The place behind the last step is the end: a text matches where it is among the states. A
    // state that is there already ends loops of empty steps.
    if (!states->Add(at) || at == program.size()) continue;
    const Regex::Step& step = program[at];
    const auto to = [at](int32_t by) { return static_cast<size_t>(static_cast<int64_t>(at) + by); };
    if (step.code == Regex::Code::kJump) open.push_back(to(step.a));
    if (step.code == Regex::Code::kSplit) {
      open.push_back(to(step.a));
      open.push_back(to(step.b));
    }
    if (step.code == Regex::Code::kAssert && IsAt(step.place, n)) open.push_back(at + 1);
  }
}

std::optional<uint32_t> PeekCodePoint(std::string_view text, size_t at) {
  if (at >= text.size()) return std::nullopt;
  return static_cast<uint32_t>(DecodeUtf8(text, &at));
}

}  // namespace

// All states at once, character by character: time is bounded by text times program, whatever the
// pattern, where trying one way after another may take exponential time.
size_t Regex::LongestAt(std::string_view text, size_t from, size_t* seen) const {
  States now(program_.size() + 1), next(program_.size() + 1);
  Neighbours n{std::nullopt, PeekCodePoint(text, from)};
  if (from > 0) {
    size_t before = from - 1;
    // Back to the first byte of the character before: the others begin with the bits 10.
    while (before > 0 && (text[before] & 0xC0) == 0x80) --before;
    n.before = PeekCodePoint(text, before);
  }
  Follow(program_, 0, n, &now);
  size_t at = from, end = now.Has(program_.size()) ? from : text.npos;
  while (at < text.size() && !now.list().empty()) {
    const auto c = static_cast<uint32_t>(DecodeUtf8(text, &at));
    n = {c, PeekCodePoint(text, at)};
    next.Clear();
    for (const size_t state : now.list()) {
      if (state == program_.size() || program_[state].code != Code::kClass) continue;
      if (classes_[static_cast<size_t>(program_[state].a)].Has(c))
        Follow(program_, state + 1, n, &next);
    }
    std::swap(now, next);
    if (now.Has(program_.size())) end = at;
  }
  *seen = at;
  return end;
}

}  // namespace tern::kernels::bind
