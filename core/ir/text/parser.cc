// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/parser.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/ir/builder.h"
#include "core/ir/infer.h"
#include "core/ir/text/literal_parser.h"
#include "core/loop/text/parser.h"

namespace tern::ir {

namespace {

// Limits nested blocks and values, because whatever reads and walks them recurses.
constexpr int kMostDepth = 200;

// Two passes: headers first, so that a call may stand ahead of its function, then everything.
// Values are bound as they are read, by the builder, which infers their types.
class Parser : public LiteralParser {
 public:
  using LiteralParser::LiteralParser;

  Result<Module> Run() {
    ReadHeaders();
    while (!in_.AtEnd()) {
      const std::string_view word = in_.PeekWord();
      if (AcceptWord("const"))
        ParseConstant();
      else if (word == "type")
        ParseDataType();
      else if (word == "fn" || word == "private" || word == "primitive")
        ParseFunction(AcceptWord("private"));
      else
        in_.Fail("'const', 'type' or 'fn'");
    }
    Tell(in_.mistake());
    if (!diagnostics_.ok()) return diagnostics_.ToStatus();
    return std::move(module_);
  }

 private:
  // A value as it was read: bound already, or a node with as much of its type as could be told.
  struct Value {
    Expr expr;
    types::Type type;
    bool bound = false;
  };
  static Value Bound(Expr expr) { return {std::move(expr), {}, true}; }
  static Value Raw(Expr expr, types::Type type = {}) { return {std::move(expr), std::move(type)}; }

  // --- declarations

  // Reads the types of functions only. Braces are counted and nothing else is understood; the
  // second pass tells what is wrong.
  void ReadHeaders() {
    const text::Scanner begin = in_;
    quiet_ = true;
    int depth = 0;
    while (!in_.AtEnd()) {
      const std::string_view word = in_.TakeWord();
      const char c = in_.Here();
      if (depth == 0 && word == "fn") {
        ReadHeader();
      } else if (word.empty() && c == '"') {
        Quoted();
      } else if (word.empty()) {
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        in_.Take(in_.PeekCharacter());
      }
    }
    quiet_ = false;
    in_ = begin;
  }

  void ReadHeader() {
    const std::string name(Word("a function name"));
    std::vector<types::Type> parameters;
    in_.Expect("(");
    if (!in_.Accept(')')) {
      do {
        in_.Expect("%");
        Word("a parameter name");
        in_.Expect(":");
        parameters.push_back(ParseType());
      } while (in_.Accept(','));
      in_.Expect(")");
    }
    types::Type result;
    if (in_.Accept("->")) result = ParseType();
    if (in_.ok()) headers_.emplace(name, types::Type::Function(std::move(parameters), result));
  }

  // type NAME { … }. After a mistake the rest of the file is read from the next brace on.
  void ParseDataType() {
    const size_t begin = Begin();
    text::Scanner in = in_;
    types::DataType type = types::DataType::Read(&in);
    if (!in.ok()) {
      Tell(in.mistake());
      const size_t brace = in_.text().find('}', in.mistake().begin);
      return in_.MoveTo(std::min(brace, in_.text().size() - 1) + 1);
    }
    in_.GoOn(in);
    if (module_.FindDataType(type.name) != nullptr)
      return Complain(begin, StrCat("type ", type.name, " is defined twice"));
    module_.AddDataType(std::make_shared<const types::DataType>(std::move(type)));
  }

