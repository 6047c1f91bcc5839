// SPDX-License-Identifier: Apache-2.0
// Attrs: text to entries, entries to values.
#include "core/object/attrs.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/strings.h"

namespace tern {
namespace {

// A list without elements has a spelling of its own, since an empty value would be mistaken for a
// missing one.
constexpr std::string_view kEmptyList = "[]";

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool IsIdentifier(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c); });
}

// Operator names may have dots ("vm.copy").
bool IsOperatorName(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '.';
  });
}

// The characters of a value. '>' is there for the arrow of einsum's equations. Spaces, braces and
// '=' are not, so that the text of a primitive can be split without quoting.
bool IsValue(std::string_view text) {
  if (text == kEmptyList) return true;
  const auto legal = [](char c) {
    return IsLetter(c) || IsDigit(c) || std::string_view("+-.,>").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), legal) && text.front() != ',' &&
         text.back() != ',' && text.find(",,") == std::string_view::npos;
}

// None if any part is not an integer, so that a caller can tell a wrong kind from an empty list.
std::optional<std::vector<int64_t>> ParseInts(std::string_view text) {
  std::vector<int64_t> values;
  if (text == kEmptyList) return values;
  for (const std::string_view part : StrSplit(text, ',')) {
    const std::optional<int64_t> value = ParseInt64(part);
    if (!value.has_value()) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<float>> ParseFloats(std::string_view text) {
  std::vector<float> values;
  if (text == kEmptyList) return values;
  for (const std::string_view part : StrSplit(text, ',')) {
    const std::optional<float> value = ParseFloat(part);
    if (!value.has_value()) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

}  // namespace

Result<Attrs> Attrs::Parse(std::string_view text) {
  Attrs attrs;
  // Several spaces in a row are tolerated; ToText writes one, which makes the text canonical.
  for (const std::string_view part : StrSplit(text, ' ')) {
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    if (equals == std::string_view::npos || !IsIdentifier(key)) {
      return InvalidArgument("expected key=value, got '", part, "'");
    }
    const std::string_view value = part.substr(equals + 1);
    if (!IsValue(value)) return InvalidArgument("attribute '", key, "': bad value '", value, "'");
    if (attrs.Has(key)) return InvalidArgument("attribute '", key, "' is given twice");
    attrs.entries_.emplace_back(key, value);
  }
  return attrs;
}

std::string Attrs::ToText() const {
  std::string out;
  for (const auto& [key, value] : entries_)
    StrAppend(&out, out.empty() ? "" : " ", key, "=", value);
  return out;
}

// Linear, because operators have at most a dozen attributes and the order is part of the value.
const std::string* Attrs::Find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.first == key) return &entry.second;
  }
  return nullptr;
}

int64_t Attrs::GetInt(std::string_view key, int64_t fallback) const {
  const std::string* text = Find(key);
  return text != nullptr ? ParseInt64(*text).value_or(fallback) : fallback;
}

double Attrs::GetFloat(std::string_view key, double fallback) const {
  const std::string* text = Find(key);
  return text != nullptr ? ParseDouble(*text).value_or(fallback) : fallback;
}

std::string Attrs::GetString(std::string_view key, std::string_view fallback) const {
  const std::string* text = Find(key);
  return text != nullptr ? *text : std::string(fallback);
}

std::vector<int64_t> Attrs::GetInts(std::string_view key, std::vector<int64_t> fallback) const {
  const std::string* text = Find(key);
  return text != nullptr ? ParseInts(*text).value_or(std::move(fallback)) : fallback;
}

