// SPDX-License-Identifier: Apache-2.0
// One walk over the checked tree collects every mention of a name; all questions are answered from
// that list.
#include "core/lang/editor/editor.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/lang/op_call.h"
#include "core/lang/primitives.h"
#include "core/lang/program.h"
#include "core/lang/type_text.h"
#include "core/loop/te/te.h"

namespace tern::lang {
namespace {

constexpr std::string_view kFileName = "program.tn";

// A name in the text, and what it means.
struct Mention {
  // Both texts are shown by hover; `definition` is invalid where nothing in a file defines the
  // name.
  Span span;
  std::string_view kind;  // as in tokens
  std::string text;       // "name: type"
  std::string note;
  Span definition;
};

// A local and the part of the text where it can be written.
struct Visible {
  const Local* local;
  Span scope;
};

std::string NameAndType(std::string_view name, const types::Type& type) {
  return StrCat(name, ": ", TypeText(type));
}

// Everything that the file mentions. It holds the checked program, because mentions point into it.
class Index {
 public:
  Index(std::string_view text, const PreludePtr& prelude)
      : checked_(Check(kFileName, text, prelude)) {
    for (const Item& item : file().items) {
      if (item.callable() != nullptr) AddFunction(*item.callable());
      if (item.kernel != nullptr) AddKernel(*item.kernel);
      if (item.data != nullptr) AddData(*item.data);
    }
  }

  const File& file() const { return *checked_.program->file; }
  const Program& program() const { return *checked_.program; }
  const std::vector<Mention>& mentions() const { return mentions_; }
  const std::vector<Visible>& visible() const { return visible_; }

  // The smallest mention that holds the offset, its end included, because the cursor stands behind
  // a name that was just typed.
  const Mention* Find(uint32_t offset) const {
    const Mention* best = nullptr;
    for (const Mention& mention : mentions_) {
      if (mention.span.begin > offset || mention.span.end < offset) continue;
      const uint32_t size = mention.span.end - mention.span.begin;
      if (best == nullptr || size < best->span.end - best->span.begin) best = &mention;
    }
    return best;
  }

  static std::string_view KindOf(const Function& function) {
    return function.is_constant ? "variable" : "function";
  }
  // A constant's type is that of its value; it is kept as a function without parameters.
  static const types::Type& TypeOf(const Function& function) {
    return function.is_constant && function.type.is_function() ? function.type.result()
                                                               : function.type;
  }

 private:
  void Add(const Span& span, std::string_view kind, std::string text, Span definition,
           std::string note = {}) {
    // Names of the prelude are in another file; the editor shows this one.
    if (span.file == file().file)
      mentions_.push_back({span, kind, std::move(text), std::move(note), definition});
  }

  void AddFunction(const Function& function) {
    Add(function.name.span, KindOf(function), NameAndType(function.name.text, TypeOf(function)),
        function.name.span);
    for (const Param& param : function.params) {
      AddPattern(*param.pattern, "parameter", function.span);
      if (param.type != nullptr) AddType(*param.type);
    }
    if (function.result != nullptr) AddType(*function.result);
    if (function.body != nullptr) AddExpr(*function.body);
  }

  // The names in a kernel's body. Its tokens are known, its tree is not: buffers, words of tensor
  // expressions and functions of numbers can be told by the name alone, axes and local tensors
  // cannot.
  void AddKernel(const KernelDecl& kernel) {
    const std::vector<Mention> buffers = BuffersOf(kernel);
    for (const Mention& buffer : buffers) mentions_.push_back(buffer);
    for (const Name& word : kernel.words) {
      const auto is = [&](const Mention& buffer) {
        return program().sources->text(buffer.span) == word.text;
      };
      const auto buffer = std::find_if(buffers.begin(), buffers.end(), is);
      if (buffer != buffers.end())
        Add(word.span, buffer->kind, buffer->text, buffer->definition);
      else
        AddLoopWord(word);
    }
  }

  // The buffers of a kernel: parameters, then results.
  static std::vector<Mention> BuffersOf(const KernelDecl& kernel) {
    std::vector<Mention> buffers;
    const auto add = [&](const Name& name, std::string_view kind, const types::Type& type) {
      buffers.push_back({name.span, kind, NameAndType(name.text, type), {}, name.span});
    };
    for (const Param& param : kernel.function->params)
      add(param.pattern->name, "parameter", param.pattern->type);
    const types::Type& type = kernel.function->type;
    for (size_t i = 0; i < kernel.results.size() && type.is_function(); ++i) {
      const bool several = type.result().is_tuple() && i < type.result().elements().size();
      add(kernel.results[i], "variable", several ? type.result().elements()[i] : type.result());
    }
    return buffers;
  }

