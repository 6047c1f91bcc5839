// SPDX-License-Identifier: Apache-2.0
// JsonWriter: JSON text written in order, commas and escapes taken care of. Used by the C API and
// the CLI.
//
// Text that is not valid UTF-8 gets U+FFFD for each bad byte. Numbers JSON cannot hold are the
// strings "nan", "inf" and "-inf". Integers past 2^53 are written in full; readers in JavaScript
// lose their low bits.
#ifndef TERN_CORE_BASE_JSON_H_
#define TERN_CORE_BASE_JSON_H_

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

class JsonWriter {
 public:
  // indent > 0: one member per line, indented so many spaces per level.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view name);
  JsonWriter& String(std::string_view text);
  JsonWriter& Int(int64_t value);
  JsonWriter& Uint(uint64_t value);
  JsonWriter& Double(double value);
  JsonWriter& Float(float value);  // shortest text of the float, not of the double it widens to
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  JsonWriter& Raw(std::string_view json);             // one complete value, taken as it is
  JsonWriter& Ints(std::span<const int64_t> values);  // an array on one line

  // Key and value in one.
  JsonWriter& Field(std::string_view name, std::string_view text) { return Key(name).String(text); }
  JsonWriter& Field(std::string_view name, const char* text) { return Key(name).String(text); }
  template <typename T>
    requires std::integral<T> || std::floating_point<T>
  JsonWriter& Field(std::string_view name, T value) {
    Key(name);
    if constexpr (std::same_as<T, bool>)
      return Bool(value);
    else if constexpr (std::same_as<T, float>)
      return Float(value);
    else if constexpr (std::floating_point<T>)
      return Double(value);
    else if constexpr (std::is_signed_v<T>)
      return Int(value);
    else
      return Uint(value);
  }

  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  JsonWriter& Plain(std::string_view text);
  void Separate();
  void NewLine();

  std::string out_;
  int indent_;
  int depth_ = 0;
  bool needs_comma_ = false;
  bool after_key_ = false;
};

// The text in quotes with JSON's escapes; also used to quote text in messages and listings.
std::string JsonQuote(std::string_view text);

}  // namespace tern

#endif  // TERN_CORE_BASE_JSON_H_
