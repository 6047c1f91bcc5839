// SPDX-License-Identifier: Apache-2.0
// LineCursor: the tokens of one line of assembly text. After the first mistake everything reads as
// empty.
#ifndef TERN_CORE_VM_TEXT_LINE_CURSOR_H_
#define TERN_CORE_VM_TEXT_LINE_CURSOR_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/object/dtype.h"
#include "core/text/scanner.h"

namespace tern::vm {

class LineCursor {
 public:
  LineCursor() = default;
  // text[begin, end) is the line; a comment at its end is left out.
  LineCursor(std::string_view text, size_t begin, size_t end);

  bool ok() const { return in_.ok(); }
  bool AtEnd() { return in_.AtEnd(); }
  size_t offset() const { return in_.at(); }
  size_t line_end() const { return in_.text().size(); }
  // The next character that is no space; 0 at the end.
  char Peek() { return in_.Peek(); }

  bool Accept(char c);
  void Expect(char c);
  // A run of letters, digits, '_' and '.'; a directive's leading '.' included.
  std::string_view Word();
  std::string_view PeekWord() { return in_.PeekWord(); }
  char CharAfterWord();
  bool AcceptWord(std::string_view word);
  void ExpectWord(std::string_view word);
  // A plain or quoted name.
  std::string Name();
  // "…" with the escapes of JSON.
  std::string Quoted();
  // add, conv2d{strides=2,2 pads=1,1,1,1}, or quoted.
  std::string PrimitiveName();
  // What is left of the line, without spaces at its ends.
  std::string_view Rest();

  bool AtNumber();                // a digit, or a sign before one, or inf or nan with its sign
  bool AtFloat();                 // a number that is not an integer
  int64_t Number(int64_t limit);  // not negative
  int64_t SignedNumber();
  double FloatNumber();
  uint64_t HexNumber();  // 0x…
  bool Boolean();
  DType DTypeWord();
  std::vector<int64_t> Dims();  // [2, 3]
  std::string HexBytes();
  // One element, or a bracketed list of them, as bytes.
  std::string Element(DType dtype);
  std::string Elements(DType dtype);

  // The error is at the next token, or at the last one read.
  void Fail(std::string_view message) { in_.FailHere(message); }
  void FailAtLast(std::string_view message) { in_.FailSince(last_, message); }
  void SuggestFrom(std::string_view name, std::span<const std::string_view> candidates);
  void SuggestFrom(std::string_view name, std::initializer_list<std::string_view> candidates) {
    SuggestFrom(name, std::span(candidates.begin(), candidates.size()));
  }
  const text::Mistake& mistake() const { return in_.mistake(); }
  const std::string& help() const { return help_; }

 private:
  std::string_view NumberText();

  text::Scanner in_{{}, text::kPlainForm};
  size_t last_ = 0;  // where the last token began
  std::string help_;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_TEXT_LINE_CURSOR_H_
