// SPDX-License-Identifier: Apache-2.0
#include "core/loop/text/program_expr_parser.h"

#include "core/base/strings.h"
#include "core/loop/words.h"

namespace tern::loop {

std::optional<int64_t> ProgramExprParser::Integer(std::string_view what) {
  // Before the token is taken, so that a mistake points at it.
  const std::optional<int64_t> value = ParseInt64(Peek().text);
  if (!ok() || Peek().kind != TokenKind::kNumber || !value.has_value()) {
    Fail(what);
    return std::nullopt;
  }
  Next();
  return value;
}

// 4, vscale, vscale * 4, 4 * vscale.
std::optional<Lanes> ProgramExprParser::ParseLanes() {
  bool scalable = Accept("vscale");
  std::optional<int64_t> count = 1;
  if (scalable && Accept("*")) {
    count = Integer("a number of lanes");
  } else if (!scalable) {
    count = Integer("a number of lanes such as 4 or vscale * 4");
    scalable = count.has_value() && Accept("*");
    if (scalable) Expect("vscale");
  }
  if (!ok() || !count.has_value()) return std::nullopt;
  if (*count >= 1 && *count <= kMaxLanes) return Lanes{static_cast<int32_t>(*count), scalable};
  Complain(Peek().span, StrCat("lanes must be from 1 to ", kMaxLanes, ", got ", *count));
  return std::nullopt;
}

std::vector<Expr> ProgramExprParser::ParseShape() {
  std::vector<Expr> shape;
  Expect("[");
  if (Accept("]")) return shape;
  do {
    const text::Span at = Peek().span;
    Expr extent = ParseExpr(kIndexType);
    if (extent && extent->type != kIndexType) {
      Complain(at, StrCat("a dimension must be int64, got ", extent->type.ToString()));
      extent = nullptr;
    }
    // A dimension in place of a wrong one keeps the rank right for the checks of indices.
    shape.push_back(extent ? std::move(extent) : MakeInt(1));
  } while (Accept(","));
  Expect("]");
  return shape;
}

// "[i, j where p]" behind the name of a buffer, of a load or of a store.
ProgramExprParser::Element ProgramExprParser::ParseElement(const Buffer& buffer, text::Span name) {
  Element element;
  bool good = true;
  Expect("[");
  if (!Peek().Is("]")) {
    do {
      // Null where it is wrong. The others are read all the same, for their own mistakes.
      element.indices.push_back(ParseExpr(kIndexType));
      good &= element.indices.back() != nullptr;
    } while (Accept(","));
  }
  if (Accept("where")) {
    element.predicate = ParseExpr();
    good &= element.predicate != nullptr;
  }
  const text::Span end = Peek().span;
  Expect("]");
  if (!ok() || !good) return element;
  const std::string why = WhyNotIndex(buffer, element.indices, element.predicate);
  element.good = why.empty();
  if (!why.empty()) Complain(text::Cover(name, end), why);
  return element;
}

Expr ProgramExprParser::ParseLoad(const BufferPtr& buffer, text::Span name) {
  Element element = ParseElement(*buffer, name);
  if (!element.good) return nullptr;
  return MakeLoad(buffer, std::move(element.indices), std::move(element.predicate));
}

Expr ProgramExprParser::ParseProgramWord(const Token& name, std::optional<DataType> wanted) {
  const std::string_view word = name.text;
  if (word == "vscale") return MakeVScale();
  if (word == "ramp" || word == "broadcast" || word == "whilelt") return ParseVector(name);
  if (word.starts_with("reduce_")) {
    const BinaryInfo* reduce = FindFold(word.substr(7));
    if (reduce != nullptr) return ParseVectorReduce(reduce->op, name.span);
    return Refuse(name.span, "reductions of vectors are reduce_sum, _prod, _min, _max, _and, _or");
  }
  Expect("(");
  return ParseReduction(FindFold(word)->op, wanted, name.span);
}

// ramp(base, stride, lanes), broadcast(value, lanes), whilelt(base, bound, lanes)
Expr ProgramExprParser::ParseVector(const Token& name) {
  const bool two = name.text != "broadcast";
  Expect("(");
  const Expr a = ParseExpr(two ? std::optional(kIndexType) : std::nullopt);
  Expect(",");
  const Expr b = two ? ParseExpr(kIndexType) : nullptr;
  if (two) Expect(",");
  const std::optional<Lanes> lanes = ParseLanes();
  Expect(")");
  if (!ok() || !a || (two && !b) || !lanes.has_value()) return nullptr;
  if (lanes->is_scalar()) return Refuse(name.span, "a vector needs at least 2 lanes, or vscale");
  if (a->type.is_vector() || (two && b->type.is_vector()))
    return Refuse(name.span, StrCat("operands of ", name.text, " must be scalars"));
  if (!two) return MakeBroadcast(a, *lanes);
  const bool fits = name.text == "ramp" ? a->type == b->type && a->type.is_int()
                                        : a->type == kIndexType && b->type == kIndexType;
  if (!fits)
    return Refuse(name.span, StrCat("operands of ", name.text, " must be ",
                                    name.text == "ramp" ? "integers of one type" : "int64",
                                    ", got ", a->type.ToString(), " and ", b->type.ToString()));
  return name.text == "ramp" ? MakeRamp(a, b, *lanes) : MakeLaneMask(a, b, *lanes);
}

Expr ProgramExprParser::ParseVectorReduce(BinaryOp op, text::Span span) {
  Expect("(");
  const Expr value = ParseExpr();
  Expect(")");
  if (!ok() || !value) return nullptr;
  const std::string why = WhyNotReduce(op, value->type);
  return why.empty() ? MakeVectorReduce(op, value) : Refuse(span, why);
}

// Only a new name begins an axis: in min(i, j) both are in use, so that the comparison i < n needs
// no other sign.
bool ProgramExprParser::AtAxis() const {
  return ok() && Peek().kind == TokenKind::kName && Lookup(Peek().text) == nullptr &&
         !IsExpressionWord(Peek().text);
}

std::optional<Expr> ProgramExprParser::ParseFold(BinaryOp op, std::optional<DataType> wanted,
                                                 text::Span span) {
  if (!AtAxis() || sizes_are_implicit_) return std::nullopt;
  return ParseReduction(op, wanted, span);
}

// "k < n, l < m, value)": after the opening parenthesis.
Expr ProgramExprParser::ParseReduction(BinaryOp op, std::optional<DataType> wanted,
                                       text::Span span) {
  const size_t mark = scope_mark();
  std::vector<ReduceAxis> axes;
  bool good = true;
  while (AtAxis()) {
    const Token name = Next();
    Expect("<");
    Expr extent = ParseExtent();
    Expect(",");
    if (extent && extent->type != kIndexType)
      extent = Refuse(name.span, "the extent of a reduce axis must be int64");
    good &= extent != nullptr;
    axes.push_back({MakeVar(std::string(name.text)), extent});
    axes.back().var->span = name.span;
    Declare(name, {name.text, axes.back().var, nullptr});
  }
  if (axes.empty()) Fail("a reduce axis such as k < n, with a name that is not in use");
  const Expr value = ParseExpr(wanted);
  Expect(")");
  EndScope(mark);
  if (!ok() || !value || !good) return nullptr;
  const std::string why = value->type.is_vector() ? "a reduction over axes is of scalars"
                                                  : WhyNotReduction(op, value->type);
  return why.empty() ? MakeReduction(op, std::move(axes), value) : Refuse(span, why);
}

}  // namespace tern::loop
