// SPDX-License-Identifier: Apache-2.0
#include "core/loop/text/parser.h"

#include "core/base/strings.h"
#include "core/loop/te/schedule_parser.h"
#include "core/loop/text/program_expr_parser.h"
#include "core/loop/verifier.h"

namespace tern::loop {
namespace {

// Recursive descent with one token of lookahead. After an error every function returns at once
// (ok() is false), because what follows was not meant that way; complaints about meaning do not end
// parsing.
class Parser : public ProgramExprParser {
 public:
  using ProgramExprParser::ProgramExprParser;

  // One definition from its name on.
  std::optional<te::Definition> RunDefinition() {
    std::vector<te::Definition> definitions;
    ParseDefinition(&definitions);
    if (diagnostics_.ok()) VerifyDefinition(definitions.front(), &diagnostics_);
    if (!diagnostics_.ok()) return std::nullopt;
    return std::move(definitions.front());
  }
  const text::Diagnostics& diagnostics() const { return diagnostics_; }
  uint32_t end() const { return last().span.end; }

  Result<SourceFile> Run() {
    SourceFile file;
    while (ok() && Peek().kind != TokenKind::kEnd) {
      if (Accept("primfn"))
        ParseFunction(&file.program);
      else if (Accept("te"))
        ParseDefinition(&file.definitions);
      else
        Fail("'te' or 'primfn'");
    }
    file.sources = sources_;
    if (diagnostics_.ok()) VerifyFile(file, &diagnostics_);
    if (!diagnostics_.ok()) return diagnostics_.ToStatus();
    return file;
  }

 private:
  // --- heads

  // "<n, m>" declares every size; without it, shapes declare sizes by their first mention.
  void ParseSizes() {
    sizes_.clear();
    sizes_are_implicit_ = !Accept("<");
    if (sizes_are_implicit_) return;
    do {
      const Token name = Name("a size parameter");
      sizes_.push_back(MakeVar(std::string(name.text)));
      sizes_.back()->span = name.span;
      Declare(name, {name.text, sizes_.back(), nullptr});
    } while (Accept(","));
    Expect(">");
  }

  struct Parameters {
    std::vector<BufferPtr> buffers;
    std::vector<VarPtr> scalars;
  };

  std::optional<Access> ParseAccess() {
    for (Access access : {Access::kIn, Access::kOut, Access::kInOut, Access::kWorkspace}) {
      if (Accept(AccessName(access))) return access;
    }
    return std::nullopt;
  }

  // "(A: in float32[n], alpha: float32)"; fallback: the access of tensors that do not say.
  Parameters ParseParameters(Access fallback) {
    Parameters parameters;
    Expect("(");
    if (Accept(")")) return parameters;
    do {
      const Token name = Name("a parameter");
      Expect(":");
      const std::optional<Access> access = ParseAccess();
      const std::optional<DType> dtype = ParseElementType();
      if (!ok()) break;
      if (Peek().Is("[") || access.has_value())
        parameters.buffers.push_back(DeclareBuffer(name, dtype, access.value_or(fallback)));
      else
        parameters.scalars.push_back(DeclareScalar(name, dtype));
    } while (Accept(","));
    Expect(")");
    return parameters;
  }

  BufferPtr DeclareBuffer(const Token& name, std::optional<DType> dtype, Access access) {
    std::vector<Expr> shape = ParseShape();
    BufferPtr buffer =
        MakeBuffer(std::string(name.text), dtype.value_or(kF32), std::move(shape), access);
    const_cast<Buffer*>(buffer.get())->span = name.span;  // nobody else has it yet
    Declare(name, {name.text, nullptr, buffer});
    return buffer;
  }

  VarPtr DeclareScalar(const Token& name, std::optional<DType> dtype) {
    VarPtr var = MakeVar(std::string(name.text), DataType(dtype.value_or(kF32)));
    var->span = name.span;
    Declare(name, {name.text, var, nullptr});
    return var;
  }

  // --- loop functions

