// SPDX-License-Identifier: Apache-2.0
// tern.string.*: positions and lengths count code points, so that programs never see half a
// character; an invalid byte counts as one. UTF-8 has no index, so every position costs a walk from
// the begin.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/object/containers/sequence.h"
#include "core/object/memory_account.h"
#include "core/vm/builtins/value_builtins.h"

namespace tern::vm {
namespace {

// A bound that no real program meets; it keeps sizes in bytes far from overflow.
constexpr size_t kMaxBytes = size_t{1} << 28;
// At most what a part of a text takes in a list: its view while parts are looked for, its item, and
// an object of its own.
constexpr uint64_t kPartBytes = 112;

Result<std::string_view> StringArgument(const AnyView& value) {
  return value.As<std::string_view>();
}

// Asks for room for a new text of so many bytes, twice: it is built and then copied into its
// object.
Status CheckText(uint64_t bytes) {
  if (bytes > kMaxBytes) return OutOfRange("a string of more than 2^28 bytes");
  return CheckRoom(2 * bytes);
}

// The byte offset of code point `index`; the end's for index == length; nothing past it.
std::optional<size_t> OffsetOf(std::string_view text, int64_t index) {
  size_t offset = 0;
  for (; index > 0 && offset < text.size(); --index) DecodeUtf8(text, &offset);
  return index == 0 ? std::optional(offset) : std::nullopt;
}

Result<Any> StringLength(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  return Any(static_cast<int64_t>(Utf8Length(text)));
}

Result<Any> StringConcat(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view a, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view b, StringArgument(args[1]));
  TERN_TRY(CheckText(a.size() + b.size()));
  return Any(StrCat(a, b));
}

// Both ends in code points, counted from the begin.
Result<Any> StringSliceOf(std::string_view text, int64_t begin, int64_t end) {
  const std::optional<size_t> first = begin < 0 ? std::nullopt : OffsetOf(text, begin);
  const std::optional<size_t> last = end < begin ? std::nullopt : OffsetOf(text, end);
  if (!first.has_value() || !last.has_value()) {
    return OutOfRange("characters ", begin, " up to ", end, " of a string of ", Utf8Length(text));
  }
  TERN_TRY(CheckText(*last - *first));
  return Any(std::string(text.substr(*first, *last - *first)));
}

// The position counted from the begin: below zero it counts from the end.
int64_t FromFirst(int64_t index, std::string_view text) {
  return index < 0 ? index + static_cast<int64_t>(Utf8Length(text)) : index;
}

Result<Any> StringSlice(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const int64_t begin, args[1].As<int64_t>());
  TERN_TRY_ASSIGN(const int64_t end, args[2].As<int64_t>());
  return StringSliceOf(text, FromFirst(begin, text), FromFirst(end, text));
}

Result<Any> StringGet(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const int64_t index, args[1].As<int64_t>());
  // Checked before the slice, so that the message speaks of one index.
  const int64_t position = FromFirst(index, text);
  if (position < 0 || position >= static_cast<int64_t>(Utf8Length(text)))
    return OutOfRange("index ", index, " is out of range for a string of ", Utf8Length(text));
  return StringSliceOf(text, position, position + 1);
}

Result<Any> StringChars(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  // One-character texts lie in items; kItemBytes is more than each takes.
  TERN_TRY(CheckRoom(text.size() * kItemBytes));
  SequencePtr chars = Sequence::Make();
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    DecodeUtf8(text, &at);
    chars->PushText(text.substr(begin, at - begin));
  }
  return Any(chars);
}

Result<Any> StringFind(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view part, StringArgument(args[1]));
  const size_t at = text.find(part);
  // Not found is -1, as in Python.
  if (at == std::string_view::npos) return Any(int64_t{-1});
  // The byte offset as code points.
  return Any(static_cast<int64_t>(Utf8Length(text.substr(0, at))));
}

Result<Any> StringContains(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view part, StringArgument(args[1]));
  return Any(text.find(part) != std::string_view::npos);
}