  void AddLoopWord(const Name& word) {
    if (word.text == "compute" || word.text == "schedule")
      Add(word.span, "keyword", word.text, Span(), "of tensor expressions (docs/loop-ir.md)");
    for (const loop::te::PrimitiveInfo& info : loop::te::AllPrimitives()) {
      if (info.text == word.text)
        Add(word.span, "operator", std::string(info.usage), Span(), std::string(info.phrase));
    }
    for (const loop::IntrinsicInfo& info : loop::AllIntrinsics()) {
      if (info.text == word.text)
        Add(word.span, "operator", std::string(info.text), Span(), std::string(info.phrase));
    }
  }

  void AddData(const DataDecl& data) {
    Add(data.name.span, "type", data.type.ToText(), data.name.span);
    for (const ConstructorDecl& constructor : data.constructors) {
      Add(constructor.name.span, "constructor",
          StrCat(constructor.name.text, " of ", data.name.text), constructor.name.span);
      for (const TypeExprPtr& field : constructor.fields) AddType(*field);
    }
  }

  void AddType(const TypeExpr& type) {
    if (type.kind == TypeExprKind::kApplied) {
      const DataDecl* data = program().FindData(type.name.text);
      Add(type.name.span, "type", data != nullptr ? data->type.ToText() : type.name.text,
          data != nullptr ? data->name.span : Span());
    } else if (type.kind == TypeExprKind::kName || type.kind == TypeExprKind::kTensor) {
      Add(type.name.span, "type", type.name.text, Span());
    }
    for (const TypeExprPtr& arg : type.args) AddType(*arg);
    if (type.result != nullptr) AddType(*type.result);
    for (const ExprPtr& dim : type.dims) {
      if (dim->kind == ExprKind::kName)
        Add(dim->span, "dimension", StrCat(dim->text, ": a dimension"), Span());
    }
  }

  void AddPattern(const Pattern& pattern, std::string_view kind, const Span& scope) {
    if (pattern.local != nullptr) {
      Add(pattern.name.span, kind, NameAndType(pattern.name.text, pattern.local->type),
          pattern.name.span);
      kinds_[pattern.local] = kind;
      // Visible behind the pattern, up to the end of what it belongs to.
      visible_.push_back({pattern.local, {scope.file, pattern.span.end, scope.end}});
    }
    if (pattern.kind == PatternKind::kConstructor && pattern.data != nullptr) {
      const ConstructorDecl& constructor =
          pattern.data->constructors[static_cast<size_t>(pattern.tag)];
      Add(pattern.name.span, "constructor", NameAndType(pattern.name.text, pattern.type),
          constructor.name.span);
    }
    for (const PatternPtr& arg : pattern.args) AddPattern(*arg, kind, scope);
  }

  void AddExpr(const Expr& expr) {
    if (expr.kind == ExprKind::kName) AddName(expr);
    if (expr.kind == ExprKind::kCall) AddCall(expr);
    if (expr.pattern != nullptr) AddPattern(*expr.pattern, "variable", expr.span);
    for (const Param& param : expr.params) {
      AddPattern(*param.pattern, expr.kind == ExprKind::kLambda ? "parameter" : "variable",
                 expr.span);
      if (param.type != nullptr) AddType(*param.type);
      if (param.first != nullptr) AddExpr(*param.first);
    }
    if (expr.type_expr != nullptr) AddType(*expr.type_expr);
    for (const Arm& arm : expr.arms) {
      AddPattern(*arm.pattern, "variable", arm.span);
      if (arm.guard != nullptr) AddExpr(*arm.guard);
      AddExpr(*arm.body);
    }
    for (const Statement& statement : expr.statements) AddStatement(statement, expr.span);
    for (const ExprPtr& child : expr.children) {
      if (child != nullptr) AddExpr(*child);
    }
    for (const Attribute& attribute : expr.attributes) AddExpr(*attribute.value);
  }

  void AddStatement(const Statement& statement, const Span& block) {
    if (statement.pattern != nullptr) AddPattern(*statement.pattern, "variable", block);
    if (statement.type != nullptr) AddType(*statement.type);
    if (statement.value != nullptr) AddExpr(*statement.value);
    if (const Function* function = statement.function.get()) {
      AddFunction(*function);
      kinds_[function->local] = "function";
      // A local function can call itself, so it is visible from its own beginning.
      visible_.push_back({function->local, {block.file, function->span.begin, block.end}});
    }
  }