  // fn NAME(parameters) -> type { bindings return value }
  void ParseFunction(bool is_private) {
    const bool is_primitive = AcceptWord("primitive");
    in_.Expect("fn");
    const size_t begin = Begin();
    const std::string name(Word("a function name"));
    if (module_.Find(name) != nullptr)
      Complain(begin, StrCat("function ", name, " is defined twice"));
    // A builder per function: names of symbols begin again.
    builder_.emplace(&diagnostics_);
    locals_.clear();
    ParseParameters([this](const VarPtr& parameter) { builder_->AddParameter(parameter); });
    types::Type result;
    if (in_.Accept("->")) result = ParseType();
    in_.Expect("{");
    loop::te::DefinitionPtr kernel = ParseKernel(name);
    ParseBindings();
    in_.Expect("return");
    const size_t at_result = Begin();
    const Expr value = ResultValue();
    std::vector<std::string> names = OutputNames();
    in_.Expect("}");
    for (const auto& announced : recursive_)
      Complain(begin, StrCat("%", announced.first, " is announced by rec and not bound"));
    recursive_.clear();
    if (!in_.ok()) return;
    CheckDeclared(at_result, result, TypeOf(value));
    FunctionPtr function = builder_->Finish(value, std::move(names));
    // From here on, calls know what the function gives even if it declared no result.
    headers_.insert_or_assign(name, TypeOf(function));
    module_.Set(name, std::move(function));
    module_.SetPrivate(name, is_private);
    module_.SetPrimitive(name, is_primitive);
    module_.SetKernel(name, std::move(kernel));
  }

  // A `te` definition by the parser of core/loop, where it stands.
  loop::te::DefinitionPtr ParseKernel(const std::string& function) {
    if (!AcceptWord("te")) return nullptr;
    text::Span where = At(in_.at(), in_.text().size());
    std::optional<loop::te::Definition> kernel = loop::ParseDefinitionAt(&where, &diagnostics_);
    if (!kernel.has_value()) return in_.Stop(), nullptr;
    in_.MoveTo(where.end);
    if (kernel->name != function)
      diagnostics_
          .Error(kBadModule, StrCat("the loop program of ", function, " is called ", kernel->name))
          .At(kernel->span)
          .Help(StrCat("a loop program has the name of its function: te ", function));
    return std::make_shared<const loop::te::Definition>(*std::move(kernel));
  }

  template <class F>
  void ParseParameters(const F& add) {
    in_.Expect("(");
    if (in_.Accept(')')) return;
    do {
      const size_t begin = Begin() + 1;
      std::string name;
      const VarPtr parameter = ParseVariable(&name);
      add(parameter);
      Define(begin, name, parameter);
    } while (in_.Accept(','));
    in_.Expect(")");
  }

  // "%x: f32[n]".
  VarPtr ParseVariable(std::string* name) {
    in_.Expect("%");
    *name = Word("a parameter name");
    in_.Expect(":");
    return MakeVar(*name, ParseType());
  }

  // A name that is in scope cannot be defined again. begin: where the name is, for the message.
  void Define(size_t begin, const std::string& name, Expr value) {
    if (!locals_.emplace(name, std::move(value)).second)
      return Complain(begin, StrCat("%", name, " is defined twice"));
    scope_.push_back(name);
  }

  // Written types must be what is inferred, so that a listing cannot lie.
  void CheckDeclared(size_t begin, const types::Type& declared, const types::Type& inferred) {
    if (!declared.known() || !inferred.known() || declared == inferred) return;
    Complain(begin, StrCat("declared as ", declared.ToText(), ", but it is ", inferred.ToText()));
  }

  // --- blocks

  void ParseBindings() {
    while (in_.ok()) {
      if (AcceptWord("rec"))
        ParseGroup();
      else if (AcceptWord("let"))
        ParseBinding();
      else
        return;
    }
  }

  // "rec %f: fn(int) -> int, %g: …": the variables of lambdas that follow.
  void ParseGroup() {
    do {
      const size_t begin = Begin() + 1;
      std::string name;
      const VarPtr var = ParseVariable(&name);
      Define(begin, name, var);
      recursive_[name] = var;
    } while (in_.Accept(','));
  }

