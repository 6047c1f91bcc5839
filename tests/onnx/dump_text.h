// SPDX-License-Identifier: Apache-2.0
// The text that both dumpers write: "name{…}" for messages, "name=value" for scalars, strings with
// their length.
#ifndef TERN_TESTS_ONNX_DUMP_TEXT_H_
#define TERN_TESTS_ONNX_DUMP_TEXT_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tern::test {

class DumpText {
 public:
  void Open(std::string_view name) {
    text_ += name;
    text_ += "{\n";
  }
  void Close() { text_ += "}\n"; }
  void Number(std::string_view name, int64_t value) { Line(name, std::to_string(value)); }
  void Bits(std::string_view name, const void* value, size_t size) {
    Line(name, {static_cast<const char*>(value), size});
  }
  void Text(std::string_view name, std::string_view value) {
    Line(name, std::to_string(value.size()) + ":" + std::string(value));
  }
  template <typename List>
  void Numbers(std::string_view name, const List& list) {
    for (const auto value : list) Number(name, static_cast<int64_t>(value));
  }
  template <typename List>
  void Words(std::string_view name, const List& list) {
    for (const auto value : list) Bits(name, &value, sizeof(value));
  }
  template <typename List>
  void Texts(std::string_view name, const List& list) {
    for (const auto& value : list) Text(name, value);
  }

  std::string Take() { return std::move(text_); }

 private:
  void Line(std::string_view name, std::string_view value) {
    text_ += name;
    text_ += '=';
    text_ += value;
    text_ += '\n';
  }

  std::string text_;
};

}  // namespace tern::test

#endif  // TERN_TESTS_ONNX_DUMP_TEXT_H_
