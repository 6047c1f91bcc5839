// SPDX-License-Identifier: Apache-2.0
// Declarations: data types, the types of functions, and the order in which bodies are inferred.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Type;

namespace {

// Functions that wait for each other's result types: deeper chains ask for one to be written.
constexpr int kMaxGlobalDepth = 40;

bool SaysItsType(const Function& function) {
  const auto typed = [](const Param& param) { return param.type != nullptr; };
  return function.result != nullptr &&
         std::all_of(function.params.begin(), function.params.end(), typed);
}

}  // namespace

void InferTypes(Program* program, File* file, text::Diagnostics* diagnostics) {
  Inference(program, diagnostics).Run(file);
}

void Inference::Run(File* file) {
  infers_prelude_ = file == program_->prelude->file.get();
  std::vector<Function*> functions;
  for (const Item& item : file->items) {
    if (item.data != nullptr) DeclareData(item.data.get(), infers_prelude_);
    if (item.callable() != nullptr) functions.push_back(item.callable());
  }
  for (Function* function : functions) {
    if (SaysItsType(*function)) {
      TypeNames names{.from_prelude = function->in_prelude};
      global_ = function;
      Signature(function, &names);
    }
  }
  for (Function* function : functions) InferGlobal(function);
  for (Function* function : functions) Finish(function);
}

// --- data types

void Inference::CheckGenerics(const std::vector<Name>& generics) {
  for (size_t i = 0; i < generics.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (generics[i].text == generics[j].text)
        Error("E1004", StrCat("'", generics[i].text, "' is declared twice"), generics[i].span)
            .Mark(generics[j].span, "first declared here");
    }
    const std::string& name = generics[i].text;
    if (name == "int" || name == "float" || name == "bool" || name == "string" || name[0] == '_' ||
        DType::Parse(name).ok())
      Error("E1004", StrCat("'", name, "' cannot name a type variable or dimension"),
            generics[i].span, "this name is taken");
  }
}

void Inference::DeclareData(DataDecl* data, bool from_prelude) {
  if (data->name.text == "List" || data->name.text == "Map") {
    Error("E1004", StrCat("type ", data->name.text, " is built in"), data->name.span,
          "choose another name");
  }
  CheckGenerics(data->generics);
  TypeNames names{.dims_allowed = false, .from_prelude = from_prelude};
  data->type.name = data->name.text;
  for (const Name& generic : data->generics) {
    names.types.push_back(generic.text);
    data->type.parameters.push_back(generic.text);
  }
  for (const ConstructorDecl& constructor : data->constructors) {
    types::DataType::Constructor made{constructor.name.text, {}};
    for (const TypeExprPtr& field : constructor.fields)
      made.fields.push_back(ConvertType(*field, &names));
    data->type.constructors.push_back(std::move(made));
  }
}

// --- the types of functions

// Tells which of the names in a function's brackets are types and which are dimensions, by their
// uses in its parameters and result.
void Inference::SortGenerics(const Function& function, TypeNames* names) {
  // The uses in the parameters tell which is a type and which a dimension.
  TypeNames probe = *names;
  probe.implicit = true;
  // Mistakes are told by the second reading.
  text::Diagnostics ignored(diagnostics_->shared_sources());
  text::Diagnostics* const told = std::exchange(diagnostics_, &ignored);
  for (const Param& param : function.params) {
    if (param.type != nullptr) ConvertType(*param.type, &probe);
  }
  if (function.result != nullptr) ConvertType(*function.result, &probe);
  diagnostics_ = told;
  for (const Name& generic : function.generics) {
    const bool dim = Contains(probe.dims, generic.text);
    (dim ? names->dims : names->types).push_back(generic.text);
  }
}

// names: those around a local function; what this one declares is added.
void Inference::Signature(Function* function, TypeNames* names) {
  const TypeNames outer = *names;
  CheckGenerics(function->generics);
  CheckParameters(function->params);
  names->implicit = !function->has_generics;
  if (function->has_generics) SortGenerics(*function, names);
  std::vector<Type> parameters;
  for (Param& param : function->params) {
    Type type = param.type != nullptr ? ConvertType(*param.type, names) : unifier_.FreshType();
    if (param.pattern->local != nullptr) param.pattern->local->type = type;
    param.pattern->type = type;
    parameters.push_back(std::move(type));
  }
  names->implicit = false;
  Type result =
      function->result != nullptr ? ConvertType(*function->result, names) : unifier_.FreshType();
  function->type = Type::Function(std::move(parameters), std::move(result));
  for (const std::string& name : names->types) {
    if (!Contains(outer.types, name)) function->type_variables.push_back(name);
  }
  for (const std::string& name : names->dims) {
    if (!Contains(outer.dims, name)) function->dim_variables.push_back(name);
  }
}