  // let %NAME = VALUE: TYPE
  void ParseBinding() {
    in_.Expect("%");
    const size_t begin = in_.at();
    const std::string name(Word("a variable name"));
    in_.Expect("=");
    builder_->SetOrigin(StrCat("%", name));
    const auto group = recursive_.find(name);
    if (group != recursive_.end()) {
      const VarPtr var = group->second;
      recursive_.erase(group);
      return BindRecursive(begin, var);
    }
    const Value value = ParseValue();
    types::Type declared;
    if (in_.Accept(':')) declared = ParseType();
    builder_->SetOrigin(StrCat("%", name));  // what is inside had its own
    if (in_.ok()) Define(begin, name, BindValue(begin, value, declared));
  }

  // Binds a value that is not bound yet, with the type that is written or else the inferred one.
  Expr BindValue(size_t begin, const Value& value, const types::Type& declared) {
    if (!in_.ok()) return builder_->BindAs(MakeNone(), types::Type());
    if (value.bound) {
      CheckDeclared(begin, declared, TypeOf(value.expr));
      return value.expr;
    }
    if (!AreCompatible(declared, value.type)) CheckDeclared(begin, declared, value.type);
    // A nested value may leave types open until to_a_normal_form has run; otherwise the type must
    // be known.
    if (!declared.known() && !value.type.known() && !has_nested_ && diagnostics_.ok())
      Complain(begin, "the type of this value cannot be told; write it behind a colon");
    return builder_->BindAs(value.expr, declared.known() ? declared : value.type);
  }

  // The value of a variable that `rec` announced.
  void BindRecursive(size_t begin, const VarPtr& var) {
    const Value value = ParseValue();
    if (!in_.ok()) return;
    if (value.expr->As<Function>() == nullptr)
      return Complain(begin, "a recursive value is no lambda");
    if (in_.Accept(':')) CheckDeclared(begin, ParseType(), var->type());
    builder_->Adopt({var, value.expr, true});
  }

  // Names that are defined in `body` end with it. They are taken out again one by one, because
  // inner blocks may not shadow outer names.
  template <class F>
  auto InScope(const F& body) {
    if (++depth_ > kMostDepth) in_.Fail("fewer nested blocks");
    const size_t outside = scope_.size();
    auto result = body();
    while (scope_.size() > outside) {
      locals_.erase(scope_.back());
      scope_.pop_back();
    }
    --depth_;
    return result;
  }

  // "{ let … result %a }".
  LetPtr ParseBlock() {
    return InScope([this] {
      builder_->BeginBlock();
      return builder_->EndBlock(ParseBody());
    });
  }

  Expr ParseBody() {
    in_.Expect("{");
    ParseBindings();
    in_.Expect("result");
    Expr result = ResultValue();
    in_.Expect("}");
    return result;
  }

  Expr ResultValue() { return in_.Peek() == '(' ? MakeTuple(Arguments()) : Operand(); }

  // --- values

  Value ParseValue() {
    if (!in_.ok()) return Raw(MakeNone());
    const char c = in_.Peek();
    if (c == '(') return BindTuple(Arguments());
    if (c == '%') return ParseItem();
    if (c == '@') return ParseGlobal();
    if (AtLiteral()) return Bound(Literal());
    using Rule = Value (Parser::*)();
    constexpr std::pair<std::string_view, Rule> kRules[] = {
        {"if", &Parser::ParseIf},           {"switch", &Parser::ParseSwitch},
        {"lambda", &Parser::ParseLambda},   {"construct", &Parser::ParseConstruct},
        {"closure", &Parser::ParseClosure}, {"primitive", &Parser::ParsePrimitive},
        {"effect", &Parser::ParseEffect},   {"fatal", &Parser::ParseFatal},
        {"tail", &Parser::ParseTail},       {"device_copy", &Parser::ParseDeviceCopy}};
    const std::string_view word = in_.PeekWord();
    for (const auto& [name, rule] : kRules) {
      if (word != name) continue;
      const size_t begin = in_.at();
      in_.Take(word);
      // An operator or function may have the name of a keyword; then parentheses follow directly.
      if (in_.Peek() != '(' || name == "lambda") return (this->*rule)();
      in_.MoveTo(begin);  // an operator or function of this name
    }
    return ParseCall();
  }