Result<Any> StringStartsWith(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view part, StringArgument(args[1]));
  return Any(text.starts_with(part));
}

Result<Any> StringEndsWith(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view part, StringArgument(args[1]));
  return Any(text.ends_with(part));
}

// The number of parts that a separator which is not empty cuts a text into. Counted ahead of the
// cutting, so that memory can be asked for.
size_t CountParts(std::string_view text, std::string_view separator) {
  size_t count = 1;
  for (size_t at = 0; (at = text.find(separator, at)) != std::string_view::npos; ++count)
    at += separator.size();
  return count;
}

// Views into the text: nothing is copied before the memory was asked for.
std::vector<std::string_view> Parts(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at; (at = text.find(separator, begin)) != std::string_view::npos;) {
    parts.push_back(text.substr(begin, at - begin));
    begin = at + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

Result<Any> StringSplit(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view separator, StringArgument(args[1]));
  if (separator.empty())
    return InvalidArgument("split needs a separator; chars gives the characters of a string");
  // Each part's text, and what a part takes in a list. The view, the item and the object make
  // kPartBytes.
  TERN_TRY(CheckRoom(2 * text.size() + CountParts(text, separator) * kPartBytes));
  SequencePtr list = Sequence::Make();
  for (std::string_view part : Parts(text, separator)) list->PushText(part);
  return Any(list);
}

Result<Any> StringJoin(AnyArgs args) {
  TERN_TRY_ASSIGN(const Sequence* list, args[0].As<Sequence>());
  TERN_TRY_ASSIGN(const std::string_view separator, StringArgument(args[1]));
  uint64_t bytes = 0;
  // First the lengths, so that the text is made in one piece of checked size.
  for (const AnyView& item : *list) {
    TERN_TRY_ASSIGN(const std::string_view part, StringArgument(item));
    bytes += separator.size() + part.size();
  }
  // One separator less than there are parts.
  TERN_TRY(CheckText(bytes - std::min<uint64_t>(bytes, separator.size())));
  std::string out;
  out.reserve(static_cast<size_t>(bytes));
  for (size_t i = 0; i < list->size(); ++i) {
    const AnyView item = (*list)[i];  // short text lies in it
    TERN_TRY_ASSIGN(const std::string_view part, StringArgument(item));
    StrAppend(&out, i == 0 ? std::string_view() : separator, part);
  }
  return Any(std::move(out));
}

Result<Any> StringReplace(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view part, StringArgument(args[1]));
  TERN_TRY_ASSIGN(const std::string_view with, StringArgument(args[2]));
  if (part.empty()) return InvalidArgument("replace needs a part that is not empty");
  const uint64_t count = CountParts(text, part);
  // One replacement less than there are parts.
  TERN_TRY(CheckText(text.size() + (count - 1) * with.size()));
  // And what the list of parts takes while the result is made.
  TERN_TRY(CheckRoom(2 * text.size() + count * (kPartBytes + 2 * with.size())));
  return Any(StrJoin(Parts(text, part), with));
}

Result<Any> StringRepeat(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const int64_t count, args[1].As<int64_t>());
  if (count < 0) return OutOfRange("a string repeated ", count, " times");
  // Compared by division, since the product may overflow.
  const auto most = static_cast<int64_t>(text.empty() ? 0 : kMaxBytes / text.size());
  if (!text.empty() && count > most) return OutOfRange("a string of more than 2^28 bytes");
  TERN_TRY(CheckText(text.size() * static_cast<uint64_t>(count)));
  std::string out;
  out.reserve(text.size() * static_cast<size_t>(count));
  // Without the test an empty text would be added 2^63 times.
  for (int64_t i = 0; i < count && !text.empty(); ++i) out += text;
  return Any(std::move(out));
}

Result<Any> StringTrim(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  TERN_TRY(CheckText(text.size()));
  // ASCII white space only; core/object/strings has the Unicode kind for hosts.
  return Any(std::string(StrTrim(text)));
}

