// SPDX-License-Identifier: Apache-2.0
// JsonWriter: separators, escapes and numbers (RFC 8259). needs_comma_ says whether a value stands
// before in the same brackets; after_key_ that the next value belongs to a key.
#include "core/base/json.h"

#include "core/base/strings.h"
#include "core/base/utf8.h"

namespace tern {
namespace {

// U+2028 and U+2029 are escaped, since they end lines in older JavaScript; U+007F because terminals
// do not show it.
void AppendEscaped(std::string* out, char32_t c) {
  switch (c) {
    case '"': *out += "\\\""; return;
    case '\\': *out += "\\\\"; return;
    case '\n': *out += "\\n"; return;
    case '\r': *out += "\\r"; return;
    case '\t': *out += "\\t"; return;
    case kInvalidCodePoint: *out += "\xEF\xBF\xBD"; return;
    default: break;
  }
  if (c >= 0x20 && c != 0x7F && c != 0x2028 && c != 0x2029) return AppendUtf8(out, c);
  const char* kDigits = "0123456789abcdef";
  *out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) *out += kDigits[c >> shift & 0xF];
}

// Most text is plain ASCII, of which stretches are taken as they are.
void AppendQuoted(std::string* out, std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  *out += '"';
  for (size_t offset = 0; offset < text.size();) {
    size_t end = offset;
    while (end < text.size() && is_plain(text[end])) ++end;
    out->append(text, offset, end - offset);
    offset = end;
    if (offset < text.size()) AppendEscaped(out, DecodeUtf8(text, &offset));
  }
  *out += '"';
}

}  // namespace

std::string JsonQuote(std::string_view text) {
  std::string out;
  AppendQuoted(&out, text);
  return out;
}

JsonWriter& JsonWriter::Key(std::string_view name) {
  Separate();
  AppendQuoted(&out_, name);
  out_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  Separate();
  AppendQuoted(&out_, text);
  return *this;
}

JsonWriter& JsonWriter::Int(int64_t value) {
  Separate();
  StrAppend(&out_, value);
  return *this;
}

JsonWriter& JsonWriter::Uint(uint64_t value) {
  Separate();
  StrAppend(&out_, value);
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) { return Plain(value ? "true" : "false"); }
JsonWriter& JsonWriter::Null() { return Plain("null"); }
JsonWriter& JsonWriter::Raw(std::string_view json) { return Plain(json); }

JsonWriter& JsonWriter::Double(double value) {
  // value - value is 0 only for finite numbers; JSON has no others.
  const std::string text = FormatDouble(value);
  return value - value == 0 ? Plain(text) : String(text);
}

JsonWriter& JsonWriter::Float(float value) {
  const std::string text = FormatFloat(value);
  return value - value == 0 ? Plain(text) : String(text);
}

// Built as one value, so that it stays on one line whatever the indent is.
JsonWriter& JsonWriter::Ints(std::span<const int64_t> values) {
  std::string out = "[";
  for (const int64_t value : values) StrAppend(&out, out.size() > 1 ? "," : "", value);
  return Plain(out += ']');
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  ++depth_;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  --depth_;
  // Empty brackets stay on one line.
  if (needs_comma_) NewLine();
  out_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Plain(std::string_view text) {
  Separate();
  out_ += text;
  return *this;
}

// Called ahead of every value: a value behind a key needs neither comma nor line.
void JsonWriter::Separate() {
  if (!after_key_) {
    if (needs_comma_) out_ += ',';
    if (depth_ > 0) NewLine();
  }
  after_key_ = false;
  needs_comma_ = true;
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(static_cast<size_t>(depth_ * indent_), ' ');
}

}  // namespace tern