  // A tuple of atoms is bound at once, another one when its fields are bound.
  Value BindTuple(std::vector<Expr> fields) {
    const bool flat = std::all_of(fields.begin(), fields.end(), IsAtom);
    Expr tuple = MakeTuple(std::move(fields));
    return flat ? Bound(builder_->Bind(std::move(tuple))) : Raw(std::move(tuple));
  }

  Value ParseCall() {
    // Dots are part of names, so that "add.scalar" is one word.
    const size_t begin = Begin();
    const std::string word(Word("a value"));
    if (word.ends_with(".scalar")) return ParseScalar(begin, word.substr(0, word.size() - 7));
    const ops::OpInfo* op = ops::FindOp(word);
    if (headers_.contains(word) && op == nullptr) return InvokeGlobal(begin, word);
    std::vector<Expr> args = Arguments();
    const Attrs attrs = ParseAttrs();
    if (op == nullptr) return UnknownCallee(begin, word);
    if (std::all_of(args.begin(), args.end(), IsAtom))
      return Bound(builder_->Emit(*op, std::move(args), attrs));
    // An operand that is written in place is not bound yet, so the call cannot be emitted yet.
    return Raw(MakeCall(*op, std::move(args), attrs));
  }

  Value UnknownCallee(size_t begin, const std::string& word) {
    if (!in_.ok()) return Raw(MakeNone());
    std::vector<std::string_view> names;
    for (const ops::OpInfo& info : ops::AllOps()) names.push_back(info.name);
    for (const auto& header : headers_) names.push_back(header.first);
    const std::string_view near = DidYouMean(word, names);
    in_.MoveTo(begin + word.size());
    in_.FailSince(begin, StrCat("there is no operator or function '", word, "'",
                                near.empty() ? "" : StrCat("; did you mean '", near, "'?")));
    return Raw(MakeNone());
  }

  // NAME.scalar(arguments): an operation on numbers, not on tensors.
  Value ParseScalar(size_t begin, const std::string& name) {
    const ScalarInfo* info = FindScalar(name);
    std::vector<Expr> args = Arguments();
    if (info == nullptr || args.size() != static_cast<size_t>(info->arity)) {
      Complain(begin, info == nullptr ? StrCat("there is no scalar operation '", name, "'")
                                      : StrCat(name, " takes ", info->arity, " argument(s), ",
                                               args.size(), " given"));
      return Raw(MakeNone());
    }
    if (std::all_of(args.begin(), args.end(), IsAtom))
      return Bound(builder_->EmitScalar(info->op, std::move(args)));
    return Raw(MakeScalar(info->op, std::move(args)));
  }

  Value InvokeGlobal(size_t begin, const std::string& name) {
    std::vector<Expr> args = Arguments();
    const types::Type& type = headers_.at(name);
    if (in_.ok() && args.size() != type.parameters().size()) {
      Complain(begin, StrCat(name, " takes ", type.parameters().size(), " argument(s), ",
                             args.size(), " given"));
    }
    return Invoked(MakeGlobal(name), type, std::move(args));
  }

  // A call of what is not an operator; its result follows from the callee's type.
  Value Invoked(Expr callee, const types::Type& type, std::vector<Expr> args) {
    int fresh = 0;
    const bool flat = std::all_of(args.begin(), args.end(), IsAtom);
    int* const names = callee->As<Global>() != nullptr ? &fresh : nullptr;
    types::Type result = flat ? InferInvoke(type, args, names) : types::Type();
    // Only the builder may name extents that depend on data.
    if (fresh > 0) return Bound(builder_->EmitInvoke(std::move(callee), type, std::move(args)));
    return Raw(MakeInvoke(std::move(callee), std::move(args), tail_), std::move(result));
  }

