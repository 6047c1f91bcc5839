// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/value_parser.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/ir/infer.h"

namespace tern::ir {

namespace {

// Limits nested blocks and values, because whatever reads and walks them recurses.
constexpr int kMostDepth = 200;

}  // namespace

// --- names and blocks

// "%x: f32[n]".
VarPtr ValueParser::ParseVariable(std::string* name) {
  in_.Expect("%");
  *name = Word("a parameter name");
  in_.Expect(":");
  return MakeVar(*name, ParseType());
}

// A name that is in scope cannot be defined again. begin: where the name is, for the message.
void ValueParser::Define(size_t begin, const std::string& name, Expr value) {
  if (!locals_.emplace(name, std::move(value)).second)
    return Complain(begin, StrCat("%", name, " is defined twice"));
  scope_.push_back(name);
}

void ValueParser::CheckDeclared(size_t begin, const types::Type& declared,
                                const types::Type& inferred) {
  if (!declared.known() || !inferred.known() || declared == inferred) return;
  Complain(begin, StrCat("declared as ", declared.ToText(), ", but it is ", inferred.ToText()));
}

// Names that are defined in `body` end with it. They are taken out again one by one, because
// inner blocks may not shadow outer names.
template <class F>
auto ValueParser::InScope(const F& body) {
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

void ValueParser::ParseBindings() {
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
void ValueParser::ParseGroup() {
  do {
    const size_t begin = Begin() + 1;
    std::string name;
    const VarPtr var = ParseVariable(&name);
    Define(begin, name, var);
    recursive_[name] = var;
  } while (in_.Accept(','));
}

// let %NAME = VALUE: TYPE
void ValueParser::ParseBinding() {
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
Expr ValueParser::BindValue(size_t begin, const Value& value, const types::Type& declared) {
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
void ValueParser::BindRecursive(size_t begin, const VarPtr& var) {
  const Value value = ParseValue();
  if (!in_.ok()) return;
  if (value.expr->As<Function>() == nullptr)
    return Complain(begin, "a recursive value is no lambda");
  if (in_.Accept(':')) CheckDeclared(begin, ParseType(), var->type());
  builder_->Adopt({var, value.expr, true});
}

// "{ let … result %a }".
LetPtr ValueParser::ParseBlock() {
  return InScope([this] {
    builder_->BeginBlock();
    return builder_->EndBlock(ParseBody());
  });
}

Expr ValueParser::ParseBody() {
  in_.Expect("{");
  ParseBindings();
  in_.Expect("result");
  Expr result = ResultValue();
  in_.Expect("}");
  return result;
}

Expr ValueParser::ResultValue() { return in_.Peek() == '(' ? MakeTuple(Arguments()) : Operand(); }

// --- values

ValueParser::Value ValueParser::ParseValue() {
  if (!in_.ok()) return Raw(MakeNone());
  const char c = in_.Peek();
  if (c == '(') return BindTuple(Arguments());
  if (c == '%') return ParseItem();
  if (c == '@') return ParseGlobal();
  if (AtLiteral()) return Bound(Literal());
  using Rule = Value (ValueParser::*)();
  constexpr std::pair<std::string_view, Rule> kRules[] = {
      {"if", &ValueParser::ParseIf},           {"switch", &ValueParser::ParseSwitch},
      {"lambda", &ValueParser::ParseLambda},   {"construct", &ValueParser::ParseConstruct},
      {"closure", &ValueParser::ParseClosure}, {"primitive", &ValueParser::ParsePrimitive},
      {"effect", &ValueParser::ParseEffect},   {"fatal", &ValueParser::ParseFatal},
      {"tail", &ValueParser::ParseTail},       {"device_copy", &ValueParser::ParseDeviceCopy}};
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
ValueParser::Value ValueParser::BindTuple(std::vector<Expr> fields) {
  const bool flat = std::all_of(fields.begin(), fields.end(), IsAtom);
  Expr tuple = MakeTuple(std::move(fields));
  return flat ? Bound(builder_->Bind(std::move(tuple))) : Raw(std::move(tuple));
}

ValueParser::Value ValueParser::ParseCall() {
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

ValueParser::Value ValueParser::UnknownCallee(size_t begin, const std::string& word) {
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
ValueParser::Value ValueParser::ParseScalar(size_t begin, const std::string& name) {
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

ValueParser::Value ValueParser::InvokeGlobal(size_t begin, const std::string& name) {
  std::vector<Expr> args = Arguments();
  const types::Type& type = headers_.at(name);
  if (in_.ok() && args.size() != type.parameters().size()) {
    Complain(begin, StrCat(name, " takes ", type.parameters().size(), " argument(s), ", args.size(),
                           " given"));
  }
  return Invoked(MakeGlobal(name), type, std::move(args));
}

// A call of what is not an operator; its result follows from the callee's type.
ValueParser::Value ValueParser::Invoked(Expr callee, const types::Type& type,
                                        std::vector<Expr> args) {
  int fresh = 0;
  const bool flat = std::all_of(args.begin(), args.end(), IsAtom);
  int* const names = callee->As<Global>() != nullptr ? &fresh : nullptr;
  types::Type result = flat ? InferInvoke(type, args, names) : types::Type();
  // Only the builder may name extents that depend on data.
  if (fresh > 0) return Bound(builder_->EmitInvoke(std::move(callee), type, std::move(args)));
  return Raw(MakeInvoke(std::move(callee), std::move(args), tail_), std::move(result));
}

// "@f(%x)" calls a function; alone it is a constant.
ValueParser::Value ValueParser::ParseGlobal() {
  const size_t begin = in_.at();
  in_.Expect("@");
  const std::string name(Word("a name"));
  if (in_.Peek() == '(' && headers_.contains(name)) return InvokeGlobal(begin, name);
  in_.MoveTo(begin);
  return Bound(Atom());
}

// Reads %t.1, %f(%x), or an atom alone. Names may hold dots, so the index is what follows the
// last one, unless the whole is a name.
ValueParser::Value ValueParser::ParseItem() {
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
    Complain(begin, StrCat("%", word.substr(0, dot), " is ", type.ToText(), ", which has no field ",
                           *index));
    return Raw(MakeNone());
  }
  types::Type element;
  if (type.known()) element = type.elements()[static_cast<size_t>(*index)];
  return Raw(MakeGetItem(found->second, static_cast<int>(*index)), std::move(element));
}

ValueParser::Value ValueParser::ParseVariableCall() {
  const Expr atom = Atom();
  if (in_.Here() != '(') return Bound(atom);
  return Invoked(atom, TypeOf(atom), Arguments());
}

// --- control

ValueParser::Value ValueParser::ParseIf() {
  const Expr condition = Operand();
  const LetPtr then_block = ParseBlock();
  if (!AcceptWord("else")) in_.Fail("'else'");
  const LetPtr else_block = ParseBlock();
  if (!in_.ok()) return Raw(MakeNone());
  types::Type type = builder_->Join(TypeOf(then_block), TypeOf(else_block));
  return Raw(MakeIf(condition, then_block, else_block), std::move(type));
}

// "TYPE.Constructor" or TYPE alone: the name ends at the dot.
DataTypePtr ValueParser::ParseTypeName() {
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

int ValueParser::ParseConstructor(const types::DataType& type) {
  const size_t begin = Begin();
  const std::string name(Word("a constructor"));
  int index = -1;
  if (type.Find(name, &index) == nullptr)
    in_.FailSince(begin, StrCat("type ", type.name, " has no constructor ", name));
  return index;
}

ValueParser::Value ValueParser::ParseSwitch() {
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

SwitchCase ValueParser::ParseCase(const types::DataType& type, const types::Type& subject) {
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

void ValueParser::ParseField(const std::vector<types::Type>& declared, SwitchCase* option) {
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

ValueParser::Value ValueParser::ParseLambda() {
  FunctionPtr lambda = InScope([this] {
    std::vector<VarPtr> parameters;
    ParseParameters([&parameters](const VarPtr& parameter) { parameters.push_back(parameter); });
    builder_->BeginLambda(std::move(parameters));
    return builder_->EndLambda(ParseBody());
  });
  types::Type type = TypeOf(lambda);
  return Raw(std::move(lambda), std::move(type));
}

ValueParser::Value ValueParser::ParseConstruct() {
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
ValueParser::Value ValueParser::ParseClosure() {
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

ValueParser::Value ValueParser::InvokePrimitive(bool has_effect) {
  std::string name = Quoted();
  std::vector<Expr> args = Arguments();
  return Raw(MakeInvoke(MakePrimitive(std::move(name), has_effect), std::move(args)));
}

ValueParser::Value ValueParser::ParseTail() {
  tail_ = true;
  Value value = ParseValue();
  tail_ = false;
  if (in_.ok() && value.expr->As<Invoke>() == nullptr) in_.Fail("a call of a function or closure");
  return value;
}

ValueParser::Value ValueParser::ParseDeviceCopy() {
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

std::vector<Expr> ValueParser::Arguments() {
  std::vector<Expr> args;
  in_.ExpectList("(", ")", [&] { args.push_back(Operand()); });
  return args;
}

// Reads an atom, or a value in place, which to_a_normal_form binds.
Expr ValueParser::Operand() {
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
Expr ValueParser::NestedValue() {
  has_nested_ = true;
  builder_->BeginBlock();
  const Value value = ParseValue();
  const LetPtr block = builder_->EndBlock(value.expr);
  return block->bindings().empty() ? value.expr : block->bindings().back().value;
}

Expr ValueParser::Atom() {
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

Attrs ValueParser::ParseAttrs() {
  if (!in_.Accept('{')) return Attrs();
  const size_t begin = in_.at();
  in_.MoveTo(std::min(in_.text().find('}', begin), in_.text().size()));
  Result<Attrs> attrs = Attrs::Parse(StrTrim(in_.Since(begin)));
  if (!attrs.ok()) Complain(begin, attrs.status().message());
  in_.Expect("}");
  return attrs.ok() ? *std::move(attrs) : Attrs();
}

}  // namespace tern::ir
