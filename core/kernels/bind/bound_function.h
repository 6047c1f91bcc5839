// SPDX-License-Identifier: Apache-2.0
// Functions of the registry that are no operators, since no shape rule describes what they take and
// give (lists.h, maps.h): a table row each, its attributes parsed once when it is bound.
#ifndef TERN_CORE_KERNELS_BIND_BOUND_FUNCTION_H_
#define TERN_CORE_KERNELS_BIND_BOUND_FUNCTION_H_

#include <span>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/base/strings.h"
#include "core/object/attrs.h"
#include "core/object/function.h"
#include "core/object/registry.h"
#include "core/object/run_context.h"

namespace tern::kernels::bind {

template <class Parsed>
struct FunctionRow {
  std::string_view name;
  size_t least, most;  // arguments
  Result<Any> (*run)(const Parsed& attrs, RunContext& context, AnyArgs args);
};

// Errors begin with the function's name.
template <class Parsed>
struct BoundFunction {
  FunctionRow<Parsed> function;
  Parsed attrs;

  Result<Any> operator()(RunContext& context, AnyArgs args) const {
    if (args.size() < function.least || args.size() > function.most) {
      return InvalidArgument(function.name, " takes ", function.least, " to ", function.most,
                             " arguments, got ", args.size());
    }
    Result<Any> result = function.run(attrs, context, args);
    if (Status stop = context.TakeStop(); !stop.ok()) return stop;
    if (result.ok()) return result;
    const Status status = std::move(result).status();
    Status named(status.code(), StrCat(function.name, ": ", status.message()));
    if (!status.error_code().empty()) named.SetErrorCode(status.error_code());
    return named;
  }
};

// parse: Result<Parsed>(std::string_view name, const Attrs& attrs).
template <class Parsed, class Parse>
Result<FunctionPtr> BindFunction(std::span<const FunctionRow<Parsed>> rows, const Parse& parse,
                                 std::string_view full_name, const Attrs& attrs) {
  const std::string_view name = full_name.substr(0, full_name.find('{'));
  for (const FunctionRow<Parsed>& row : rows) {
    if (row.name != name) continue;
    TERN_TRY_ASSIGN(Parsed parsed, parse(name, attrs));
    return Function::FromPacked(full_name, BoundFunction<Parsed>{row, std::move(parsed)});
  }
  return NotFound("there is no function '", name, "'");
}

// Registers a row each; `make` binds by the full name and the attributes.
template <class Parsed>
Status RegisterFunctions(std::span<const FunctionRow<Parsed>> rows, FunctionFactory make,
                         Registry* registry) {
  for (const FunctionRow<Parsed>& row : rows) TERN_TRY(registry->RegisterFactory(row.name, make));
  return OkStatus();
}

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_BOUND_FUNCTION_H_