void Attrs::Set(std::string_view key, std::string value) {
  // A caller that sets text that Parse would refuse is a bug of ours, not of the user: attributes
  // of files went through Parse.
  TERN_CHECK(IsIdentifier(key) && IsValue(value), "an attribute that could not be read back");
  for (Entry& entry : entries_) {
    if (entry.first == key) {
      entry.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(key, std::move(value));
}

void Attrs::SetInt(std::string_view key, int64_t value) { Set(key, StrCat(value)); }
void Attrs::SetFloat(std::string_view key, double value) { Set(key, FormatDouble(value)); }
void Attrs::SetFloat32(std::string_view key, float value) { Set(key, FormatFloat(value)); }
void Attrs::SetString(std::string_view key, std::string_view value) {
  Set(key, std::string(value));
}

void Attrs::SetInts(std::string_view key, std::span<const int64_t> values) {
  std::string text;
  for (const int64_t value : values) StrAppend(&text, text.empty() ? "" : ",", value);
  Set(key, values.empty() ? std::string(kEmptyList) : text);
}

void Attrs::SetFloats(std::string_view key, std::span<const float> values) {
  std::string text;
  for (const float value : values) StrAppend(&text, text.empty() ? "" : ",", value);
  Set(key, values.empty() ? std::string(kEmptyList) : text);
}

void Attrs::Remove(std::string_view key) {
  std::erase_if(entries_, [key](const Entry& entry) { return entry.first == key; });
}

Result<PrimitiveName> ParsePrimitiveName(std::string_view name) {
  const size_t brace = name.find('{');
  PrimitiveName result{std::string(name.substr(0, brace)), {}};
  if (!IsOperatorName(result.op))
    return InvalidArgument("'", name, "' is not the name of a primitive");
  if (brace == std::string_view::npos) return result;
  // A name without '{' has returned above, so the text has at least one character here.
  if (name.back() != '}') return InvalidArgument("'", name, "': expected '}' at the end");
  Result<Attrs> attrs = Attrs::Parse(name.substr(brace + 1, name.size() - brace - 2));
  if (!attrs.ok()) return InvalidArgument(result.op, ": ", attrs.status().message());
  result.attrs = *std::move(attrs);
  return result;
}

std::string MakePrimitiveName(std::string_view op, const Attrs& attrs) {
  return attrs.empty() ? std::string(op) : StrCat(op, "{", attrs.ToText(), "}");
}

// --- AttrReader

const std::string* AttrReader::Take(std::string_view key) {
  // Every key that is asked for counts as known, whether it is present or not; Finish compares the
  // file's keys with this list.
  known_.emplace_back(key);
  return attrs_.Find(key);
}

void AttrReader::Fail(std::string_view key, std::string_view message) {
  if (status_.ok()) status_ = InvalidArgument(op_, ": attribute '", key, "': ", message);
}

int64_t AttrReader::Int(std::string_view key, int64_t fallback) {
  const std::string* text = Take(key);
  if (text == nullptr) return fallback;
  const std::optional<int64_t> value = ParseInt64(*text);
  if (!value.has_value()) Fail(key, StrCat("expected an integer, got '", *text, "'"));
  return value.value_or(fallback);
}

bool AttrReader::Bool(std::string_view key, bool fallback) {
  const std::string* text = Take(key);
  if (text == nullptr) return fallback;
  if (*text == "1" || *text == "true") return true;
  if (*text != "0" && *text != "false") Fail(key, StrCat("expected 0 or 1, got '", *text, "'"));
  return false;
}

double AttrReader::Float(std::string_view key, double fallback) {
  const std::string* text = Take(key);
  if (text == nullptr) return fallback;
  const std::optional<double> value = ParseDouble(*text);
  if (!value.has_value()) Fail(key, StrCat("expected a number, got '", *text, "'"));
  return value.value_or(fallback);
}

std::string AttrReader::String(std::string_view key, std::string_view fallback) {
  const std::string* text = Take(key);
  return text != nullptr ? *text : std::string(fallback);
}

// On a wrong value the fallback is returned, so that the caller's construction goes on, and the
// first error is reported by Finish.
std::vector<int64_t> AttrReader::Ints(std::string_view key, std::vector<int64_t> fallback) {
  const std::string* text = Take(key);
  if (text == nullptr) return fallback;
  std::optional<std::vector<int64_t>> values = ParseInts(*text);
  if (!values.has_value()) Fail(key, StrCat("expected integers, got '", *text, "'"));
  return std::move(values).value_or(std::move(fallback));
}

std::vector<float> AttrReader::Floats(std::string_view key, std::vector<float> fallback) {
  const std::string* text = Take(key);
  if (text == nullptr) return fallback;
  std::optional<std::vector<float>> values = ParseFloats(*text);
  if (!values.has_value()) Fail(key, StrCat("expected numbers, got '", *text, "'"));
  return std::move(values).value_or(std::move(fallback));
}

int AttrReader::Choice(std::string_view key, std::span<const std::string_view> names,
                       int fallback) {
  const std::string* text = Take(key);
  if (text == nullptr) return fallback;
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  Fail(key, StrCat("expected one of ", StrJoin(names, ", "), ", got '", *text, "'"));
  return fallback;
}

Status AttrReader::Finish() {
  // An unknown key is an error, not a warning: a misspelt attribute would otherwise silently mean
  // its default.
  for (const auto& [key, value] : attrs_.entries()) {
    if (!status_.ok()) break;
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    status_ = InvalidArgument(op_, ": unknown attribute '", key, "'");
    const std::string_view meant = DidYouMean(key, known_);
    if (!meant.empty()) status_.AddNote(StrCat("did you mean '", meant, "'?"));
  }
  return std::move(status_);
}

}  // namespace tern
