// SPDX-License-Identifier: Apache-2.0
// Declarations: data types, the types of functions, and the order in which bodies are inferred. A
// function that writes its whole type can be used before its body is looked at. The body of any
// other is inferred at the first use of its name, so the order of the file does not matter.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Type;

namespace {

// How many functions may wait for each other's types. Each costs several frames of the stack, so
// deeper chains are told to write a type.
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

// Data types first, because signatures mention them; written signatures before bodies, because
// bodies use them; solutions last.
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

// Names that mean a type already would hide it in the signature.
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

// Fields name no dimensions, because data types have type parameters only.
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

// Tells which names in a function's brackets are types and which are dimensions. The grammar has
// one list for both, so their uses in the parameters and the result decide.
void Inference::SortGenerics(const Function& function, TypeNames* names) {
  // Reads the signature with everything allowed, only to see where the names land.
  TypeNames probe = *names;
  probe.implicit = true;
  // The real reading reports the mistakes; this one would report them twice.
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

// Makes the function's type. `names` holds what the surroundings declare, and gets what this
// function adds. Without brackets, a name is declared by its first mention in a parameter.
void Inference::Signature(Function* function, TypeNames* names) {
  const TypeNames outer = *names;
  CheckGenerics(function->generics);
  CheckParameters(function->params);
  names->implicit = !function->has_generics;
  if (function->has_generics) SortGenerics(*function, names);
  std::vector<Type> parameters;
  for (Param& param : function->params) {
    // A parameter without a type is open; its uses in the body settle it.
    Type type = param.type != nullptr ? ConvertType(*param.type, names) : unifier_.FreshType();
    if (param.pattern->local != nullptr) param.pattern->local->type = type;
    param.pattern->type = type;
    parameters.push_back(std::move(type));
  }
  // A name that only the result has could be chosen by no argument, so it must be declared.
  names->implicit = false;
  Type result =
      function->result != nullptr ? ConvertType(*function->result, names) : unifier_.FreshType();
  function->type = Type::Function(std::move(parameters), std::move(result));
  for (const std::string& name : names->types) {
    // Polymorphic only in its own names: those of the function around are fixed inside it.
    if (!Contains(outer.types, name)) function->type_variables.push_back(name);
  }
  for (const std::string& name : names->dims) {
    if (!Contains(outer.dims, name)) function->dim_variables.push_back(name);
  }
}

// --- bodies

// Infers a function of the file, unless that is done or going on. It may be called in the middle of
// another function's body, so it works in a context of its own and puts the other back.
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
      // Parameters without types make the signature part of the inference: their variables must be
      // of this level.
      context_.names.from_prelude = function->in_prelude;
      Signature(function, &context_.names);
    } else {
      context_.names = {function->type_variables, function->dim_variables};
      context_.names.from_prelude = function->in_prelude;
    }
    // The body of a kernel is a loop program, which kernel.h checks.
    if (function->kernel == nullptr) InferBody(function);
    unifier_.LeaveLevel();
    Generalize(function);
    context_ = std::move(outer);
    global_ = outer_global;
  }
  --global_depth_;
  done_.insert(function);
}

// The body against the declared result. A local function leaves undecided choices to the function
// around it, because that may still tell the types of captured names.
void Inference::InferBody(Function* function) {
  const size_t scope = context_.scope.size();
  for (const Param& param : function->params) BindPattern(param.pattern.get());
  const Type result = function->type.result();
  Want want{
      StrCat("the result of ", function->name.text), {}, "the result's type is declared here"};
  if (function->result != nullptr) want.declared = function->result->span;
  CheckExpr(function->body.get(), result, want);
  SolvePending(false);
  // No other code can tell more about a function of the file, so here choices are forced.
  if (function->local == nullptr) SolvePending(true);
  context_.scope.CutBack(scope);
}

void Inference::InferLocalFunction(Function* function) {
  TypeNames outer = context_.names;
  // A use of the name inside the body sees the one type under inference, as usual for recursion
  // without polymorphism; behind the body the name is polymorphic.
  unifier_.EnterLevel();
  function->in_prelude = InPrelude();
  Signature(function, &context_.names);
  function->local->type = function->type;
  context_.scope.Push(function->local);  // it may call itself
  // Choices that wait go on in the same context, so only the function changes.
  Function* const around = std::exchange(context_.function, function);
  InferBody(function);
  context_.function = around;
  unifier_.LeaveLevel();
  Generalize(function);
  function->local->type = function->type;
  context_.names = std::move(outer);
}

// Turns the variables of inference that nothing outside can still solve into type variables of the
// function. A variable is free to be generalized if it was made inside (its level is deeper) and no
// waiting choice depends on it, because the choice may still fix it.
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
  int next = 'a';
  for (const std::string& name : free) {
    const Type variable = Type::Variable(name);
    if (!Unifier::IsVariable(variable) || Contains(waiting, name)) continue;
    if (unifier_.LevelOf(variable) <= unifier_.level()) continue;
    std::string chosen;
    do {
      // Letters as a person would name them; a name that stands in the type already is skipped.
      chosen = next <= 'z' ? std::string(1, static_cast<char>(next)) : StrCat("t", next);
      ++next;
    } while (Contains(free, chosen) || Contains(context_.names.types, chosen) ||
             Contains(function->type_variables, chosen));
    unifier_.Bind(variable, Type::Variable(chosen));
    function->type_variables.push_back(chosen);
  }
  function->type = unifier_.Apply(type);
}

// The type of one use: a fresh instance if the function is polymorphic by now, its single type
// while it is being inferred.
Type Inference::TypeOfUse(Function* function) {
  if (function->local == nullptr) InferGlobal(function);
  if (!function->type.known()) return Type();
  // A function without a written type has one type inside its own body: polymorphic recursion
  // cannot be inferred (F. Henglein, 1993), only checked, for which SaysItsType lets it through.
  const bool finished =
      function->local != nullptr || IsKnown(*function) || done_.contains(function);
  if (!finished && !SaysItsType(*function)) return function->type;
  return unifier_.Instantiate(unifier_.Apply(function->type), function->type_variables,
                              function->dim_variables);
}

}  // namespace tern::lang