  // "@f(%x)" calls a function; alone it is a constant.
  Value ParseGlobal() {
    const size_t begin = in_.at();
    in_.Expect("@");
    const std::string name(Word("a name"));
    if (in_.Peek() == '(' && headers_.contains(name)) return InvokeGlobal(begin, name);
    in_.MoveTo(begin);
    return Bound(Atom());
  }

  // Reads %t.1, %f(%x), or an atom alone. Names may hold dots, so the index is what follows the
  // last one, unless the whole is a name.
  Value ParseItem() {
    const size_t begin = in_.at();
    in_.Expect("%");
    const std::string word(in_.PeekWord());
    in_.MoveTo(begin);
    const size_t dot = word.rfind('.');
    if (locals_.contains(word) || dot == std::string::npos) return ParseVariableCall();
    const auto found = locals_.find(word.substr(0, dot));
    const std::optional<int64_t> index = ParseInt64(std::string_view(word).substr(dot + 1));
    if (found == locals_.end() || !index.has_value() || *index < 0) return Bound(Atom());
    in_.MoveTo(begin + 1 + word.size());
    const types::Type type = TypeOf(found->second);
    const bool in_range = type.is_tuple() && *index < static_cast<int64_t>(type.elements().size());
    if (type.known() && !in_range) {
      Complain(begin, StrCat("%", word.substr(0, dot), " is ", type.ToText(),
                             ", which has no field ", *index));
      return Raw(MakeNone());
    }
    types::Type element;
    if (type.known()) element = type.elements()[static_cast<size_t>(*index)];
    return Raw(MakeGetItem(found->second, static_cast<int>(*index)), std::move(element));
  }

  Value ParseVariableCall() {
    const Expr atom = Atom();
    if (in_.Here() != '(') return Bound(atom);
    return Invoked(atom, TypeOf(atom), Arguments());
  }

  // --- control

  Value ParseIf() {
    const Expr condition = Operand();
    const LetPtr then_block = ParseBlock();
    if (!AcceptWord("else")) in_.Fail("'else'");
    const LetPtr else_block = ParseBlock();
    if (!in_.ok()) return Raw(MakeNone());
    types::Type type = builder_->Join(TypeOf(then_block), TypeOf(else_block));
    return Raw(MakeIf(condition, then_block, else_block), std::move(type));
  }

  // "TYPE.Constructor" or TYPE alone: the name ends at the dot.
  DataTypePtr ParseTypeName() {
    const size_t begin = Begin();
    const std::string name(Word("the name of a type"));
    DataTypePtr type = module_.FindDataType(name.substr(0, name.find('.')));
    if (type == nullptr) {
      in_.FailSince(begin, StrCat("there is no type ", name.substr(0, name.find('.'))));
      return nullptr;
    }
    in_.MoveTo(begin + type->name.size());
    return type;
  }

  int ParseConstructor(const types::DataType& type) {
    const size_t begin = Begin();
    const std::string name(Word("a constructor"));
    int index = -1;
    if (type.Find(name, &index) == nullptr)
      in_.FailSince(begin, StrCat("type ", type.name, " has no constructor ", name));
    return index;
  }

  Value ParseSwitch() {
    const DataTypePtr type = ParseTypeName();
    const Expr subject = Operand();
    in_.Expect("{");
    std::vector<SwitchCase> cases;
    LetPtr otherwise;
    types::Type result;
    bool first = true;
    while (in_.ok() && !in_.Accept('}')) {
      LetPtr block;
      if (AcceptWord("else")) {
        in_.Expect("=>");
        block = otherwise = ParseBlock();
      } else {
        cases.push_back(InScope([&] { return ParseCase(*type, TypeOf(subject)); }));
        block = cases.back().block;
      }
      if (!in_.ok()) break;
      result = first ? TypeOf(block) : builder_->Join(result, TypeOf(block));
      first = false;
    }
    if (!in_.ok()) return Raw(MakeNone());
    return Raw(MakeSwitch(type, subject, std::move(cases), otherwise), std::move(result));
  }