  void ParseFunction(Program* program) {
    const size_t mark = scope_mark();
    const Token name = Name("the function's name");
    ParseSizes();
    Parameters parameters = ParseParameters(Access::kIn);
    // From here on, an unknown name is an error and not a size.
    sizes_are_implicit_ = false;
    LoopFunction function;
    function.name = std::string(name.text);
    function.span = name.span;
    function.buffers = std::move(parameters.buffers);
    function.scalars = std::move(parameters.scalars);
    function.sizes = sizes_;
    function.relaxed = Accept("relaxed");
    function.body = ParseBlock();
    // Names of the function end with it.
    EndScope(mark);
    if (program->Find(function.name) != nullptr)
      Complain(name.span, StrCat("there are two functions '", function.name, "'"));
    if (ok()) program->functions.push_back(std::move(function));
  }

  Stmt ParseBlock() {
    const size_t mark = scope_mark();
    std::vector<Stmt> stmts;
    Expect("{");
    // Nesting is limited, because a file could otherwise exhaust the stack.
    ++depth_;
    while (ok() && !TooDeep() && !Accept("}")) {
      // Empty statements.
      while (Accept(";")) {
      }
      if (Accept("}")) break;
      const text::Span begin = Peek().span;
      Stmt stmt = ParseStmt();
      if (!stmt) continue;
      if (!stmt->span.valid()) stmt->span = begin;
      stmts.push_back(std::move(stmt));
    }
    --depth_;
    EndScope(mark);
    return MakeBlock(std::move(stmts));
  }

  Stmt ParseStmt() {
    if (Peek().Is("{")) return ParseBlock();
    if (Accept("for")) return ParseFor();
    if (Accept("while")) return ParseWhile();
    if (Accept("if")) return ParseIf();
    if (Accept("let")) return ParseLet(/*is_mutable=*/false);
    if (Accept("var")) return ParseLet(/*is_mutable=*/true);
    if (Accept("allocate")) return ParseAllocate();
    return ParseStoreOrAssign();
  }

  Expr ParseIndexScalar(std::string_view what) {
    const text::Span at = Peek().span;
    Expr expr = ParseExpr(kIndexType);
    if (!expr || expr->type == kIndexType) return expr;
    Complain(at, StrCat(what, " must be int64, got ", expr->type.ToString()));
    return nullptr;
  }

  // "(i, min, extent; i += step)", kind and role.
  Stmt ParseFor() {
    const size_t mark = scope_mark();
    Expect("(");
    const Token name = Name("a loop variable");
    if (Accept(":") && ok()) {
      const Token type = Name("int64");
      if (ok() && !type.Is("int64")) Complain(type.span, "loop variables are int64");
    }
    Expect(",");
    For::Range range;
    range.min = ParseIndexScalar("the first value of a loop");
    Expect(",");
    range.extent = ParseIndexScalar("the extent of a loop");
    range.step = MakeInt(1);
    if (Accept(";")) {
      const Token again = Name("the loop variable");
      // The step names the variable again, as in C; anything else is a mistake and not another
      // variable.
      if (ok() && again.text != name.text)
        Complain(again.span, StrCat("expected the loop variable '", name.text, "'"));
      Expect("+=");
      range.step = ParseIndexScalar("the step of a loop");
    }
    Expect(")");
    const For::Traits traits = ParseTraits();
    const VarPtr var = MakeVar(std::string(name.text));
    var->span = name.span;
    // Declared after the range was parsed: bounds do not see the loop's own variable.
    Declare(name, {name.text, var, nullptr});
    Stmt body = ParseBlock();
    EndScope(mark);
    if (!ok() || !range.min || !range.extent || !range.step) return nullptr;
    return Spanned(MakeFor(traits, var, std::move(range), std::move(body)), name.span);
  }

  // Returns the statement with the place that messages about it point to.
  static Stmt Spanned(Stmt stmt, text::Span span) {
    stmt->span = span;
    return stmt;
  }

  LoopRole ParseRole() {
    for (LoopRole role : {LoopRole::kVectorMain, LoopRole::kEpilogue}) {
      if (Accept(LoopRoleName(role))) return role;
    }
    return LoopRole::kPlain;
  }

