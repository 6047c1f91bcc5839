// SPDX-License-Identifier: Apache-2.0
// The lower half of the parser of module text (parser.h): characters, words, types, numbers and
// constants.
#ifndef TERN_CORE_IR_TEXT_LITERAL_PARSER_H_
#define TERN_CORE_IR_TEXT_LITERAL_PARSER_H_

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/module.h"
#include "core/text/diagnostics.h"

namespace tern::ir {

// A number as it was written: 2^63 - 1 is no double.
struct Number {
  double value = 0;
  int64_t integer = 0;
};

class LiteralParser {
 public:
  LiteralParser(std::string_view file_name, std::string_view text);

 protected:
  // --- characters
  void Skip();  // white space and comments
  bool AtEnd() { return Skip(), at_ >= text_.size(); }
  char Peek() { return AtEnd() ? '\0' : text_[at_]; }
  bool Accept(std::string_view token);
  std::string_view PeekWord();
  bool AcceptWord(std::string_view word);
  std::string_view Word(std::string_view expected);
  void Expect(std::string_view token);
  // A quoted text, its escapes resolved.
  std::string Quoted();
  text::Span Here(size_t begin) const;
  // The first syntax error ends the parse: everything after it would be a guess.
  void Fail(std::string_view expected);
  // What is wrong but can be read on.
  void Complain(size_t begin, std::string_view message);

  // --- literals
  // Up to the end of the line, or to a delimiter outside brackets.
  types::Type ParseType();
  // Whether the next thing is a literal: a number, a text, true, none, "f32 0.5".
  bool AtLiteral();
  Expr Literal();
  // "const @w: f32[2] = [1, 2]", from the @ on.
  void ParseConstant();
  // The constant of that name, or null.
  Expr FindConstant(const std::string& name) const;

  std::shared_ptr<text::SourceMap> sources_;
  int32_t file_;
  std::string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
  bool quiet_ = false;  // a first look ahead, whose errors the second one tells
  text::Diagnostics diagnostics_;

 private:
  Number ParseNumber();
  std::string_view NumberText();
  std::vector<Number> Numbers();
  Expr TensorLiteral(DType dtype);
  Expr ScalarLiteral();
  void Fill(size_t begin, std::string_view name, int64_t count, TensorPtr* tensor);

  std::unordered_map<std::string, Expr> constants_;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_TEXT_LITERAL_PARSER_H_