  void AddName(const Expr& expr) {
    const Target& target = expr.target;
    const std::string text = NameAndType(expr.text, expr.type);
    switch (target.kind) {
      case TargetKind::kLocal: {
        // A use has the kind of its binding, which was walked before.
        const auto kind = kinds_.find(target.local);
        return Add(expr.span, kind == kinds_.end() ? "variable" : kind->second, text,
                   target.local->name.span);
      }
      case TargetKind::kFunction:
        return Add(expr.span, KindOf(*target.function), text, target.function->name.span,
                   target.function->in_prelude ? "of the prelude" : "");
      case TargetKind::kConstructor:
        return Add(expr.span, "constructor", text,
                   target.data->constructors[static_cast<size_t>(target.tag)].name.span);
      case TargetKind::kDimension: return Add(expr.span, "dimension", text, Span());
      case TargetKind::kNone:
      case TargetKind::kPrimitive:
      case TargetKind::kOperator:
      case TargetKind::kConvert: return;
    }
  }

  // What types chose for a call by name. Such a name has no target of its own (InferCall), so
  // AddName skips it.
  void AddCall(const Expr& call) {
    const Expr& callee = *call.children[0];
    const std::string text = NameAndType(callee.text, call.type);
    if (call.target.kind == TargetKind::kOperator)
      Add(callee.span, "operator",
          StrCat(callee.text, "(", call.target.op->parameters, "): ", TypeText(call.type)), Span(),
          std::string(ops::PhraseOf(call.target.op->op)));
    if (call.target.kind == TargetKind::kPrimitive)
      Add(callee.span, "operator", NameAndType(callee.text, call.target.primitive->type), Span(),
          std::string(call.target.primitive->phrase));
    if (call.target.kind == TargetKind::kConvert)
      Add(callee.span, "operator", text, Span(), "a tensor of this element type");
  }

  CheckedProgram checked_;
  std::vector<Mention> mentions_;
  std::vector<Visible> visible_;
  std::unordered_map<const Local*, std::string_view> kinds_;
};

std::string_view KindOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kKeyword: return "keyword";
    case TokenKind::kInt:
    case TokenKind::kFloat: return "number";
    case TokenKind::kString: return "string";
    case TokenKind::kTypeName: return "type";
    case TokenKind::kName: return "variable";
    case TokenKind::kEnd:
    case TokenKind::kPunctuation: break;
  }
  return "punctuation";
}

void WriteRange(const Span& span, JsonWriter* json) {
  json->Field("begin", int64_t{span.begin}).Field("end", int64_t{span.end});
}

struct Colored {
  Span span;
  std::string_view kind;
};

}  // namespace

// Every token has a kind by its form; names get theirs from the mentions, by where they begin.
std::string TokensJson(std::string_view text, const PreludePtr& prelude) {
  const Index index(text, prelude);
  std::unordered_map<uint32_t, std::string_view> kinds;
  for (const Mention& mention : index.mentions()) kinds[mention.span.begin] = mention.kind;
  text::Diagnostics ignored(index.program().sources);
  const TokenList list = Tokenize(index.file().file, &ignored);
  std::vector<Colored> colored;
  for (const Token& token : list.tokens) {
    if (token.kind == TokenKind::kEnd) continue;
    const auto named = kinds.find(token.span.begin);
    const bool name = token.kind == TokenKind::kName || token.kind == TokenKind::kTypeName;
    colored.push_back(
        {token.span, name && named != kinds.end() ? named->second : KindOf(token.kind)});
  }
  // Comments are kept beside the tokens, so both lists are merged by place.
  for (const Comment& comment : list.comments) colored.push_back({comment.span, "comment"});
  std::sort(colored.begin(), colored.end(),
            [](const Colored& a, const Colored& b) { return a.span.begin < b.span.begin; });
  JsonWriter json;
  json.BeginArray();
  for (const Colored& token : colored) {
    json.BeginObject();
    WriteRange(token.span, &json);
    json.Field("kind", token.kind).EndObject();
  }
  json.EndArray();
  return json.Take();
}

std::string HoverJson(std::string_view text, uint32_t offset, const PreludePtr& prelude) {
  const Index index(text, prelude);
  const Mention* mention = index.Find(offset);
  if (mention == nullptr) return "null";
  JsonWriter json;
  json.BeginObject();
  WriteRange(mention->span, &json);
  json.Field("text", mention->text).Field("note", mention->note).EndObject();
  return json.Take();
}

