// SPDX-License-Identifier: Apache-2.0
// Makes a document (doc.h) of the tree. The tree has no comments: the formatter walks the list of
// comments along with the tree, by offsets, and writes each before the next thing that begins
// behind it. So parts have to be formatted in the order of the text.
#include "core/lang/editor/format.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/editor/doc.h"
#include "core/lang/parse/parser.h"

namespace tern::lang {
namespace {

// The width of a line. What follows a group, such as ");", is not counted, so a line may be a
// little longer.
constexpr int kWidth = 97;

// How tightly an expression binds: the levels of parse_expr.cc, then unary, postfix and primary.
constexpr int kAnything = 0, kUnaryLevel = 7, kPostfixLevel = 8, kPrimaryLevel = 9;

int BinaryLevel(std::string_view op) {
  if (op == "||") return 1;
  if (op == "&&") return 2;
  if (op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=") return 3;
  if (op == "..") return 4;
  return op == "+" || op == "-" ? 5 : 6;
}

// A lambda extends as far as it can, so it needs parentheses as an operand of anything.
int LevelOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kBinary: return BinaryLevel(expr.text);
    case ExprKind::kUnary: return kUnaryLevel;
    case ExprKind::kLambda: return kAnything;
    case ExprKind::kCall:
    case ExprKind::kIndex:
    case ExprKind::kField: return kPostfixLevel;
    case ExprKind::kError:
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kString:
    case ExprKind::kBool:
    case ExprKind::kName:
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kMap:
    case ExprKind::kIf:
    case ExprKind::kMatch:
    case ExprKind::kBlock:
    case ExprKind::kLoop:
    case ExprKind::kFor:
    case ExprKind::kPart:
    case ExprKind::kAnyDim: break;
  }
  return kPrimaryLevel;
}

// The lines of a kernel's body as they are, except for their indentation, which follows the braces.
// A line that begins with a closing brace is indented as the line of the opening one. Several empty
// lines become one. Braces in comments do not count.
std::vector<std::string> IndentLines(std::string_view text) {
  std::vector<std::string> lines;
  ptrdiff_t depth = 1;
  for (const std::string_view raw : StrSplit(text, '\n')) {
    const std::string_view line = StrTrim(raw);
    if (line.empty()) {
      if (!lines.empty() && !lines.back().empty()) lines.emplace_back();
      continue;
    }
    const std::string_view code = line.substr(0, line.find("//"));
    const size_t leading = std::min(code.find_first_not_of("} "), code.size());
    const ptrdiff_t closed = std::count(code.begin(), code.end(), '}');
    const ptrdiff_t closed_first =
        std::count(line.begin(), line.begin() + static_cast<ptrdiff_t>(leading), '}');
    const auto indent = static_cast<size_t>(std::max<ptrdiff_t>(depth - closed_first, 0));
    lines.push_back(std::string(2 * indent, ' ').append(line));
    depth += std::count(code.begin(), code.end(), '{') - closed;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// Formats one file; used once, because next_comment_ only moves forward.
class Formatter {
 public:
  Formatter(const File& file, std::string_view text) : file_(file), text_(text) {}

  std::string Run() {
    Lines lines{.inner = false};
    for (const Item& item : file_.items)
      AddLine(
          item.span(), [&] { return FormatItem(item); }, &lines);
    AddComments(static_cast<uint32_t>(text_.size()) + 1, &lines);
    return docs_.Render(docs_.Join(std::move(lines.docs)), kWidth) + "\n";
  }

 private:
  // Lines one below the other. `inner` ones are inside braces and begin with a break.
  struct Lines {
    bool inner = true;
    bool any = false;
    std::vector<Doc> docs = {};
  };

  Doc Text(std::string_view text) { return docs_.Text(text); }

  // --- comments and blank lines

  // Whether an empty line stands before the offset: two line ends with nothing but blanks between.
  bool BlankBefore(uint32_t offset) const {
    int breaks = 0;
    for (size_t at = std::min<size_t>(offset, text_.size()); at > 0 && breaks < 2; --at) {
      const char c = text_[at - 1];
      if (c == '\n')
        ++breaks;
      else if (c != ' ' && c != '\t' && c != '\r')
        break;
    }
    return breaks >= 2;
  }

  // Begins a line. An empty line of the text stays, except before the first line of a block.
  void StartLine(uint32_t offset, Lines* lines) {
    if (lines->any || lines->inner) lines->docs.push_back(docs_.HardLine());
    if (lines->any && BlankBefore(offset)) lines->docs.push_back(docs_.HardLine());
    lines->any = true;
  }

  // Comments that begin before the offset, each on a line of its own.
  void AddComments(uint32_t offset, Lines* lines) {
    while (next_comment_ < file_.comments.size() &&
           file_.comments[next_comment_].span.begin < offset) {
      const Comment& comment = file_.comments[next_comment_++];
      StartLine(comment.span.begin, lines);
      lines->docs.push_back(Text(comment.text));
    }
  }

  // A comment that stood behind something on its line stays there.
  void AddTrailing(uint32_t end, Lines* lines) {
    if (next_comment_ >= file_.comments.size()) return;
    const Comment& comment = file_.comments[next_comment_];
    if (comment.span.begin < end || comment.text.starts_with(";;")) return;
    const std::string_view between = text_.substr(end, comment.span.begin - end);
    // More code stands between, so the comment belongs to that.
    if (between.find_first_not_of(" \t;,") != std::string_view::npos) return;
    ++next_comment_;
    lines->docs.push_back(Text(StrCat("  ", comment.text)));
  }

  template <class F>
  void AddLine(const Span& span, const F& format, Lines* lines) {
    AddComments(span.begin, lines);
    StartLine(span.begin, lines);
    lines->docs.push_back(format());
    AddTrailing(span.end, lines);
  }

  Doc Braced(Lines lines) {
    return docs_.Join(
        {Text("{"), docs_.Indent(docs_.Join(std::move(lines.docs))), docs_.HardLine(), Text("}")});
  }

  // Whether a comment that is not written yet begins before the end of the span.
  bool HasComments(const Span& span) const {
    return next_comment_ < file_.comments.size() &&
           file_.comments[next_comment_].span.begin < span.end;
  }

  // --- lists

  // Items between `open` and `close`, separated by commas; each on its own line, with a comma after
  // the last, if they do not fit. `spaced` puts blanks inside, as in { A, B }.
  Doc Listed(std::string_view open, std::vector<Doc> items, std::string_view close,
             bool spaced = false) {
    if (items.empty()) return Text(StrCat(open, close));
    const Doc gap = spaced ? docs_.Line() : docs_.SoftBreak();
    std::vector<Doc> inside = {gap};
    for (size_t i = 0; i < items.size(); ++i) {
      inside.push_back(items[i]);
      if (i + 1 == items.size()) break;
      inside.push_back(Text(","));
      inside.push_back(docs_.Line());
    }
    inside.push_back(docs_.IfBroken(","));
    return docs_.Group(
        docs_.Join({Text(open), docs_.Indent(docs_.Join(std::move(inside))), gap, Text(close)}));
  }

  template <class List, class F>
  std::vector<Doc> Each(const List& list, const F& format) {
    std::vector<Doc> docs;
    for (const auto& item : list) docs.push_back(format(item));
    return docs;
  }

  // --- declarations

  Doc FormatItem(const Item& item) {
    if (item.function != nullptr) return FormatFunction(*item.function);
    if (item.data != nullptr) return FormatData(*item.data);
    const KernelDecl& kernel = *item.kernel;
    // The body keeps its text, comments included, so they must not be written again.
    while (HasComments(kernel.span)) ++next_comment_;
    const Function& function = *kernel.function;
    return docs_.Join({Text(StrCat("kernel ", function.name.text)), Params(function.params),
                       Text(" -> "), Results(kernel), Text(kernel.relaxed ? " relaxed {" : " {"),
                       KernelLines(kernel.body), docs_.HardLine(), Text("}")});
  }

  Doc Results(const KernelDecl& kernel) {
    const TypeExpr& type = *kernel.function->result;
    std::vector<Doc> items;
    for (size_t i = 0; i < kernel.results.size(); ++i) {
      const TypeExpr& each = kernel.results.size() == 1 ? type : *type.args[i];
      items.push_back(docs_.Join({Text(StrCat(kernel.results[i].text, ": ")), Type(each)}));
    }
    return Listed("(", std::move(items), ")");
  }

  Doc KernelLines(const Span& body) {
    std::vector<Doc> docs;
    for (const std::string& line : IndentLines(text_.substr(body.begin, body.end - body.begin))) {
      docs.push_back(docs_.HardLine());
      docs.push_back(Text(line));
    }
    return docs_.Join(std::move(docs));
  }

  Doc Generics(const std::vector<Name>& generics) {
    std::string text;
    for (const Name& name : generics) StrAppend(&text, text.empty() ? "[" : ", ", name.text);
    return Text(text.empty() ? text : text + "]");
  }

  Doc Params(const std::vector<Param>& params) {
    return Listed("(", Each(params, [&](const Param& param) { return FormatParam(param); }), ")");
  }

  // In a lambda the '|' of alternatives would end the parameters, so they stand in parentheses.
  Doc FormatParam(const Param& param) {
    const bool closed = param.pattern->kind == PatternKind::kOr;
    std::vector<Doc> parts = {Text(closed ? "(" : ""), FormatPattern(*param.pattern),
                              Text(closed ? ")" : "")};
    if (param.type != nullptr) {
      parts.push_back(Text(": "));
      parts.push_back(Type(*param.type));
    }
    if (param.first != nullptr) {
      parts.push_back(Text(" = "));
      parts.push_back(Expression(*param.first));
    }
    return docs_.Join(std::move(parts));
  }

  // A constant of the file, or a statement; `type` may be null.
  Doc FormatLet(Doc name, const TypeExpr* type, const Expr& value) {
    std::vector<Doc> parts = {Text("let "), name};
    if (type != nullptr) {
      parts.push_back(Text(": "));
      parts.push_back(Type(*type));
    }
    parts.push_back(Text(" = "));
    parts.push_back(Expression(value));
    parts.push_back(Text(";"));
    return docs_.Group(docs_.Join(std::move(parts)));
  }

  Doc FormatFunction(const Function& function) {
    if (function.is_constant)
      return FormatLet(Text(function.name.text), function.result.get(), *function.body);
    std::vector<Doc> parts = {Text(StrCat("fn ", function.name.text))};
    // fn f[](…) differs from fn f(…): the brackets refuse names that are not declared.
    parts.push_back(function.has_generics && function.generics.empty()
                        ? Text("[]")
                        : Generics(function.generics));
    parts.push_back(Params(function.params));
    if (function.result != nullptr) {
      parts.push_back(Text(" -> "));
      parts.push_back(Type(*function.result));
    }
    parts.push_back(Text(" "));
    parts.push_back(Block(*function.body));
    return docs_.Group(docs_.Join(std::move(parts)));
  }

  Doc FormatConstructor(const ConstructorDecl& constructor) {
    const Doc name = Text(constructor.name.text);
    if (!constructor.has_parentheses) return name;
    std::vector<Doc> fields;
    for (size_t i = 0; i < constructor.fields.size(); ++i) {
      const bool named = i < constructor.field_names.size();
      const std::string label = named ? StrCat(constructor.field_names[i].text, ": ") : "";
      fields.push_back(docs_.Join({Text(label), Type(*constructor.fields[i])}));
    }
    return docs_.Join({name, Listed("(", std::move(fields), ")")});
  }

  Doc FormatData(const DataDecl& data) {
    const Doc head =
        docs_.Join({Text(StrCat("type ", data.name.text)), Generics(data.generics), Text(" ")});
    // With comments inside, constructors stand one below the other, because a comment ends its
    // line.
    if (!HasComments(data.span)) {
      const auto each = [&](const ConstructorDecl& one) { return FormatConstructor(one); };
      return docs_.Join({head, Listed("{", Each(data.constructors, each), "}", true)});
    }
    Lines lines;
    for (const ConstructorDecl& constructor : data.constructors) {
      const auto format = [&] { return docs_.Join({FormatConstructor(constructor), Text(",")}); };
      AddLine(constructor.span, format, &lines);
    }
    AddComments(data.span.end, &lines);
    return docs_.Join({head, Braced(std::move(lines))});
  }

  // --- types and patterns

  Doc Type(const TypeExpr& type) {
    const auto each = [&](const TypeExprPtr& arg) { return Type(*arg); };
    switch (type.kind) {
      case TypeExprKind::kError:
      case TypeExprKind::kName: return Text(type.name.text);
      case TypeExprKind::kApplied:
        if (type.args.empty()) return Text(type.name.text);
        return docs_.Join({Text(type.name.text), Listed("[", Each(type.args, each), "]")});
      case TypeExprKind::kTuple: return Listed("(", Each(type.args, each), ")");
      case TypeExprKind::kFunction:
        return docs_.Join({Text("fn"), Listed("(", Each(type.args, each), ")"), Text(" -> "),
                           Type(*type.result)});
      case TypeExprKind::kTensor: break;
    }
    return docs_.Join(
        {Text(type.name.text),
         Listed("[", Each(type.dims, [&](const ExprPtr& dim) { return Expression(*dim); }), "]")});
  }

  Doc FormatPattern(const Pattern& pattern) {
    const auto each = [&](const PatternPtr& arg) { return FormatPattern(*arg); };
    switch (pattern.kind) {
      case PatternKind::kError:
      case PatternKind::kWildcard: return Text("_");
      case PatternKind::kBind: return Text(pattern.name.text);
      case PatternKind::kLiteral: return Text(pattern.literal->text);
      case PatternKind::kTuple: return Listed("(", Each(pattern.args, each), ")");
      case PatternKind::kList: return FormatListPattern(pattern);
      case PatternKind::kOr: return Alternatives(pattern);
      case PatternKind::kConstructor: break;
    }
    if (!pattern.has_parentheses) return Text(pattern.name.text);
    return docs_.Join({Text(pattern.name.text), Listed("(", Fields(pattern), ")")});
  }

  std::vector<Doc> Fields(const Pattern& pattern) {
    std::vector<Doc> fields;
    for (size_t i = 0; i < pattern.args.size(); ++i) {
      const std::string& name = pattern.fields[i].text;
      fields.push_back(docs_.Join(
          {Text(name.empty() ? name : StrCat(name, " = ")), FormatPattern(*pattern.args[i])}));
    }
    if (pattern.has_rest) fields.push_back(Text(".."));
    return fields;
  }

  Doc FormatListPattern(const Pattern& pattern) {
    std::vector<Doc> items;
    for (size_t i = 0; i < pattern.args.size(); ++i) {
      const Pattern& arg = *pattern.args[i];
      const bool rest = i == pattern.item_count();
      items.push_back(rest ? Text(StrCat("..", arg.name.text)) : FormatPattern(arg));
    }
    return Listed("[", std::move(items), "]");
  }

  Doc Alternatives(const Pattern& pattern) {
    std::vector<Doc> parts = {FormatPattern(*pattern.args[0])};
    for (size_t i = 1; i < pattern.args.size(); ++i)
      parts.push_back(docs_.Join({docs_.Line(), Text("| "), FormatPattern(*pattern.args[i])}));
    return docs_.Group(docs_.Join(std::move(parts)));
  }

  // --- expressions

  // Writes parentheses only where the tree needs them; those of the program are not in the tree.
  Doc Expression(const Expr& expr, int level = kAnything) {
    Doc doc = Bare(expr);
    return LevelOf(expr) < level ? docs_.Join({Text("("), doc, Text(")")}) : doc;
  }

  Doc Bare(const Expr& expr) {
    const auto each = [&](const ExprPtr& child) { return Expression(*child); };
    switch (expr.kind) {
      case ExprKind::kError: return Text("");
      case ExprKind::kInt:
      case ExprKind::kFloat:
      case ExprKind::kString:
      case ExprKind::kBool:
      case ExprKind::kName: return Text(expr.text);
      case ExprKind::kAnyDim: return Text("?");
      case ExprKind::kTuple: return Listed("(", Each(expr.children, each), ")");
      case ExprKind::kList: return Listed("[", Each(expr.children, each), "]");
      case ExprKind::kMap: return FormatMap(expr);
      case ExprKind::kUnary:
        return docs_.Join({Text(expr.text), Expression(*expr.children[0], kUnaryLevel)});
      case ExprKind::kBinary: return Binary(expr);
      case ExprKind::kCall: return Call(expr);
      case ExprKind::kField:
        return docs_.Join(
            {Expression(*expr.children[0], kPostfixLevel), Text("."), Text(expr.text)});
      case ExprKind::kIndex: return Index(expr);
      case ExprKind::kPart: return Part(expr);
      case ExprKind::kIf: return If(expr);
      case ExprKind::kMatch: return Match(expr);
      case ExprKind::kBlock: return Block(expr);
      case ExprKind::kLambda: return Lambda(expr);
      case ExprKind::kLoop: return Loop(expr);
      case ExprKind::kFor: return For(expr);
    }
    return Text("");
  }

  Doc Index(const Expr& expr) {
    std::vector<Doc> parts = {Expression(*expr.children[0], kPostfixLevel), Text("[")};
    for (size_t i = 1; i < expr.children.size(); ++i) {
      if (i > 1) parts.push_back(Text(", "));
      parts.push_back(Expression(*expr.children[i]));
    }
    parts.push_back(Text("]"));
    return docs_.Join(std::move(parts));
  }

  // A begin is read up to the dots, so one that holds dots of its own needs parentheses.
  Doc Part(const Expr& expr) {
    const Expr* const begin = expr.children[0].get();
    const Expr* const end = expr.children[1].get();
    return docs_.Join({begin == nullptr ? Text("") : Expression(*begin, BinaryLevel("..") + 1),
                       Text(".."), end == nullptr ? Text("") : Expression(*end)});
  }

  Doc FormatMap(const Expr& expr) {
    if (expr.children.empty()) return Text("{:}");
    std::vector<Doc> items;
    for (size_t i = 0; i + 1 < expr.children.size(); i += 2)
      items.push_back(docs_.Join(
          {Expression(*expr.children[i]), Text(": "), Expression(*expr.children[i + 1])}));
    return Listed("{", std::move(items), "}");
  }

  // Chains of one level break together, before their operators. Comparisons and ranges do not
  // chain, so their left operand of the same level is in parentheses.
  void Operands(const Expr& expr, int level, std::vector<Doc>* parts) {
    const Expr& left = *expr.children[0];
    const bool chain = left.kind == ExprKind::kBinary && BinaryLevel(left.text) == level &&
                       level != 3 && level != 4;
    if (chain)
      Operands(left, level, parts);
    else
      parts->push_back(Expression(left, level == 3 || level == 4 ? level + 1 : level));
    const Doc right = Expression(*expr.children[1], level + 1);
    if (expr.text == "..") {
      parts->insert(parts->end(), {Text(".."), right});
      return;
    }
    parts->push_back(docs_.Indent(docs_.Join({docs_.Line(), Text(expr.text), Text(" "), right})));
  }

  Doc Binary(const Expr& expr) {
    std::vector<Doc> parts;
    Operands(expr, BinaryLevel(expr.text), &parts);
    return docs_.Group(docs_.Join(std::move(parts)));
  }

  Doc Call(const Expr& expr) {
    std::vector<Doc> items;
    for (size_t i = 1; i < expr.children.size(); ++i)
      items.push_back(Expression(*expr.children[i]));
    for (const Attribute& attribute : expr.attributes) {
      const bool rest = attribute.name.text == "..";
      items.push_back(docs_.Join(
          {Text(attribute.name.text), Text(rest ? "" : " = "), Expression(*attribute.value)}));
    }
    const Doc callee = Expression(*expr.children[0], kPostfixLevel);
    // A block lambda as the last argument keeps the parentheses close, so that its lines are
    // indented once.
    if (expr.attributes.empty() && expr.children.size() > 1 &&
        expr.children.back()->kind == ExprKind::kLambda &&
        expr.children.back()->children[0]->kind == ExprKind::kBlock) {
      std::vector<Doc> parts = {callee, Text("(")};
      for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) parts.push_back(Text(", "));
        parts.push_back(items[i]);
      }
      parts.push_back(Text(")"));
      return docs_.Join(std::move(parts));
    }
    return docs_.Join({callee, Listed("(", std::move(items), ")")});
  }

  // An if is one group: all branches on the line of the condition, or each on lines of its own.
  Doc If(const Expr& expr) { return docs_.Group(IfParts(expr)); }

  // `else if` continues the group of the first if.
  Doc IfParts(const Expr& expr) {
    std::vector<Doc> parts = {Text("if "), Expression(*expr.children[0]), Text(" "),
                              BlockParts(*expr.children[1])};
    if (const Expr* other = expr.children[2].get()) {
      parts.push_back(Text(" else "));
      parts.push_back(other->kind == ExprKind::kIf ? IfParts(*other) : BlockParts(*other));
    }
    return docs_.Join(std::move(parts));
  }

  Doc Lambda(const Expr& expr) {
    std::vector<Doc> parts = {Text("|")};
    for (size_t i = 0; i < expr.params.size(); ++i) {
      if (i > 0) parts.push_back(Text(", "));
      parts.push_back(FormatParam(expr.params[i]));
    }
    parts.push_back(Text("| "));
    if (expr.type_expr != nullptr) {
      parts.push_back(Text("-> "));
      parts.push_back(Type(*expr.type_expr));
      parts.push_back(Text(" "));
    }
    parts.push_back(Expression(*expr.children[0]));
    return docs_.Join(std::move(parts));
  }

  Doc Loop(const Expr& expr) {
    return docs_.Group(
        docs_.Join({Text("loop "), Params(expr.params), Text(" while "),
                    Expression(*expr.children[0]), Text(" "), Block(*expr.children[1])}));
  }

  Doc For(const Expr& expr) {
    std::vector<Doc> parts = {Text("for "), FormatPattern(*expr.pattern), Text(" in "),
                              Expression(*expr.children[0]), Text(" ")};
    if (!expr.params.empty()) {
      parts.push_back(Text("with "));
      parts.push_back(Params(expr.params));
      parts.push_back(Text(" "));
    }
    parts.push_back(Block(*expr.children[1]));
    return docs_.Group(docs_.Join(std::move(parts)));
  }

  Doc Match(const Expr& expr) {
    const Doc head = docs_.Join({Text("match "), Expression(*expr.children[0]), Text(" ")});
    Lines lines;
    for (const Arm& arm : expr.arms)
      AddLine(
          arm.span, [&] { return FormatArm(arm); }, &lines);
    AddComments(expr.span.end, &lines);
    return docs_.Join({head, lines.any ? Braced(std::move(lines)) : Text("{}")});
  }

  Doc FormatArm(const Arm& arm) {
    std::vector<Doc> parts = {FormatPattern(*arm.pattern)};
    if (arm.guard != nullptr) {
      parts.push_back(Text(" if "));
      parts.push_back(Expression(*arm.guard));
    }
    parts.push_back(Text(" => "));
    parts.push_back(Expression(*arm.body));
    parts.push_back(Text(","));
    return docs_.Group(docs_.Join(std::move(parts)));
  }

  // --- blocks

  Doc FormatStatement(const Statement& statement) {
    if (statement.kind == StatementKind::kFunction) return FormatFunction(*statement.function);
    if (statement.kind == StatementKind::kExpression)
      return docs_.Join({Expression(*statement.value), Text(statement.has_semicolon ? ";" : "")});
    return FormatLet(FormatPattern(*statement.pattern), statement.type.get(), *statement.value);
  }

  Doc Block(const Expr& block) { return docs_.Group(BlockParts(block)); }

  // A block is on one line if it is only a value without blocks of its own, and all of it fits.
  Doc BlockParts(const Expr& block) {
    const Expr* const result = block.children[0].get();
    if (block.statements.empty() && !HasComments(block.span)) {
      if (result == nullptr) return Text("{}");
      const Doc gap = HasBlock(*result) ? docs_.HardLine() : docs_.Line();
      return docs_.Join(
          {Text("{"), docs_.Indent(docs_.Join({gap, Expression(*result)})), gap, Text("}")});
    }
    Lines lines;
    for (const Statement& statement : block.statements)
      AddLine(
          statement.span, [&] { return FormatStatement(statement); }, &lines);
    if (result != nullptr)
      AddLine(
          result->span, [&] { return Expression(*result); }, &lines);
    AddComments(block.span.end, &lines);
    return Braced(std::move(lines));
  }

  // Whether something inside always takes several lines or reads badly on one.
  static bool HasBlock(const Expr& expr) {
    if (expr.kind == ExprKind::kBlock || expr.kind == ExprKind::kMatch) return true;
    return std::any_of(expr.children.begin(), expr.children.end(),
                       [](const ExprPtr& child) { return child != nullptr && HasBlock(*child); });
  }

  const File& file_;
  std::string_view text_;
  DocBuilder docs_;
  size_t next_comment_ = 0;
};

}  // namespace

std::string Format(const File& file, std::string_view text) { return Formatter(file, text).Run(); }

Result<std::string> FormatText(std::string_view file_name, std::string_view text) {
  auto sources = std::make_shared<text::SourceMap>();
  const int32_t index = sources->AddFile(file_name, text);
  text::Diagnostics diagnostics(sources);
  const std::unique_ptr<File> file = ParseFile(index, &diagnostics);
  TERN_TRY(diagnostics.ToStatus());
  return Format(*file, text);
}

}  // namespace tern::lang