  // Words of loops that are not vectorized are no traits, so the caller complains of them.
  For::Traits ParseTraits() {
    For::Traits traits;
    for (ForKind kind : {ForKind::kParallel, ForKind::kVectorized, ForKind::kVectorizeScalable,
                         ForKind::kUnrolled}) {
      if (Accept(ForKindName(kind))) traits.kind = kind;
    }
    const bool vectorizes =
        traits.kind == ForKind::kVectorized || traits.kind == ForKind::kVectorizeScalable;
    if (vectorizes && Peek().Is("(")) traits.lanes = ParseCount("lanes", kMaxLanes);
    if (vectorizes && Accept("interleave"))
      traits.interleave = ParseCount("interleave", kMaxInterleave);
    for (LoopTail tail : {LoopTail::kPredicated, LoopTail::kCleanup}) {
      if (vectorizes && Accept(LoopTailName(tail))) traits.tail = tail;
    }
    traits.role = ParseRole();
    return traits;
  }

  // "(8)"; 0 where it was complained about.
  int32_t ParseCount(std::string_view what, int32_t most) {
    Expect("(");
    const text::Span at = Peek().span;
    const std::optional<int64_t> count = Integer("a number");
    Expect(")");
    if (!count.has_value() || (*count >= 1 && *count <= most))
      return static_cast<int32_t>(count.value_or(0));
    Complain(at, StrCat(what, " must be from 1 to ", most, ", got ", *count));
    return 0;
  }

  // A condition in parentheses; null after an error was reported.
  Expr ParseCondition() {
    Expect("(");
    const text::Span at = Peek().span;
    Expr condition = ParseExpr();
    Expect(")");
    if (!condition || condition->type == kBoolType) return condition;
    Complain(at, StrCat("a condition must be bool, got ", condition->type.ToString()));
    return nullptr;
  }

  Stmt ParseWhile() {
    const Expr condition = ParseCondition();
    const LoopRole role = ParseRole();
    Stmt body = ParseBlock();
    return ok() && condition ? MakeWhile(role, condition, std::move(body)) : nullptr;
  }

  Stmt ParseIf() {
    const Expr condition = ParseCondition();
    Stmt then_body = ParseBlock(), else_body;
    if (Accept("else")) {
      ++depth_;
      // An else-if chain nests in the tree, so it counts as depth.
      if (Accept("if"))
        else_body = TooDeep() ? nullptr : ParseIf();
      else
        else_body = ParseBlock();
      --depth_;
    }
    return ok() && condition ? MakeIf(condition, std::move(then_body), std::move(else_body))
                             : nullptr;
  }

  // let x: T = VALUE, or var x: T = VALUE for a variable that can be assigned. The type may be left
  // out.
  Stmt ParseLet(bool is_mutable) {
    const Token name = Name("a variable name");
    std::optional<DataType> declared;
    if (Accept(":")) {
      const Token type = Name("a type");
      Result<DataType> parsed = DataType::Parse(type.text);
      if (!ok()) return nullptr;
      if (parsed.ok())
        declared = *parsed;
      else
        Complain(type.span, parsed.status().message());
    }
    Expect("=");
    const Expr value = ParseExpr(declared);
    const VarPtr var =
        MakeVar(std::string(name.text), declared.value_or(value ? value->type : kIndexType));
    var->span = name.span;
    // Declared after its value, so that `let x = x + 1` reads the outer x.
    Declare(name, {name.text, var, nullptr, is_mutable});
    if (!ok() || !value) return nullptr;
    if (value->type == var->type) return MakeLet(var, value, is_mutable);
    Complain(name.span, StrCat("'", name.text, "' is declared ", var->type.ToString(),
                               ", but its value is ", value->type.ToString()));
    return nullptr;
  }

  // allocate x: T[shape]. The buffer is in scope until its block ends.
  Stmt ParseAllocate() {
    const Token name = Name("a buffer name");
    Expect(":");
    const std::optional<DType> dtype = ParseElementType();
    const BufferPtr buffer = DeclareBuffer(name, dtype, Access::kLocal);
    return ok() ? MakeAllocate(buffer) : nullptr;
  }

  // Only the declaration tells whether a statement assigns a variable or stores into a buffer.
  Stmt ParseStoreOrAssign() {
    const Token name = Name("a statement");
    if (!ok()) return nullptr;
    const Symbol* symbol = Lookup(name.text);
    if (symbol == nullptr) {
      Complain(name.span, StrCat("'", name.text, "' is not declared"))
          .Help("a new variable is made by let or var");
      SkipStore();
      return nullptr;
    }
    return symbol->var ? ParseAssign(*symbol, name) : ParseStore(symbol->buffer, name);
  }

