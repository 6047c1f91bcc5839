// SPDX-License-Identifier: Apache-2.0
// A recursive-descent JSON parser (RFC 8259) with a sticky first error. Fail moves to the end, so
// that every loop stops; depth is limited, because text may come from anywhere.
#include "core/base/json_reader.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/base/json.h"
#include "core/base/names.h"
#include "core/base/strings.h"
#include "core/base/utf8.h"

namespace tern {
namespace {

class Parser {
 public:
  Parser(std::string_view text, int max_depth) : text_(text), max_depth_(max_depth) {}

  Result<JsonValue> Parse() {
    JsonValue value = Value(0);
    SkipSpace();
    if (status_.ok() && at_ != text_.size()) Fail("text behind the value");
    if (!status_.ok()) return std::move(status_);
    return value;
  }

 private:
  // Only the first error counts; later ones are its consequences.
  void Fail(std::string_view what) {
    if (!status_.ok()) return;
    status_ = Corrupt("JSON at offset ", at_, ": ", what);
    at_ = text_.size();
  }
  void Expected(std::string_view what) {
    if (at_ >= text_.size()) return Fail(StrCat("expected ", what, ", got the end"));
    Fail(StrCat("expected ", what, ", got ", JsonQuote(text_.substr(at_, 1))));
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  JsonValue Value(int depth) {
    SkipSpace();
    // A failed parser reads '\0' below, which is no value and adds no second error.
    if (depth > max_depth_) Fail(StrCat("nested deeper than ", max_depth_, " levels"));
    switch (Peek()) {
      case '{': return Object(depth);
      case '[': return Array(depth);
      case '"': {
        JsonValue value;
        value.kind = JsonValue::Kind::kString;
        value.text = String();
        return value;
      }
      default: return IsDigit(Peek()) || Peek() == '-' ? Number() : Word();
    }
  }

  // Words are compared as prefixes; what follows them is looked at by the caller.
  JsonValue Word() {
    JsonValue value;
    const std::string_view rest = text_.substr(at_);
    const std::pair<std::string_view, JsonValue::Kind> words[] = {
        {"null", JsonValue::Kind::kNull},
        {"true", JsonValue::Kind::kBool},
        {"false", JsonValue::Kind::kBool}};
    for (const auto& [word, kind] : words) {
      if (!rest.starts_with(word)) continue;
      value.kind = kind;
      value.boolean = word == "true";
      at_ += word.size();
      return value;
    }
    Expected("a value");
    return value;
  }

  // At least one digit is needed wherever digits may stand.
  void Digits() {
    if (!IsDigit(Peek())) return Expected("a digit");
    while (IsDigit(Peek())) ++at_;
  }

  JsonValue Number() {
    const size_t begin = at_;
    Take('-');
    // A zero leads no further digits: 01 is no number.
    if (!Take('0')) Digits();
    if (Take('.')) Digits();
    if (Peek() == 'e' || Peek() == 'E') {
      ++at_;
      if (!Take('+')) Take('-');
      Digits();
    }
    JsonValue value;
    value.kind = JsonValue::Kind::kNumber;
    // Kept as text, so that readers decide whether it is an int64 or a double; a double would lose
    // digits of large ints.
    if (status_.ok()) value.text = text_.substr(begin, at_ - begin);
    return value;
  }

  JsonValue Array(int depth) {
    JsonValue value;
    value.kind = JsonValue::Kind::kArray;
    ++at_;
    SkipSpace();
    if (Take(']')) return value;
    while (status_.ok()) {
      // The depth of the container is that of its brackets.
      value.items.push_back(Value(depth + 1));
      SkipSpace();
      if (Take(']')) return value;
      if (!Take(',')) Expected("',' or ']'");
    }
    return value;
  }

  JsonValue Object(int depth) {
    JsonValue value;
    value.kind = JsonValue::Kind::kObject;
    std::unordered_set<std::string> names;  // so that an object of n members costs n look-ups
    ++at_;
    SkipSpace();
    if (Take('}')) return value;
    while (status_.ok()) {
      SkipSpace();
      if (Peek() != '"') Expected("a name in quotes");
      std::string name = String();
      // A second member of one name would be read by some programs and overwritten by others.
      if (!names.insert(name).second) Fail(StrCat("the name ", JsonQuote(name), " is there twice"));
      SkipSpace();
      if (!Take(':')) Expected("':'");
      value.names.push_back(std::move(name));
      value.items.push_back(Value(depth + 1));
      SkipSpace();
      if (Take('}')) return value;
      if (!Take(',')) Expected("',' or '}'");
    }
    return value;
  }

  std::string String() {
    std::string out;
    if (!Take('"')) return out;
    while (at_ < text_.size()) {
      const size_t begin = at_;
      const char32_t c = DecodeUtf8(text_, &at_);
      if (c == '"') return out;
      // Control characters must be escaped; invalid UTF-8 has no meaning in JSON.
      if (c == kInvalidCodePoint || c < 0x20) {
        at_ = begin;
        Fail(c < 0x20 ? "a control character in a string" : "invalid UTF-8");
      } else if (c == '\\') {
        const std::string_view expected = ReadJsonEscape(text_, &at_, &out);
        if (!expected.empty()) Expected(expected);
      } else {
        out.append(text_, begin, at_ - begin);
      }
    }
    Expected("'\"'");
    return out;
  }

  std::string_view text_;
  int max_depth_;
  size_t at_ = 0;
  Status status_;
};

}  // namespace

// Linear: objects have few members and keep their order.
const JsonValue* JsonValue::Find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<size_t>(found - names.begin())];
}

std::string_view JsonKindName(JsonValue::Kind kind) {
  constexpr std::string_view kNames[] = {"null",     "a bool",   "a number",
                                         "a string", "an array", "an object"};
  return kNames[static_cast<int>(kind)];
}

namespace {

// Four digits; false at the first other character.
bool ReadHex4(std::string_view text, size_t* at, char32_t* value) {
  *value = 0;
  for (int i = 0; i < 4; ++i, ++*at) {
    const int digit = *at < text.size() ? HexDigitValue(text[*at]) : -1;
    if (digit < 0) return false;
    *value = *value << 4 | static_cast<char32_t>(digit);
  }
  return true;
}

}  // namespace

std::string_view ReadJsonEscape(std::string_view text, size_t* at, std::string* out) {
  // The two texts pair up by position.
  constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
  constexpr std::string_view kDigits = "four hexadecimal digits";
  const char letter = *at < text.size() ? text[*at] : '\0';
  const size_t plain = kFrom.find(letter);
  if (letter != '\0' && plain != std::string_view::npos) return *out += kTo[plain], ++*at, "";
  if (letter != 'u') return "an escape";
  ++*at;
  char32_t c = 0, low = 0;
  if (!ReadHex4(text, at, &c)) return kDigits;
  // Characters beyond U+FFFF are written as two surrogates, of which each alone is an error.
  if (c >= 0xD800 && c < 0xDC00 && text.substr(*at).starts_with("\\u")) {
    *at += 2;
    if (!ReadHex4(text, at, &low)) return kDigits;
    if (low >= 0xDC00 && low < 0xE000) c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  }
  if (c >= 0xD800 && c < 0xE000) return "the other half of a surrogate pair";
  AppendUtf8(out, c);
  return "";
}

Result<JsonValue> ParseJson(std::string_view text, int max_depth) {
  return Parser(text, max_depth).Parse();
}

}  // namespace tern
