// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/check_symbols.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/ir/infer.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

using types::Dim;
using types::Type;

// Signatures hold no deeper tuples (core/vm/signature.h).
constexpr int kMostNested = 8;

// Counts how often each symbol stands in the extents of a function's parameters. One inside an
// expression counts twice: its extent is always compared.
class SymbolUses {
 public:
  explicit SymbolUses(const Function& function) {
    for (const VarPtr& parameter : function.parameters()) Count(parameter->type());
  }

  bool is_any_shared() const {
    for (const auto& [symbol, count] : uses_) {
      if (count > 1) return true;
    }
    return false;
  }
  // Whether any argument has this extent: a symbol that stands once takes any extent, the others
  // promise that two extents are equal.
  bool TakesAny(const Dim& dim) const {
    return dim.is_any() || (dim.is_symbol() && uses_.at(dim.ToText()) == 1);
  }

 private:
  void Count(const Type& type) {
    if (type.is_tuple()) {
      for (const Type& element : type.elements()) Count(element);
    }
    if (!type.is_tensor()) return;
    for (const Dim& dim : type.tensor().dims) {
      std::vector<std::string> symbols;
      dim.CollectSymbols(&symbols);
      for (const std::string& symbol : symbols) uses_[symbol] += dim.is_symbol() ? 1 : 2;
    }
  }

  std::map<std::string, int> uses_;
};

// Whether an argument of the type `actual` is sure to have the extents that the parameter declares.
// `instance` is the declared type with symbols replaced by what the arguments have for them.
bool ProvesExtents(const SymbolUses& uses, const Type& declared, const Type& instance,
                   const Type& actual) {
  if (declared.is_tuple()) {
    if (!actual.is_tuple() || actual.elements().size() != declared.elements().size()) return false;
    for (size_t i = 0; i < declared.elements().size(); ++i) {
      if (!ProvesExtents(uses, declared.elements()[i], instance.elements()[i],
                         actual.elements()[i]))
        return false;
    }
    return true;
  }
  if (!declared.is_tensor()) return true;
  const auto& dims = declared.tensor().dims;
  if (!actual.is_tensor() || actual.tensor().dims.size() != dims.size()) return false;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const Dim& got = actual.tensor().dims[axis];
    if (uses.TakesAny(dims[axis])) continue;
    if (got.is_any() || !(instance.tensor().dims[axis] == got)) return false;
  }
  return true;
}

bool ProvesArguments(const Function& callee, std::span<const Expr> args) {
  if (args.size() != callee.parameters().size()) return true;  // the verifier's to tell
  const SymbolUses uses(callee);
  TypeMatcher matcher;
  for (size_t i = 0; i < args.size(); ++i)
    matcher.Match(callee.parameters()[i]->type(), TypeOf(args[i]));
  for (size_t i = 0; i < args.size(); ++i) {
    const Type& declared = callee.parameters()[i]->type();
    if (!ProvesExtents(uses, declared, matcher.Apply(declared), TypeOf(args[i]))) return false;
  }
  return true;
}

// The functions of which some use leaves extents unproven: a call, or a closure that anybody may
// call. What a closure captures was compared by the types where it was made.
std::unordered_set<std::string> OpenFunctions(const Module& module) {
  std::unordered_set<std::string> open;
  const auto as_value = [&](const Expr& atom) {
    if (const Global* global = atom->As<Global>()) open.insert(global->name());
  };
  for (const Module::Item& item : module.items()) {
    ForEachUse(item.function->bindings(), item.function->result(), as_value);
    ForEachBinding(item.function->bindings(), [&](const Binding& binding) {
      const MakeClosure* closure = binding.value->As<MakeClosure>();
      if (closure != nullptr && closure->captured().empty()) as_value(closure->function());
      const Invoke* invoke = binding.value->As<Invoke>();
      const Global* global = invoke == nullptr ? nullptr : invoke->callee()->As<Global>();
      if (global == nullptr) return;
      const FunctionPtr callee = module.Find(global->name());
      if (callee && !ProvesArguments(*callee, invoke->args())) open.insert(global->name());
    });
  }
  return open;
}

// As much of a type as the comparison needs: extents.
std::string ExtentsText(const Type& type, int depth = 0) {
  if (type.is_tensor()) return type.ToText();
  if (!type.is_tuple() || depth >= kMostNested) return "any";
  std::string text = "(";
  for (const Type& element : type.elements())
    StrAppend(&text, text.size() == 1 ? "" : ", ", ExtentsText(element, depth + 1));
  return text + ")";
}

// Names that would have to be quoted are left out, because they are for messages only.
bool IsPlain(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || IsDigit(c); });
}

std::string ParametersText(const Function& function) {
  std::string text = "(";
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < function.parameters().size(); ++i) {
    const Var& parameter = *function.parameters()[i];
    const bool named = IsPlain(parameter.name()) && names.insert(parameter.name()).second;
    StrAppend(&text, i == 0 ? "" : ", ", named ? parameter.name() : StrCat("%", i), ": ",
              ExtentsText(parameter.type()));
  }
  return text + ")";
}

// The check is an ordinary call at the beginning of the function; it has an effect, so that no pass
// removes it.
FunctionPtr WithCheck(const std::string& name, const Function& function) {
  std::vector<Expr> args = {MakeConstant(Any(name)), MakeConstant(Any(ParametersText(function)))};
  for (const VarPtr& parameter : function.parameters()) args.push_back(parameter);
  const Expr check =
      MakeInvoke(MakePrimitive("tern.function.check_arguments", true), std::move(args));
  std::vector<Binding> bindings = {{MakeVar("checked", Type::Tuple({})), check}};
  const LetPtr body = ToBlock(function.body());
  bindings.insert(bindings.end(), body->bindings().begin(), body->bindings().end());
  return MakeFunction({function.parameters().begin(), function.parameters().end()},
                      MakeLet(std::move(bindings), body->result()),
                      {function.output_names().begin(), function.output_names().end()});
}

}  // namespace

Module CheckSymbols(const Module& module, const PassContext&) {
  const std::unordered_set<std::string> open = OpenFunctions(module);
  Module result = module;
  for (const Module::Item& item : module.items()) {
    // Kernels check their arguments when they are called.
    if (item.is_primitive || !open.contains(item.name)) continue;
    if (!SymbolUses(*item.function).is_any_shared()) continue;
    result.Set(item.name, WithCheck(item.name, *item.function));
  }
  return result;
}

}  // namespace tern::ir