  SwitchCase ParseCase(const types::DataType& type, const types::Type& subject) {
    SwitchCase option;
    option.constructor = ParseConstructor(type);
    if (!in_.ok()) return option;
    // With its arguments known, fields have exact types; else those of the declaration, with
    // variables.
    const bool exact = subject.is_data() && subject.arguments().size() == type.parameters.size();
    const std::vector<types::Type> declared =
        exact ? type.FieldsOf(option.constructor, subject.arguments())
              : type.constructors[static_cast<size_t>(option.constructor)].fields;
    if (in_.Accept('(')) {
      do ParseField(declared, &option);
      while (in_.Accept(','));
      in_.Expect(")");
    }
    in_.Expect("=>");
    option.block = ParseBlock();
    return option;
  }

  void ParseField(const std::vector<types::Type>& declared, SwitchCase* option) {
    if (AcceptWord("_")) return option->fields.push_back(nullptr);
    in_.Expect("%");
    const size_t begin = in_.at();
    const std::string name(Word("a field's name"));
    const size_t index = option->fields.size();
    types::Type type = index < declared.size() ? declared[index] : types::Type();
    if (in_.Accept(':')) type = ParseType();
    option->fields.push_back(MakeVar(name, std::move(type)));
    Define(begin, name, option->fields.back());
  }

  Value ParseLambda() {
    FunctionPtr lambda = InScope([this] {
      std::vector<VarPtr> parameters;
      ParseParameters([&parameters](const VarPtr& parameter) { parameters.push_back(parameter); });
      builder_->BeginLambda(std::move(parameters));
      return builder_->EndLambda(ParseBody());
    });
    types::Type type = TypeOf(lambda);
    return Raw(std::move(lambda), std::move(type));
  }

  Value ParseConstruct() {
    const DataTypePtr type = ParseTypeName();
    if (type == nullptr) return Raw(MakeNone());
    in_.Expect(".");
    const size_t begin = in_.at();
    const int constructor = ParseConstructor(*type);
    std::vector<Expr> fields = Arguments();
    if (!in_.ok()) return Raw(MakeNone());
    Result<types::Type> result = types::Type();
    if (std::all_of(fields.begin(), fields.end(), IsAtom))
      result = InferConstruct(*type, constructor, fields);
    if (!result.ok()) Complain(begin, result.status().message());
    return Raw(MakeConstruct(type, constructor, std::move(fields)),
               result.ok() ? *result : types::Type());
  }

  // "closure @f(%captured)".
  Value ParseClosure() {
    in_.Expect("@");
    const size_t begin = in_.at();
    const std::string name(Word("a function"));
    std::vector<Expr> captured = Arguments();
    const auto found = headers_.find(name);
    if (found == headers_.end()) Complain(begin, StrCat("there is no function '", name, "'"));
    if (found == headers_.end() || !in_.ok()) return Raw(MakeNone());
    const types::Type& type = found->second;
    const size_t count = type.parameters().size();
    if (captured.size() > count) {
      Complain(begin, StrCat(name, " has ", count, " parameter(s), ", captured.size(),
                             " captured values are given"));
      return Raw(MakeNone());
    }
    std::vector<types::Type> parameters(type.parameters().begin(), type.parameters().end());
    // What is captured are the last parameters; the closure takes the first ones.
    parameters.resize(count - captured.size());
    return Raw(MakeMakeClosure(MakeGlobal(name), std::move(captured)),
               types::Type::Function(std::move(parameters), type.result()));
  }

  Value ParsePrimitive() { return InvokePrimitive(false); }
  Value ParseEffect() { return InvokePrimitive(true); }
  Value InvokePrimitive(bool has_effect) {
    std::string name = Quoted();
    std::vector<Expr> args = Arguments();
    return Raw(MakeInvoke(MakePrimitive(std::move(name), has_effect), std::move(args)));
  }

  Value ParseFatal() { return Raw(MakeFatal(Quoted())); }

