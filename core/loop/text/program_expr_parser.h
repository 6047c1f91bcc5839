// SPDX-License-Identifier: Apache-2.0
// ProgramExprParser: what expressions of programs have beside those of formulas (expr_parser.h):
// vectors, elements of buffers, folds over axes.
#ifndef TERN_CORE_LOOP_TEXT_PROGRAM_EXPR_PARSER_H_
#define TERN_CORE_LOOP_TEXT_PROGRAM_EXPR_PARSER_H_

#include <optional>
#include <vector>

#include "core/loop/text/expr_parser.h"

namespace tern::loop {

class ProgramExprParser : public ExprParser {
 public:
  using ExprParser::ExprParser;

 protected:
  std::optional<int64_t> Integer(std::string_view what);
  std::optional<Lanes> ParseLanes();
  std::vector<Expr> ParseShape();
  // "[i, j where p]" after a buffer's name; false where something was wrong.
  struct Element {
    std::vector<Expr> indices;
    Expr predicate;
    bool good = false;
  };
  Element ParseElement(const Buffer& buffer, text::Span name);

 private:
  Expr ParseLoad(const BufferPtr& buffer, text::Span name) override;
  Expr ParseProgramWord(const Token& name, std::optional<DataType> wanted) override;
  std::optional<Expr> ParseFold(BinaryOp op, std::optional<DataType> wanted,
                                text::Span span) override;
  bool AtAxis() const;
  Expr ParseReduction(BinaryOp op, std::optional<DataType> wanted, text::Span span);
  Expr ParseVector(const Token& name);
  Expr ParseVectorReduce(BinaryOp op, text::Span span);
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_TEXT_PROGRAM_EXPR_PARSER_H_