// --- bodies

void Inference::InferGlobal(Function* function) {
  if (IsKnown(*function) || !started_.insert(function).second) return;
  if (++global_depth_ > kMaxGlobalDepth) {
    Error("E1017", StrCat("the type of '", function->name.text, "' depends on too many others"),
          function->name.span, "its type is not written")
        .Help("write the types of its parameters and its result");
  } else {
    Context outer = std::exchange(context_, Context{});
    Function* const outer_global = std::exchange(global_, function);
    context_.function = function;
    unifier_.EnterLevel();
    if (!SaysItsType(*function)) {
      context_.names.from_prelude = function->in_prelude;
      Signature(function, &context_.names);
    } else {
      context_.names = {function->type_variables, function->dim_variables};
      context_.names.from_prelude = function->in_prelude;
    }
    if (function->kernel == nullptr) InferBody(function);
    unifier_.LeaveLevel();
    Generalize(function);
    context_ = std::move(outer);
    global_ = outer_global;
  }
  --global_depth_;
  done_.insert(function);
}

void Inference::InferBody(Function* function) {
  const size_t scope = context_.scope.size();
  for (const Param& param : function->params) BindPattern(param.pattern.get());
  const Type result = function->type.result();
  Want want{
      StrCat("the result of ", function->name.text), {}, "the result's type is declared here"};
  if (function->result != nullptr) want.declared = function->result->span;
  CheckExpr(function->body.get(), result, want);
  SolvePending(false);
  if (function->local == nullptr) SolvePending(true);
  context_.scope.resize(scope);
}

void Inference::InferLocalFunction(Function* function) {
  TypeNames outer = context_.names;
  unifier_.EnterLevel();
  function->in_prelude = InPrelude();
  Signature(function, &context_.names);
  function->local->type = function->type;
  context_.scope.push_back(function->local);  // it may call itself
  Function* const around = std::exchange(context_.function, function);
  InferBody(function);
  context_.function = around;
  unifier_.LeaveLevel();
  Generalize(function);
  function->local->type = function->type;
  context_.names = std::move(outer);
}

// Variables of inference in the type that nothing outside can still solve become type variables.
void Inference::Generalize(Function* function) {
  const Type type = unifier_.Apply(function->type);
  std::vector<std::string> waiting, free;
  for (const Expr* expr : context_.pending) {
    unifier_.Apply(expr->type).CollectVariables(&waiting);
    for (const ExprPtr& child : expr->children) {
      if (child != nullptr) unifier_.Apply(child->type).CollectVariables(&waiting);
    }
  }
  type.CollectVariables(&free);
  char next = 'a';
  for (const std::string& name : free) {
    const Type variable = Type::Variable(name);
    if (!Unifier::IsVariable(variable) || Contains(waiting, name)) continue;
    if (unifier_.LevelOf(variable) <= unifier_.level()) continue;
    std::string chosen;
    do {
      chosen = next <= 'z' ? std::string(1, next) : StrCat("t", static_cast<int>(next));
      ++next;
    } while (Contains(free, chosen) || Contains(context_.names.types, chosen) ||
             Contains(function->type_variables, chosen));
    unifier_.Bind(variable, Type::Variable(chosen));
    function->type_variables.push_back(chosen);
  }
  function->type = unifier_.Apply(type);
}

Type Inference::TypeOfUse(Function* function) {
  if (function->local == nullptr) InferGlobal(function);
  if (!function->type.known()) return Type();
  // Inside its own body a function whose type is not written has one type only.
  const bool finished =
      function->local != nullptr || IsKnown(*function) || done_.contains(function);
  if (!finished && !SaysItsType(*function)) return function->type;
  return unifier_.Instantiate(unifier_.Apply(function->type), function->type_variables,
                              function->dim_variables);
}

}  // namespace tern::lang