  Value ParseTail() {
    tail_ = true;
    Value value = ParseValue();
    tail_ = false;
    if (in_.ok() && value.expr->As<Invoke>() == nullptr)
      in_.Fail("a call of a function or closure");
    return value;
  }

  Value ParseDeviceCopy() {
    const Expr source = Operand();
    if (!AcceptWord("to")) in_.Fail("'to'");
    const size_t begin = in_.at();
    const std::optional<int64_t> device = ParseInt64(Word("a device number"));
    if (in_.ok() && (!device.has_value() || *device < 0 || *device > INT32_MAX))
      Complain(begin, "a device is a number of at least 0");
    if (!in_.ok() || !diagnostics_.ok()) return Raw(MakeNone());
    return Raw(MakeDeviceCopy(source, static_cast<int>(*device)), TypeOf(source));
  }

  // --- operands

  std::vector<Expr> Arguments() {
    std::vector<Expr> args;
    in_.Expect("(");
    if (in_.Accept(')')) return args;
    do {
      args.push_back(Operand());
    } while (in_.Accept(','));
    in_.Expect(")");
    return args;
  }

  // Reads an atom, or a value in place, which to_a_normal_form binds.
  Expr Operand() {
    if (!in_.ok()) return MakeNone();
    const char c = in_.Peek();
    if (c == '%' || c == '@' || AtLiteral()) return Atom();
    if (++depth_ > kMostDepth) in_.Fail("fewer nested values");
    Expr nested = c == '(' ? MakeTuple(Arguments()) : NestedValue();
    --depth_;
    return nested;
  }

  // Values are bound as they are read; this one belongs into its place instead. So it is read
  // inside a block of its own, from which the value is taken out.
  Expr NestedValue() {
    has_nested_ = true;
    builder_->BeginBlock();
    const Value value = ParseValue();
    const LetPtr block = builder_->EndBlock(value.expr);
    return block->bindings().empty() ? value.expr : block->bindings().back().value;
  }

  Expr Atom() {
    const bool local = in_.Peek() == '%', constant = in_.Peek() == '@';
    const size_t begin = in_.at();
    if (!local && !constant) return Literal();
    in_.Expect(local ? "%" : "@");
    const std::string name(Word("a name"));
    const auto found = locals_.find(name);
    if (local && found != locals_.end()) return found->second;
    if (const Expr known = constant ? FindConstant(name) : nullptr) return known;
    Complain(begin, StrCat(local ? "%" : "@", name, " is not defined"));
    // Any variable will do after an error.
    return builder_->BindAs(MakeNone(), types::Type());
  }

  Attrs ParseAttrs() {
    if (!in_.Accept('{')) return Attrs();
    const size_t begin = in_.at();
    in_.MoveTo(std::min(in_.text().find('}', begin), in_.text().size()));
    Result<Attrs> attrs = Attrs::Parse(StrTrim(in_.Since(begin)));
    if (!attrs.ok()) Complain(begin, attrs.status().message());
    in_.Expect("}");
    return attrs.ok() ? *std::move(attrs) : Attrs();
  }

  std::vector<std::string> OutputNames() {
    std::vector<std::string> names;
    if (!AcceptWord("as")) return names;
    do {
      names.push_back(Quoted());
    } while (in_.Accept(','));
    return names;
  }

  Module module_;
  std::optional<Builder> builder_;
  std::unordered_map<std::string, types::Type> headers_;  // of functions
  std::unordered_map<std::string, Expr> locals_;
  std::vector<std::string> scope_;                     // names of locals_ in order
  std::unordered_map<std::string, VarPtr> recursive_;  // announced, not yet bound
  int depth_ = 0;
  bool tail_ = false;
  bool has_nested_ = false;  // some value is in place, so that types are not known yet
};

}  // namespace

Result<Module> ParseModule(std::string_view file_name, std::string_view text) {
  return Parser(file_name, text).Run();
}

}  // namespace tern::ir
