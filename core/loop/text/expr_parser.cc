// SPDX-License-Identifier: Apache-2.0
#include "core/loop/text/expr_parser.h"

#include <limits>

#include "core/base/strings.h"
#include "core/loop/words.h"
#include "core/text/precedence.h"

namespace tern::loop {
namespace {

constexpr int kMaxDepth = 100;
// A longer expression would be a tree too deep to walk.
constexpr int kMaxOperators = 1000;

// Words such as min are not among them: they are called.
const BinaryInfo* FindInfix(std::string_view text) {
  for (const BinaryInfo& info : AllBinaryOps()) {
    if (info.precedence > 0 && info.text == text) return &info;
  }
  return nullptr;
}

const IntrinsicInfo* FindIntrinsic(std::string_view text) {
  for (const IntrinsicInfo& info : AllIntrinsics()) {
    if (info.text == text) return &info;
  }
  return nullptr;
}

text::Span Through(text::Span begin, text::Span end) { return text::Cover(begin, end); }

// A node that was made for another place keeps its own span: a variable's uses share one node.
Expr At(Expr expr, text::Span span) {
  if (expr && !expr->span.valid()) expr->span = span;
  return expr;
}

std::shared_ptr<const text::SourceMap> OneFile(std::string_view name, std::string_view text) {
  auto sources = std::make_shared<text::SourceMap>();
  sources->AddFile(name, text);
  return sources;
}

}  // namespace

ExprParser::~ExprParser() = default;

ExprParser::ExprParser(std::string_view file_name, std::string_view text)
    : sources_(OneFile(file_name, text)), diagnostics_(sources_), lexer_(0, sources_->text(0)) {}

ExprParser::ExprParser(std::shared_ptr<const text::SourceMap> sources, text::Span where)
    : sources_(std::move(sources)),
      diagnostics_(sources_),
      // A part of a larger file is read where it lies, so that its spans are those of the file.
      lexer_(where.file, sources_->text(where.file).substr(0, where.end), where.begin) {}

ExprParser::ExprParser(std::string_view text)
    : sources_(std::make_shared<text::SourceMap>()), diagnostics_(sources_), lexer_(-1, text) {}

Token ExprParser::Next() {
  last_ = lexer_.Next();
  return last_;
}

// --- tokens

// After the first mistake nothing is accepted, so that loops over tokens end and no mistake follows
// from another.
bool ExprParser::Accept(std::string_view text) {
  if (!ok_ || !Peek().Is(text)) return false;
  Next();
  return true;
}

void ExprParser::Expect(std::string_view text) {
  if (!Accept(text)) Fail(StrCat("'", text, "'"));
}

Token ExprParser::Name(std::string_view what) {
  if (ok_ && Peek().kind == TokenKind::kName) return Next();
  Fail(what);
  return Token{};
}

void ExprParser::Fail(std::string_view expected) {
  if (!ok_) return;
  ok_ = false;
  const Token& token = Peek();
  const std::string got = token.kind == TokenKind::kEnd ? "the end" : StrCat("'", token.text, "'");
  diagnostics_.Error(kBadLoopText, StrCat("expected ", expected, ", got ", got)).At(token.span);
}

text::Diagnostic& ExprParser::Complain(text::Span where, std::string_view message) {
  return diagnostics_.Error(kBadLoopProgram, message).At(where);
}

// The indices of a buffer that is not known are not read: they would bring up mistakes of their
// own.
void ExprParser::SkipBrackets() {
  if (!Accept("[")) return;
  for (int open = 1; open > 0 && Peek().kind != TokenKind::kEnd;) {
    const Token token = Next();
    open += token.Is("[") ? 1 : token.Is("]") ? -1 : 0;
  }
}

// The only bound on recursion, here and in everything that walks the tree later.
bool ExprParser::TooDeep() {
  if (depth_ <= kMaxDepth && operators_ <= kMaxOperators) return false;
  if (ok_) {
    ok_ = false;
    const bool deep = depth_ > kMaxDepth;
    diagnostics_
        .Error(kBadLoopText, deep ? StrCat("nested more than ", kMaxDepth, " levels deep")
                                  : StrCat("more than ", kMaxOperators, " operators in a row"))
        .At(Peek().span)
        .Help("name a part of it with let, or move a part into a function of its own");
  }
  return true;
}

// --- names

const ExprParser::Symbol* ExprParser::Lookup(std::string_view name) const {
  const auto found = latest_.find(name);
  return found == latest_.end() ? nullptr : &symbols_[static_cast<size_t>(found->second)];
}

void ExprParser::Declare(const Token& name, Symbol symbol) {
  if (!ok_) return;
  if (Lookup(name.text) != nullptr)
    Complain(name.span, StrCat("'", name.text, "' is already declared"));
  else if (IsExpressionWord(name.text))
    Complain(name.span, StrCat("'", name.text, "' is a word of the language"))
        .Help("choose another name");
  // A name that was refused is declared all the same, so that its uses are not refused once more.
  symbol.name = name.text;
  const auto [entry, fresh] = latest_.emplace(name.text, static_cast<ptrdiff_t>(symbols_.size()));
  symbol.hidden = fresh ? -1 : entry->second;
  entry->second = static_cast<ptrdiff_t>(symbols_.size());
  symbols_.push_back(std::move(symbol));
}

// Symbols are a stack; `latest_` finds the innermost one of a name, and `hidden` the one below it.
void ExprParser::EndScope(size_t mark) {
  while (symbols_.size() > mark) {
    const Symbol& last = symbols_.back();
    if (last.hidden >= 0)
      latest_[last.name] = last.hidden;
    else
      latest_.erase(last.name);
    symbols_.pop_back();
  }
}

std::optional<DType> ExprParser::ParseElementType() {
  const Token name = Name("an element type such as float32");
  if (!ok_) return std::nullopt;
  const Result<DataType> type = DataType::Parse(name.text);
  // "float32x4" is a type, but tensors have elements and no vectors.
  if (type.ok() && type->is_scalar()) return type->element();
  Complain(name.span, type.ok() ? StrCat("expected an element type, got ", type->ToString())
                                : std::string(type.status().message()));
  return std::nullopt;
}

// --- expressions

// Parsing goes on after a program that is wrong and not torn: several such mistakes are told at
// once.
Expr ExprParser::Refuse(text::Span span, std::string_view why) {
  if (ok_) Complain(span, why);
  return nullptr;
}

// The literal in a type that its surroundings tell. A vector operand asks for its element:
// constants are scalars until they are broadcast.
Expr ExprParser::Retype(const Expr& literal, DataType type, text::Span span) {
  type = type.Scalar();
  if (const FloatImm* number = literal->As<FloatImm>()) {
    if (type.is_float()) return At(MakeFloat(type, number->value), span);
    return Refuse(span, StrCat("a number with a point where ", type.ToString(), " is expected"));
  }
  const IntImm& number = *literal->As<IntImm>();
  // The lexer knows no signs: what is beyond int64 it takes for a uint64.
  const bool huge = number.type == DataType(kU64);  // above the signed range
  if (type.is_float()) {
    const double value = huge ? static_cast<double>(static_cast<uint64_t>(number.value))
                              : static_cast<double>(number.value);
    return At(MakeFloat(type, value), span);
  }
  const bool fits = huge ? type == number.type : FitsInt(type, number.value);
  if (fits && type.is_int()) return At(MakeInt(type, number.value), span);
  return Refuse(span, StrCat("the number does not fit into ", type.ToString()));
}

// An untyped literal becomes what is wanted, or float32 and int64 where nothing is.
Expr ExprParser::Fit(const Operand& operand, std::optional<DataType> wanted, text::Span span) {
  if (!operand.expr || !operand.untyped) return operand.expr;
  if (wanted.has_value() && !wanted->is_bool()) return Retype(operand.expr, *wanted, span);
  const bool is_float = operand.expr->kind == ExprKind::kFloatImm;
  return Retype(operand.expr, is_float ? DataType(kF32) : kIndexType, span);
}

Expr ExprParser::ParseExpr(std::optional<DataType> wanted) {
  // Operators are counted within one outermost expression.
  const int outer = operators_;
  if (depth_ == 0) operators_ = 0;
  ++depth_;
  const Operand operand = TooDeep() ? Operand() : ParseBinary(wanted);
  --depth_;
  if (depth_ == 0) operators_ = outer;
  return ok_ ? Fit(operand, wanted, operand.begin) : nullptr;
}

// Every operator counts, because chains nest to the left without brackets.
struct ExprParser::Operators {
  struct Chain {
    const BinaryInfo* op = nullptr;
  };
  ExprParser& in;
  std::optional<DataType> wanted;
  const BinaryInfo* next = nullptr;