std::string DefinitionJson(std::string_view text, uint32_t offset, const PreludePtr& prelude) {
  const Index index(text, prelude);
  const Mention* mention = index.Find(offset);
  if (mention == nullptr || !mention->definition.valid()) return "null";
  JsonWriter json;
  json.BeginObject().Field("file", index.program().sources->name(mention->definition.file));
  WriteRange(mention->definition, &json);
  json.EndObject();
  return json.Take();
}

namespace {

class Completions {
 public:
  explicit Completions(std::string_view prefix) : prefix_(prefix) { json_.BeginArray(); }

  // Keeps the first of a name, because the caller goes from the inside out.
  void Add(std::string_view label, std::string_view kind, const std::string& detail) {
    if (!label.starts_with(prefix_) || label.empty()) return;
    if (std::find(seen_.begin(), seen_.end(), label) != seen_.end()) return;
    seen_.emplace_back(label);
    json_.BeginObject().Field("label", label).Field("kind", kind).Field("detail", detail);
    json_.EndObject();
  }
  std::string Take() {
    json_.EndArray();
    return json_.Take();
  }

 private:
  std::string prefix_;
  std::vector<std::string> seen_;
  JsonWriter json_;
};

// The part of a name that stands before the offset. Names are ASCII.
std::string_view PrefixAt(std::string_view text, uint32_t offset) {
  const size_t end = std::min<size_t>(offset, text.size());
  size_t begin = end;
  const auto part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (begin > 0 && part(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

}  // namespace

std::string CompleteJson(std::string_view text, uint32_t offset, const PreludePtr& prelude) {
  const Index index(text, prelude);
  Completions list(PrefixAt(text, offset));
  // Backwards, because inner scopes are entered later in the walk.
  for (size_t i = index.visible().size(); i > 0; --i) {
    const Visible& visible = index.visible()[i - 1];
    if (visible.scope.begin <= offset && offset <= visible.scope.end)
      list.Add(visible.local->name.text, "variable", TypeText(visible.local->type));
  }
  for (const Item& item : index.file().items) {
    if (const Function* function = item.callable())
      list.Add(function->name.text, Index::KindOf(*function), TypeText(Index::TypeOf(*function)));
  }
  // The program's own functions come first, so they hide those of the prelude.
  for (const Function* function : index.program().AllFunctions())
    list.Add(function->name.text, "function", TypeText(function->type));
  for (const DataDecl* data : index.program().AllData()) {
    list.Add(data->name.text, "type", data->type.ToText());
    for (const ConstructorDecl& constructor : data->constructors)
      list.Add(constructor.name.text, "constructor", data->name.text);
  }
  for (const Primitive& primitive : AllPrimitives()) {
    if (primitive.is_private()) continue;
    list.Add(primitive.name, "operator", TypeText(primitive.type));
  }
  for (const ops::OpInfo& op : ops::AllOps())
    list.Add(op.name, "operator", StrCat("(", op.parameters, "): ", ops::PhraseOf(op.op)));
  for (const Maker& maker : AllMakers())
    list.Add(maker.name, "operator", StrCat("(shape): ", maker.phrase));
  for (std::string_view keyword : AllKeywords()) list.Add(keyword, "keyword", "");
  return list.Take();
}

std::string SymbolsJson(std::string_view text, const PreludePtr& prelude) {
  const Index index(text, prelude);
  JsonWriter json;
  json.BeginArray();
  const auto add = [&](const Name& name, std::string_view kind, const std::string& detail) {
    json.BeginObject().Field("name", name.text).Field("kind", kind).Field("detail", detail);
    WriteRange(name.span, &json);
    json.EndObject();
  };
  for (const Item& item : index.file().items) {
    if (const Function* function = item.function.get())
      add(function->name, function->is_constant ? "constant" : "function",
          TypeText(Index::TypeOf(*function)));
    if (item.data != nullptr) add(item.data->name, "type", item.data->type.ToText());
    if (item.kernel != nullptr)
      add(item.kernel->function->name, "kernel", TypeText(item.kernel->function->type));
  }
  json.EndArray();
  return json.Take();
}

Result<std::string> AnswerQuestion(std::string_view question, std::string_view text,
                                   uint32_t offset, const PreludePtr& prelude) {
  if (question == "tokens") return TokensJson(text, prelude);
  if (question == "hover") return HoverJson(text, offset, prelude);
  if (question == "definition") return DefinitionJson(text, offset, prelude);
  if (question == "complete") return CompleteJson(text, offset, prelude);
  if (question == "symbols") return SymbolsJson(text, prelude);
  return InvalidArgument("question '", question,
                         "': expected tokens, hover, definition, complete or symbols");
}

}  // namespace tern::lang
