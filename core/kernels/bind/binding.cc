// SPDX-License-Identifier: Apache-2.0
// What an operator instance does when it is called: rows of bindings.def as functions.

#include "core/kernels/bind/binding.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/bind/elementwise.h"
#include "core/object/containers/adt.h"

namespace tern::kernels::bind {
namespace {

bool IsWidened(const AnyView& arg, Widening widening) {
  if (widening == Widening::kNone) return false;
  const Tensor* tensor = arg.TryCast<Tensor>();
  if (tensor == nullptr || !tensor->on_host()) return false;
  const DType dtype = tensor->dtype();
  return dtype == kF16 || dtype == kBf16 || (dtype == kF64 && widening == Widening::kAllFloats);
}

// The result, or each of several, in the type that it would have had. Statistics of a norm stay.
Result<Any> Narrowed(Call& call, const Any& result, DType dtype) {
  if (const Tensor* tensor = result.TryCast<Tensor>()) {
    if (tensor->dtype() != kF32) return result;
    TERN_TRY_ASSIGN(TensorPtr narrow, CastTo(call, *tensor, dtype));
    return Any(std::move(narrow));
  }
  const Adt* tuple = result.TryCast<Adt>();
  if (tuple == nullptr) return result;
  std::vector<Any> fields;
  for (const Any& field : tuple->fields()) {
    const bool stays = !fields.empty() && call.op() == ops::Op::k_layer_norm_stats;
    TERN_TRY_ASSIGN(Any narrow, stays ? Result<Any>(field) : Narrowed(call, field, dtype));
    fields.push_back(std::move(narrow));
  }
  return Any(Adt::Tuple(std::vector<AnyView>(fields.begin(), fields.end())));
}

// The same call with f32 in place of the floats that the function does not take.
Result<Any> RunWidened(const ops::OpInfo& info, Widening widening, Runner run, const void* attrs,
                       RunContext& context, AnyArgs args) {
  // Two calls: `given` reads what came and is charged for it, `call` is what the function sees.
  Call given(info, context, args);
  std::vector<Any> held;
  std::vector<AnyView> wide;
  std::optional<DType> narrow;  // of the first argument that is a float
  for (size_t i = 0; i < args.size(); ++i) {
    held.emplace_back(args[i]);
    const Tensor* tensor = args[i].TryCast<Tensor>();
    if (tensor != nullptr && tensor->dtype().is_float() && !narrow) narrow = tensor->dtype();
    if (!IsWidened(args[i], widening)) continue;
    const Tensor* x = given.Input(static_cast<int>(i));
    TERN_TRY(given.TakeStatus());
    TERN_TRY_ASSIGN(TensorPtr cast, CastTo(given, *x, kF32));
    held.back() = Any(std::move(cast));
  }
  // `held` has all its elements by now, so that views of them stay valid.
  for (const Any& value : held) wide.emplace_back(value);
  Call call(info, context, wide);
  TERN_TRY_ASSIGN(const Any result, run(attrs, call));
  return Narrowed(given, result, *narrow);
}

// The body of an operator instance.
struct Bound {
  const ops::OpInfo* info;
  std::shared_ptr<const void> attrs;
  Runner run;
  Widening widening;

  Result<Any> operator()(RunContext& context, AnyArgs args) const {
    const int count = static_cast<int>(args.size());
    // A linked file was checked for its operators' names only; how many arguments each call has is
    // its own say.
    if (count < info->min_args || count > info->max_args) {
      return InvalidArgument(info->name, " takes ", info->parameters, ", got ", count,
                             " arguments");
    }
    const bool widens = std::any_of(
        args.begin(), args.end(), [this](const AnyView& arg) { return IsWidened(arg, widening); });
    const bool moves = IsMoveOfTexts(*info, args);
    Result<Any> result = moves    ? RunOnPlaces(*info, run, attrs.get(), context, args)
                         : widens ? RunWidened(*info, widening, run, attrs.get(), context, args)
                                  : RunAsItIs(context, args);
    // A run that was stopped left loops early: what they wrote is no result.
    if (Status stop = context.TakeStop(); !stop.ok()) return Named(std::move(stop));
    if (result.ok()) return result;
    return Named(std::move(result).status());
  }

  Result<Any> RunAsItIs(RunContext& context, AnyArgs args) const {
    Call call(*info, context, args);
    return run(attrs.get(), call);
  }

  // The same error with the operator in front.
  Status Named(Status status) const {
    Status named(status.code(), StrCat(info->name, ": ", status.message()));
    for (const std::string& note : status.notes()) named.AddNote(note);
    if (!status.error_code().empty()) named.SetErrorCode(status.error_code());
    return named;
  }
};

}  // namespace

const Binding* FindBinding(std::span<const Binding> table, std::string_view op) {
  for (const Binding& binding : table) {
    if (binding.op == op) return &binding;
  }
  return nullptr;
}

Result<FunctionPtr> MakeBound(std::span<const Binding> table, std::string_view full_name,
                              const Attrs& attrs) {
  const std::string_view op = full_name.substr(0, full_name.find('{'));
  const Binding* binding = FindBinding(table, op);
  const ops::OpInfo* info = ops::FindOp(op);
  if (binding == nullptr || info == nullptr) return NotFound("there is no operator '", op, "'");
  TERN_TRY_ASSIGN(ParsedAttrs parsed, binding->parse(attrs, op));
  FunctionPtr function = Function::FromPacked(
      full_name, Bound{info, std::move(parsed), binding->run, binding->widening}, info->parameters);
  function->set_makes_results();
  return function;
}

Status RegisterBindings(std::span<const Binding> table, FunctionFactory make, Registry* registry) {
  for (const Binding& binding : table) TERN_TRY(registry->RegisterFactory(binding.op, make));
  return OkStatus();
}

}  // namespace tern::kernels::bind