// ASCII letters only, whose cases differ in one bit; other bytes, parts of UTF-8 among them, stay.
Result<Any> StringMapLetters(const AnyView& value, char first, char last) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(value));
  TERN_TRY(CheckText(text.size()));
  std::string out(text);
  for (char& c : out) {
    if (c >= first && c <= last) c = static_cast<char>(c ^ 0x20);
  }
  return Any(std::move(out));
}

Result<Any> StringUpper(AnyArgs args) { return StringMapLetters(args[0], 'a', 'z'); }
Result<Any> StringLower(AnyArgs args) { return StringMapLetters(args[0], 'A', 'Z'); }

Result<Any> StringCode(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  if (text.empty()) return InvalidArgument("the empty string has no first character");
  // Only here invalid UTF-8 is an error: there is no number to give.
  size_t at = 0;
  const char32_t code = DecodeUtf8(text, &at);
  if (code == kInvalidCodePoint)
    return InvalidArgument("the string does not begin with valid UTF-8");
  return Any(static_cast<int64_t>(code));
}

Result<Any> StringFromCode(AnyArgs args) {
  TERN_TRY_ASSIGN(const int64_t code, args[0].As<int64_t>());
  // Surrogates are no code points and have no UTF-8.
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return OutOfRange(code, " is not a code point");
  std::string text;
  AppendUtf8(&text, static_cast<char32_t>(code));
  return Any(std::move(text));
}

// parse_int and parse_float fail on bad text; is_int and is_float are for programs that ask first.
Result<Any> StringIsInt(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  return Any(ParseInt64(text).has_value());
}

Result<Any> StringToInt(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  const std::optional<int64_t> value = ParseInt64(text);
  if (!value.has_value()) return InvalidArgument("'", text, "' is not an int");
  return Any(*value);
}

Result<Any> StringIsFloat(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  return Any(ParseDouble(text).has_value());
}

Result<Any> StringToFloat(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view text, StringArgument(args[0]));
  const std::optional<double> value = ParseDouble(text);
  if (!value.has_value()) return InvalidArgument("'", text, "' is not a float");
  return Any(*value);
}

Result<Any> StringIsLess(AnyArgs args) {
  TERN_TRY_ASSIGN(const std::string_view a, StringArgument(args[0]));
  TERN_TRY_ASSIGN(const std::string_view b, StringArgument(args[1]));
  // By bytes, which for UTF-8 is the order of code points.
  return Any(a < b);
}

constexpr ValueBuiltin kStrings[] = {
    {"tern.string.length", 1, &StringLength},
    {"tern.string.concat", 2, &StringConcat},
    {"tern.string.slice", 3, &StringSlice},
    {"tern.string.get", 2, &StringGet},
    {"tern.string.chars", 1, &StringChars},
    {"tern.string.find", 2, &StringFind},
    {"tern.string.contains", 2, &StringContains},
    {"tern.string.starts_with", 2, &StringStartsWith},
    {"tern.string.ends_with", 2, &StringEndsWith},
    {"tern.string.split", 2, &StringSplit},
    {"tern.string.join", 2, &StringJoin},
    {"tern.string.replace", 3, &StringReplace},
    {"tern.string.repeat", 2, &StringRepeat},
    {"tern.string.trim", 1, &StringTrim},
    {"tern.string.upper", 1, &StringUpper},
    {"tern.string.lower", 1, &StringLower},
    {"tern.string.code", 1, &StringCode},
    {"tern.string.from_code", 1, &StringFromCode},
    {"tern.string.is_int", 1, &StringIsInt},
    {"tern.string.parse_int", 1, &StringToInt},
    {"tern.string.is_float", 1, &StringIsFloat},
    {"tern.string.parse_float", 1, &StringToFloat},
    {"tern.string.less", 2, &StringIsLess},
};

}  // namespace

std::span<const ValueBuiltin> StringBuiltins() { return kStrings; }

}  // namespace tern::vm
