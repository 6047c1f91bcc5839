// SPDX-License-Identifier: Apache-2.0
// bindings.def expanded into factories.

#include "core/kernels/bind/bind.h"

#include <memory>
#include <string>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/lists.h"

namespace tern::kernels {
namespace {

using bind::Call;

using Runner = Result<Any> (*)(const void* attrs, Call& call);

// The body of an operator instance.
struct Bound {
  const ops::OpInfo* info;
  std::shared_ptr<const void> attrs;
  Runner run;

  Result<Any> operator()(RunContext& context, AnyArgs args) const {
    const int count = static_cast<int>(args.size());
    if (count < info->min_args || count > info->max_args) {
      return InvalidArgument(info->name, " takes ", info->parameters, ", got ", count,
                             " arguments");
    }
    Call call(*info, context, args);
    Result<Any> result = run(attrs.get(), call);
    if (Status stop = context.TakeStop(); !stop.ok()) return Named(std::move(stop));
    if (result.ok()) return result;
    return Named(std::move(result).status());
  }

  // The same error with the operator in front.
  Status Named(Status status) const {
    Status named(status.code(), StrCat(info->name, ": ", status.message()));
    for (const std::string& note : status.notes()) named.AddNote(note);
    if (!status.error_code().empty()) named.SetErrorCode(status.error_code());
    return named;
  }
};

// The parsed attributes of an instance, whatever their type.
using ParsedAttrs = std::shared_ptr<const void>;

template <class AttrsType>
Result<ParsedAttrs> Parse(const Attrs& attrs, std::string_view op) {
  TERN_TRY_ASSIGN(AttrsType parsed, AttrsType::From(attrs, op));
  return ParsedAttrs(std::make_shared<const AttrsType>(std::move(parsed)));
}

template <class AttrsType, Result<Any> (*function)(const AttrsType&, Call&)>
Result<Any> Run(const void* attrs, Call& call) {
  return function(*static_cast<const AttrsType*>(attrs), call);
}

struct Binding {
  std::string_view op;
  Result<ParsedAttrs> (*parse)(const Attrs& attrs, std::string_view op);
  Runner run;
};

constexpr Binding kBindings[] = {
#define TERN_BIND(name, AttrsType, Function) \
  {#name, &Parse<ops::AttrsType>, &Run<ops::AttrsType, &bind::Function>},
#include "core/kernels/bind/bindings.def"
#undef TERN_BIND
};

const Binding* FindBinding(std::string_view op) {
  for (const Binding& binding : kBindings) {
    if (binding.op == op) return &binding;
  }
  return nullptr;
}

Result<FunctionPtr> MakeBound(std::string_view full_name, const Attrs& attrs) {
  const std::string_view op = full_name.substr(0, full_name.find('{'));
  const Binding* binding = FindBinding(op);
  const ops::OpInfo* info = ops::FindOp(op);
  if (binding == nullptr || info == nullptr) return NotFound("there is no operator '", op, "'");
  TERN_TRY_ASSIGN(ParsedAttrs parsed, binding->parse(attrs, op));
  FunctionPtr function = Function::FromPacked(
      full_name, Bound{info, std::move(parsed), binding->run}, info->parameters);
  function->set_makes_results();
  return function;
}

}  // namespace

Status RegisterOperators(Registry* registry) {
  for (const Binding& binding : kBindings)
    TERN_TRY(registry->RegisterFactory(binding.op, &MakeBound));
  return RegisterListFunctions(registry);
}

bool HasOperator(std::string_view op) { return FindBinding(op) != nullptr; }

Result<FunctionPtr> MakeOperator(std::string_view name) {
  TERN_TRY_ASSIGN(PrimitiveName parsed, ParsePrimitiveName(name));
  return MakeBound(name, parsed.attrs);
}

}  // namespace tern::kernels