  // Past a store to a name that is not declared.
  void SkipStore() {
    SkipBrackets();
    Expect("=");
    ParseExpr();
  }

  // NAME = VALUE, for what `var` declares.
  Stmt ParseAssign(const Symbol& symbol, const Token& name) {
    const VarPtr var = symbol.var;
    const bool is_mutable = symbol.is_mutable;
    Expect("=");
    const Expr value = ParseExpr(var->type);
    if (!ok() || !value) return nullptr;
    if (!is_mutable) {
      Complain(name.span, StrCat("'", name.text, "' cannot be assigned"))
          .Help("only what `var` declares can");
    } else if (value->type != var->type) {
      Complain(name.span, StrCat("'", name.text, "' is ", var->type.ToString(), ", got ",
                                 value->type.ToString()));
    } else {
      return MakeAssign(var, value);
    }
    return nullptr;
  }

  // NAME[indices] = VALUE, with a mask after `where`.
  Stmt ParseStore(const BufferPtr& buffer, const Token& name) {
    Element element = ParseElement(*buffer, name.span);
    Expect("=");
    const Expr value = ParseExpr(DataType(buffer->dtype));
    if (!ok() || !element.good || !value) return nullptr;
    const std::string why = WhyNotStore(*buffer, element.indices, value->type, element.predicate);
    if (why.empty())
      return MakeStore(buffer, std::move(element.indices), value, std::move(element.predicate));
    Complain(name.span, why);
    return nullptr;
  }

  // --- tensor expressions

  // te NAME[sizes](inputs) -> (results) { computes, schedule }
  void ParseDefinition(std::vector<te::Definition>* definitions) {
    const size_t mark = scope_mark();
    te::Definition te;
    const Token name = Name("the definition's name");
    te.name = std::string(name.text);
    te.span = name.span;
    ParseSizes();
    Parameters inputs = ParseParameters(Access::kIn);
    Expect("->");
    Parameters outputs = ParseParameters(Access::kOut);
    sizes_are_implicit_ = false;
    CheckAccess(inputs, Access::kIn, "an input");
    CheckAccess(outputs, Access::kOut, "a result");
    for (const VarPtr& scalar : outputs.scalars)
      Complain(scalar->span, StrCat("a result must be a tensor; write ", scalar->name, ": ",
                                    scalar->type.ToString(), "[] for a single element"));
    te.inputs = std::move(inputs.buffers);
    te.scalars = std::move(inputs.scalars);
    te.outputs = std::move(outputs.buffers);
    te.sizes = sizes_;
    te.relaxed = Accept("relaxed");
    Expect("{");
    while (Accept("compute")) ParseCompute(&te);
    if (Accept("schedule"))
      ParseSchedule(&te);
    else if (!Peek().Is("}"))
      Fail("'compute', 'schedule' or '}'");
    Expect("}");
    EndScope(mark);
    if (ok()) definitions->push_back(std::move(te));
  }

  // Inputs are read and results are written, so a definition's tensors need no word for it.
  void CheckAccess(const Parameters& parameters, Access access, std::string_view what) {
    for (const BufferPtr& buffer : parameters.buffers) {
      if (buffer->access == access) continue;
      Complain(buffer->span,
               StrCat("'", buffer->name, "' is ", what, " of a definition and cannot be '",
                      AccessName(buffer->access), "'"))
          .Help("leave out how it is accessed: that is said by its place before or after ->");
    }
  }

