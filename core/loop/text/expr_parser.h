// SPDX-License-Identifier: Apache-2.0
// ExprParser: expressions of .tloop text over named values, which is all that formulas have, and
// what other parsers share with it: tokens, scopes of names, complaints. What only programs have
// is in program_expr_parser.h, so that who reads formulas need not carry it.
//
// A literal without a type takes that of the other operand, or of what it is stored to. An
// expression that has been complained about is null; whatever contains it is null too, and says
// nothing more.
#ifndef TERN_CORE_LOOP_TEXT_EXPR_PARSER_H_
#define TERN_CORE_LOOP_TEXT_EXPR_PARSER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/loop/stmt.h"
#include "core/loop/text/lexer.h"
#include "core/text/diagnostics.h"

namespace tern::loop {

inline constexpr std::string_view kBadLoopText = "E0510";
inline constexpr std::string_view kBadLoopProgram = "E0511";

class ExprParser {
 public:
  virtual ~ExprParser();
  // Of a text of its own.
  ExprParser(std::string_view file_name, std::string_view text);
  // Of a part of a file, where it stands: spans are those of the file.
  ExprParser(std::shared_ptr<const text::SourceMap> sources, text::Span where);
  // Of a text that is no file; what is read has no spans. The text must outlive the parser.
  explicit ExprParser(std::string_view text);

  // Expects a scalar literal to become of type `wanted`, where given.
  Expr ParseExpr(std::optional<DataType> wanted = std::nullopt);

 protected:
  struct Operand {
    Expr expr;
    bool untyped = false;   // a bare literal
    text::Span begin = {};  // its first token, which may be a bracket that the tree has not
  };
  struct Symbol {
    std::string_view name;
    VarPtr var;        // or
    BufferPtr buffer;  // one of the two
    bool is_mutable = false;
    ptrdiff_t hidden = -1;  // an earlier symbol of this name, out of reach
  };

  // --- tokens
  const Token& Peek() const { return lexer_.peek(); }
  Token Next();
  // What Next gave last.
  const Token& last() const { return last_; }
  bool Accept(std::string_view text);
  void Expect(std::string_view text);
  Token Name(std::string_view what);
  // A syntax error; only the first is kept, and nothing is read after it.
  void Fail(std::string_view expected);
  text::Diagnostic& Complain(text::Span where, std::string_view message);
  bool ok() const { return ok_; }
  // Past the indices of a name that is not declared, so that what follows is read in step.
  void SkipBrackets();
  // Whether the nesting is too deep, said once.
  bool TooDeep();

  // --- names
  const Symbol* Lookup(std::string_view name) const;
  void Declare(const Token& name, Symbol symbol);
  size_t scope_mark() const { return symbols_.size(); }
  void EndScope(size_t mark);
  // The size parameters of the function being read; in its head, an unknown name in a shape
  // becomes one.
  std::vector<VarPtr> sizes_;
  bool sizes_are_implicit_ = false;

  std::optional<DType> ParseElementType();

  // --- what formulas have not
  // Behind the name of a buffer.
  virtual Expr ParseLoad(const BufferPtr& buffer, text::Span name);
  // Behind a word of expressions that ExprParser does not know.
  virtual Expr ParseProgramWord(const Token& name, std::optional<DataType> wanted);
  // Behind the opening bracket of min or max: a fold over axes, or nothing where values come.
  virtual std::optional<Expr> ParseFold(BinaryOp, std::optional<DataType>, text::Span) {
    return std::nullopt;
  }
  Expr Refuse(text::Span span, std::string_view why);
  // Of an axis: up to what ends a sum.
  Expr ParseExtent();

  std::shared_ptr<const text::SourceMap> sources_;
  text::Diagnostics diagnostics_;
  int depth_ = 0;

 private:
  struct Operators;  // the grammar of text::ParseOperators
  Operand ParseBinary(std::optional<DataType> wanted, int least_precedence = 1);
  Operand Combine(const BinaryInfo& op, const Operand& a, const Operand& b,
                  std::optional<DataType> wanted);
  Operand ParseUnary(std::optional<DataType> wanted);
  Operand ParsePrimary(std::optional<DataType> wanted);
  Operand ParseNumber(bool negative);
  Operand ParseNegation(std::optional<DataType> wanted);
  Expr ParseSymbol(const Token& name);
  Expr ParseWord(const Token& name, std::optional<DataType> wanted);
  Expr ParseTypedLiteral(const Token& name, DataType type);
  Expr ParseIntrinsic(const IntrinsicInfo& info, std::optional<DataType> wanted, text::Span span);
  Expr ParseSelect(std::optional<DataType> wanted, text::Span span);
  Expr ParseConversion(const Token& name);
  Expr ParseMinMax(BinaryOp op, std::optional<DataType> wanted, text::Span span);
  // Literals among them take the type of the first that has one, else the wanted one.
  std::vector<Expr> ParseOperands(std::optional<DataType> wanted);
  Expr Retype(const Expr& literal, DataType type, text::Span span);
  Expr Fit(const Operand& operand, std::optional<DataType> wanted, text::Span span);

  Lexer lexer_;
  Token last_;
  std::vector<Symbol> symbols_;
  std::unordered_map<std::string_view, ptrdiff_t> latest_;  // name → its innermost symbol
  int operators_ = 0;                                       // of the outermost expression
  bool ok_ = true;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_TEXT_EXPR_PARSER_H_
