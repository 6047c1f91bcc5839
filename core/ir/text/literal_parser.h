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
#include "core/object/set_element.h"
#include "core/text/diagnostics.h"
#include "core/text/scanner.h"

namespace tern::ir {

// A number as it was written.
struct Number {
  ElementNumber element;
  std::string_view text;     // in the file
  bool is_integer = false;   // of 64 bits, or true or false
  bool is_unsigned = false;  // above int64's range
};

// Both kinds of comments, so that listings with notes can be read again. Names of models have dots
// and slashes.
inline constexpr text::TextForm kModuleForm{text::kFileSpaces, text::kFileComments, "./"};
inline constexpr std::string_view kBadModule = "E0503";

class LiteralParser {
 public:
  LiteralParser(std::string_view file_name, std::string_view text);

 protected:
  // --- characters
  // Where the next token begins.
  size_t Begin() { return in_.Skip(), in_.at(); }
  bool AcceptWord(std::string_view word);
  // A word; a mistake where there is none.
  std::string_view Word(std::string_view expected);
  // A quoted text, its escapes resolved.
  std::string Quoted();
  // What is wrong but can be read on. Mistakes of syntax, which are in_'s, end the parse, because
  // everything after them would be a guess.
  void Complain(size_t begin, std::string_view message);
  // A scanner's, if there is one.
  void Tell(const text::Mistake& mistake);
  text::Span At(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }

  // --- literals
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
  text::Scanner in_;
  bool quiet_ = false;  // a first look ahead, whose errors the second one tells
  text::Diagnostics diagnostics_;

 private:
  void SkipType();
  Number ParseNumber();
  std::vector<Number> Numbers();
  std::vector<std::string> Texts();
  Expr TensorLiteral(DType dtype);
  Expr ScalarLiteral();
  // One number or a list in brackets; a mistake where one is none of the type.
  std::vector<Number> Elements(DType dtype);
  TensorPtr MadeUp(std::string_view name, DType dtype, tern::Dims dims);
  TensorPtr TextConstant(size_t begin, std::string_view name, tern::Dims dims, int64_t count);
  TensorPtr NumberConstant(size_t begin, std::string_view name, DType dtype, tern::Dims dims,
                           int64_t count);

  std::unordered_map<std::string, Expr> constants_;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_TEXT_LITERAL_PARSER_H_