  Operand ParseOperand() { return in.ParseUnary(wanted); }
  int PeekPrecedence() {
    next =
        in.ok_ && in.Peek().kind == TokenKind::kPunctuation ? FindInfix(in.Peek().text) : nullptr;
    return next == nullptr ? 0 : next->precedence;
  }
  bool TakeOperator(Chain* chain) {
    chain->op = next;
    ++in.operators_;
    return !in.TooDeep() && in.Accept(next->text);
  }
  Operand Join(Chain* chain, const Operand& left, const Operand& right) {
    Operand joined = in.Combine(*chain->op, left, right, wanted);
    joined.begin = left.begin;
    return joined;
  }
};

ExprParser::Operand ExprParser::ParseBinary(std::optional<DataType> wanted, int least_precedence) {
  Operators operators{*this, wanted};
  return text::ParseOperators(operators, least_precedence);
}

ExprParser::Operand ExprParser::Combine(const BinaryInfo& op, const Operand& a, const Operand& b,
                                        std::optional<DataType> wanted) {
  if (!ok_ || !a.expr || !b.expr) return {};
  // Two literals tell each other nothing; what is wanted of the result does.
  if (a.untyped && b.untyped) {
    // A comparison of two literals cannot take the type that is wanted of it, which is bool.
    const bool floats = a.expr->kind == ExprKind::kFloatImm || b.expr->kind == ExprKind::kFloatImm;
    if (op.op_class == BinaryClass::kCompare || !wanted.has_value())
      wanted = floats ? DataType(kF32) : kIndexType;
  } else {
    wanted = a.untyped ? b.expr->type : a.expr->type;
  }
  const text::Span span = Through(a.begin, b.expr->span);
  const Expr x = Fit(a, wanted, a.expr->span), y = Fit(b, wanted, b.expr->span);
  if (!x || !y) return {};
  const std::string why = WhyNotBinary(op.op, x->type, y->type);
  if (!why.empty()) return {Refuse(span, why)};
  return {At(MakeBinary(op.op, x, y), span)};
}

ExprParser::Operand ExprParser::ParseUnary(std::optional<DataType> wanted) {
  ++depth_;
  Operand result;
  const text::Span begin = Peek().span;
  if (TooDeep()) {
  } else if (Accept("-")) {
    result = ParseNegation(wanted);
  } else if (Accept("!")) {
    const Expr value = ParseUnary(wanted).expr;
    if (value && !value->type.is_bool())
      Refuse(begin, StrCat("'!' needs a bool, got ", value->type.ToString()));
    else if (value)
      result.expr = At(MakeNot(value), begin);
  } else {
    result = ParsePrimary(wanted);
  }
  result.begin = begin;
  --depth_;
  return result;
}

ExprParser::Operand ExprParser::ParseNegation(std::optional<DataType> wanted) {
  if (Peek().kind == TokenKind::kNumber) return ParseNumber(/*negative=*/true);
  const text::Span begin = Peek().span;
  const Expr value = Fit(ParseUnary(wanted), wanted, begin);
  if (!value) return {};
  const DataType type = value->type;
  if (!type.is_float() && !type.is_int())
    return {Refuse(begin, StrCat("'-' needs a number, got ", type.ToString()))};
  // -0.0 - x is -x, also for zeros.
  const Expr zero = type.is_float() ? MakeFloat(type.Scalar(), -0.0) : MakeInt(type.Scalar(), 0);
  return {At(MakeBinary(BinaryOp::kSub, MakeBroadcast(zero, type.lane_count()), value), begin)};
}

ExprParser::Operand ExprParser::ParseNumber(bool negative) {
  const Token token = Next();
  const std::string text = StrCat(negative ? "-" : "", token.text);
  if (const std::optional<int64_t> value = ParseInt64(text))
    return {At(MakeInt(*value), token.span), true};
  if (const std::optional<uint64_t> value = ParseUint64(text))
    return {At(MakeInt(DataType(kU64), static_cast<int64_t>(*value)), token.span), true};
  const std::optional<double> value = ParseDouble(text);
  // Kept as a double until its type is known, so that it is rounded once.
  if (value.has_value()) return {At(MakeFloat(DataType(kF64), *value), token.span), true};
  return {Refuse(token.span, StrCat("'", text, "' is not a number"))};
}

ExprParser::Operand ExprParser::ParsePrimary(std::optional<DataType> wanted) {
  if (Accept("(")) {
    const Operand inner = ParseBinary(wanted);
    Expect(")");
    return inner;
  }
  if (Peek().kind == TokenKind::kNumber) return ParseNumber(/*negative=*/false);
  if (!ok_ || Peek().kind != TokenKind::kName) {
    Fail("an expression");
    return {};
  }
  const Token name = Next();
  // A word of the language that is declared all the same was refused there; here it is that symbol.
  const Expr expr = Lookup(name.text) != nullptr || !IsExpressionWord(name.text)
                        ? ParseSymbol(name)
                        : ParseWord(name, wanted);
  return {At(expr, name.span)};
}

Expr ExprParser::ParseSymbol(const Token& name) {
  const Symbol* symbol = Lookup(name.text);
  // Where shapes are declared, the first use of a name makes it a size.
  if (symbol == nullptr && sizes_are_implicit_) {
    sizes_.push_back(MakeVar(std::string(name.text)));
    Declare(name, {name.text, sizes_.back(), nullptr});
    return sizes_.back();
  }
  if (symbol == nullptr) {
    std::vector<std::string_view> names;
    for (const Symbol& known : symbols_) names.push_back(known.name);
    const std::string_view near = DidYouMean(name.text, names);
    text::Diagnostic& error = Complain(name.span, StrCat("'", name.text, "' is not declared"));
    if (!near.empty()) error.Help(StrCat("did you mean '", near, "'?"));
    SkipBrackets();
    return nullptr;
  }
  if (symbol->var) return symbol->var;
  return ParseLoad(BufferPtr(symbol->buffer), name.span);
}

Expr ExprParser::ParseLoad(const BufferPtr&, text::Span name) {
  return Refuse(name, "a formula has no buffers");
}

Expr ExprParser::ParseWord(const Token& name, std::optional<DataType> wanted) {
  const std::string_view word = name.text;
  if (word == "true" || word == "false") return MakeBool(word == "true");
  if (word == "select") return ParseSelect(wanted, name.span);
  if (word == "min") return ParseMinMax(BinaryOp::kMin, wanted, name.span);
  if (word == "max") return ParseMinMax(BinaryOp::kMax, wanted, name.span);
  if (word == "cast" || word == "reinterpret") return ParseConversion(name);
  if (const IntrinsicInfo* info = FindIntrinsic(word))
    return ParseIntrinsic(*info, wanted, name.span);
  return IsTypeName(word) ? ParseTypedLiteral(name, DataType::Parse(word).value())
                          : ParseProgramWord(name, wanted);
}

Expr ExprParser::ParseProgramWord(const Token& name, std::optional<DataType>) {
  return Refuse(name.span, StrCat("a formula has no '", name.text, "'"));
}

// float64(0.5), uint8(200), float32(-inf)
Expr ExprParser::ParseTypedLiteral(const Token& name, DataType type) {
  Expect("(");
  const bool negative = Accept("-");
  Expr value;
  if (Peek().Is("inf") || Peek().Is("nan")) {
    const bool infinite = Next().text == "inf";
    double number = infinite ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    value = MakeFloat(DataType(kF64), negative ? -number : number);
  } else if (ok_ && Peek().kind == TokenKind::kNumber) {
    value = ParseNumber(negative).expr;
  } else {
    Fail("a number; a value is converted by cast(TYPE, VALUE)");
  }
  Expect(")");
  if (!ok_ || !value) return nullptr;
  if (type.is_vector()) return Refuse(name.span, "a constant is a scalar; use broadcast");
  if (type.is_bool()) return Refuse(name.span, "write true or false");
  return Retype(value, type, name.span);
}

// Up to the closing parenthesis. One null is the mark of a mistake that has been told.
std::vector<Expr> ExprParser::ParseOperands(std::optional<DataType> wanted) {
  std::vector<Operand> operands;
  if (!Peek().Is(")")) {
    do {
      operands.push_back(ParseBinary(wanted));
    } while (Accept(","));
  }
  Expect(")");
  // Literals among operands take the type of those that have one, whichever stands first.
  for (const Operand& operand : operands) {
    if (operand.expr && !operand.untyped) wanted = operand.expr->type;
  }
  std::vector<Expr> exprs;
  for (const Operand& operand : operands) {
    exprs.push_back(ok_ ? Fit(operand, wanted, operand.begin) : nullptr);
    if (!exprs.back()) return {nullptr};  // already said
  }
  return exprs;
}

Expr ExprParser::ParseIntrinsic(const IntrinsicInfo& info, std::optional<DataType> wanted,
                                text::Span span) {
  Expect("(");
  std::vector<Expr> args = ParseOperands(wanted);
  if (!ok_ || (args.size() == 1 && !args[0])) return nullptr;
  const std::string why = WhyNotCall(info.intrinsic, args);
  return why.empty() ? MakeCall(info.intrinsic, std::move(args)) : Refuse(span, why);
}

Expr ExprParser::ParseSelect(std::optional<DataType> wanted, text::Span span) {
  Expect("(");
  const Expr condition = ParseExpr();
  Expect(",");
  const std::vector<Expr> arms = ParseOperands(wanted);
  if (!ok_ || !condition || (arms.size() == 1 && !arms[0])) return nullptr;
  if (arms.size() != 2) return Refuse(span, "select takes a condition and two values");
  const std::string why = WhyNotSelect(condition->type, arms[0]->type, arms[1]->type);
  return why.empty() ? MakeSelect(condition, arms[0], arms[1]) : Refuse(span, why);
}

Expr ExprParser::ParseConversion(const Token& name) {
  Expect("(");
  const std::optional<DType> element = ParseElementType();
  Expect(",");
  const Expr value = ParseExpr();
  Expect(")");
  if (!ok_ || !element.has_value() || !value) return nullptr;
  if (name.text == "cast") return MakeCast(*element, value);
  const std::string why = WhyNotReinterpret(value->type, value->type.WithElement(*element));
  return why.empty() ? MakeReinterpret(*element, value) : Refuse(name.span, why);
}

// min(a, b) of two values, or min(k < n, value) over an axis.
Expr ExprParser::ParseMinMax(BinaryOp op, std::optional<DataType> wanted, text::Span span) {
  Expect("(");
  if (std::optional<Expr> fold = ParseFold(op, wanted, span)) return *std::move(fold);
  const std::vector<Expr> args = ParseOperands(wanted);
  if (!ok_ || (args.size() == 1 && !args[0])) return nullptr;
  if (args.size() != 2)
    return Refuse(span, StrCat("'", InfoOf(op).text, "' takes two values, or axes and a value"));
  const std::string why = WhyNotBinary(op, args[0]->type, args[1]->type);
  return why.empty() ? MakeBinary(op, args[0], args[1]) : Refuse(span, why);
}

// The '<' of the axis is read; one more would be a comparison, so only tighter operators belong to
// the extent.
Expr ExprParser::ParseExtent() {
  ++depth_;
  Expr extent = ParseBinary(kIndexType, InfoOf(BinaryOp::kLt).precedence + 1).expr;
  --depth_;
  return extent;
}

}  // namespace tern::loop