  // compute C[i] = VALUE, or compute T[i]: float32[n] = VALUE
  void ParseCompute(te::Definition* te) {
    const Token name = Name("the tensor's name");
    te::Compute compute;
    compute.span = name.span;
    const size_t mark = scope_mark();
    std::vector<Token> axes;
    Expect("[");
    if (!Peek().Is("]")) {
      do {
        axes.push_back(Name("an axis"));
      } while (ok() && Accept(","));
    }
    Expect("]");
    compute.tensor = ParseComputed(*te, name, axes.size());
    if (!ok()) return;
    for (const Token& axis : axes) {
      compute.axes.push_back(MakeVar(std::string(axis.text)));
      compute.axes.back()->span = axis.span;
      Declare(axis, {axis.text, compute.axes.back(), nullptr});
    }
    Expect("=");
    compute.value = ParseExpr(DataType(compute.tensor->dtype));
    EndScope(mark);
    // A tensor between inputs and results can be read from here on.
    // Results are declared by the head already.
    if (Lookup(name.text) == nullptr) Declare(name, {name.text, nullptr, compute.tensor});
    if (!ok() || !compute.value) return;
    const DataType wanted(compute.tensor->dtype);
    if (axes.size() != compute.tensor->shape.size())
      Complain(name.span, StrCat("'", name.text, "' has ", compute.tensor->shape.size(),
                                 " dimensions, got ", axes.size(), " axes"));
    else if (compute.value->type != wanted)
      Complain(name.span, StrCat("'", name.text, "' is ", wanted.ToString(), ", but its value is ",
                                 compute.value->type.ToString()));
    else
      te->computes.push_back(std::move(compute));
  }

  // The tensor that a compute defines: a result, or one between inputs and results, whose type it
  // declares.
  BufferPtr ParseComputed(const te::Definition& te, const Token& name, size_t rank) {
    if (Accept(":")) {
      const std::optional<DType> dtype = ParseElementType();
      std::vector<Expr> shape = ParseShape();
      if (Lookup(name.text) != nullptr)
        Complain(name.span, StrCat("'", name.text, "' is already declared"));
      BufferPtr tensor = MakeBuffer(std::string(name.text), dtype.value_or(kF32), std::move(shape),
                                    Access::kWorkspace);
      const_cast<Buffer*>(tensor.get())->span = name.span;
      return tensor;
    }
    for (const BufferPtr& output : te.outputs) {
      if (output->name == name.text) return output;
    }
    if (ok())
      Complain(name.span, StrCat("'", name.text, "' is not a result of '", te.name, "'"))
          .Help(StrCat("list it after ->, or give its type: compute ", name.text,
                       "[i]: float32[n] = ..."));
    // The shape that the axes suggest, so that nothing more is said about it.
    return MakeBuffer(std::string(name.text), kF32, std::vector<Expr>(rank, MakeInt(1)),
                      Access::kWorkspace);
  }

  // The lines of the schedule, in order.
  void ParseSchedule(te::Definition* te) {
    Expect("{");
    while (ok() && !Accept("}")) {
      const Token name = Name("a schedule primitive, or '}'");
      if (!ok()) return;
      // A line that was complained about is left out; the rest is parsed for its own mistakes.
      std::optional<te::Directive> directive = ParseDirective(name);
      if (directive.has_value()) te->schedule.push_back(*std::move(directive));
      Accept(";");
    }
  }

  // NAME(TENSOR, names or factors, scalable = true)
  std::optional<te::Directive> ParseDirective(const Token& name) {
    te::DirectiveReader reader(name);
    Expect("(");
    reader.SetTensor(Name("a tensor's name").text);
    while (ok() && Accept(",")) {
      const text::Span at = Peek().span;
      if (Peek().kind == TokenKind::kName && !Peek().Is("vscale")) {
        const Token word = Next();
        if (!Accept("="))
          reader.AddName(word);
        else
          reader.AddOption(word, Next());
      } else if (const std::optional<Lanes> lanes = ParseLanes()) {
        reader.AddFactor(*lanes, at);
      }
    }
    Expect(")");
    return ok() ? reader.Finish(&diagnostics_) : std::nullopt;
  }
};

}  // namespace

Result<SourceFile> ParseLoops(std::string_view file_name, std::string_view text) {
  return Parser(file_name, text).Run();
}

std::optional<te::Definition> ParseDefinitionAt(text::Span* where, text::Diagnostics* diagnostics) {
  Parser parser(diagnostics->shared_sources(), *where);
  std::optional<te::Definition> definition = parser.RunDefinition();
  diagnostics->Append(parser.diagnostics());
  where->end = parser.end();
  return definition;
}

}  // namespace tern::loop
