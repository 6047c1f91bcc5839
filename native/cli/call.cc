// SPDX-License-Identifier: Apache-2.0
// Functions by name, and inputs to parameters by name or position.
#include "native/cli/call.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

// The slot of an input: by its name, or by position; params.size() where there is none.
size_t SlotOf(const NamedArray& input, size_t position, const std::vector<ParamInfo>& params) {
  if (input.name.empty()) return std::min(position, params.size());
  const auto match = [&](const ParamInfo& param) { return param.name == input.name; };
  return static_cast<size_t>(std::find_if(params.begin(), params.end(), match) - params.begin());
}

std::string ParamText(const ParamInfo& param) {
  return StrCat(param.name, " = ", param.dtype,
                param.tensor ? StrCat("[", StrJoin(param.shape, ", "), "]") : std::string());
}

Status NoSuchParameter(const FunctionInfo& function, const NamedArray& input) {
  Status status = UsageError("E0202", StrCat("function @", function.name,
                                             " has no parameter for --input '", input.origin, "'"));
  for (const ParamInfo& param : function.params) {
    status.AddNote(StrCat("parameter: ", ParamText(param)));
  }
  return status;
}

// What could be given; empty for what the command line has no form for.
std::string ExampleInput(const ParamInfo& param) {
  if (param.tensor) return StrCat("@", param.name, ".npy");
  if (param.dtype == "int") return "18";
  if (param.dtype == "float") return "0.5";
  if (param.dtype == "bool") return "true";
  return param.dtype == "string" ? "text" : "";
}

Status MissingInput(const FunctionInfo& function, const ParamInfo& param) {
  Status status = UsageError(
      "E0201", StrCat("no --input for parameter '", param.name, "' of @", function.name));
  status.AddNote(StrCat("parameter: ", ParamText(param)));
  const std::string example = ExampleInput(param);
  if (!example.empty()) status.AddNote(StrCat("help: add -i ", param.name, "=", example));
  return status;
}

Result<std::vector<NamedArray>> ReadInputs(const InputOptions& options,
                                           const FunctionInfo& function) {
  DimBindings dims;
  for (const std::string& dim : options.dims) TERN_TRY(ParseDim(dim, &dims));
  std::vector<NamedArray> given;
  for (const std::string& input : options.inputs) {
    TERN_TRY(ParseInput(input, dims, function.params, &given));
  }
  return given;
}

}  // namespace

Result<FunctionInfo> FindFunction(const Program& program, const std::string& name) {
  TERN_TRY_ASSIGN(const std::vector<FunctionInfo> functions, ListFunctions(program));
  std::vector<std::string> names;
  for (const FunctionInfo& function : functions) {
    if (function.name == name) return function;
    names.push_back(function.name);
  }
  Status status = UsageError("E0206", StrCat("the program has no function '", name, "'"));
  status.AddNote(StrCat("it has: ", StrJoin(names, ", ")));
  return status;
}

Result<std::vector<NamedArray>> BindInputs(const InputOptions& options,
                                           const FunctionInfo& function) {
  TERN_TRY_ASSIGN(std::vector<NamedArray> given, ReadInputs(options, function));
  std::vector<std::optional<NamedArray>> slots(function.params.size());
  for (size_t position = 0; position < given.size(); ++position) {
    const size_t slot = SlotOf(given[position], position, function.params);
    if (slot == slots.size()) return NoSuchParameter(function, given[position]);
    slots[slot] = std::move(given[position]);
  }
  std::vector<NamedArray> ordered;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i]) return MissingInput(function, function.params[i]);
    ordered.push_back(std::move(*slots[i]));
  }
  return ordered;
}

namespace {

// The text was checked when it was read.
Result<Value> ToScalar(const Array& array) {
  const std::string text(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  Value value;
  TernAny* const any = value.out();
  if (array.dtype == "string") {
    TERN_TRY(FromApi(tern_string_new(text.data(), text.size(), any)));
  } else if (array.dtype == "float") {
    any->type_code = TERN_TYPE_FLOAT;
    any->v.f = ParseDouble(text).value_or(0);
  } else {
    any->type_code = array.dtype == "bool" ? TERN_TYPE_BOOL : TERN_TYPE_INT;
    any->v.i = array.dtype == "bool" ? (text == "true" ? 1 : 0) : ParseInt64(text).value_or(0);
  }
  return value;
}

}  // namespace

Result<std::vector<Value>> ToTensors(const Engine& engine, const std::vector<NamedArray>& inputs) {
  std::vector<Value> values;
  for (const NamedArray& input : inputs) {
    TERN_TRY_ASSIGN(Value value, input.array.is_scalar
                                     ? ToScalar(input.array)
                                     : ToTensor(engine.runtime.get(), input.array));
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<TernAny> Borrow(const std::vector<Value>& values) {
  std::vector<TernAny> args;
  for (const Value& value : values) args.push_back(value.get());
  return args;
}

void AddInputOptions(CLI::App* app, InputOptions* options) {
  app->add_option("-f,--function", options->function, "the function to run (default: main)");
  app->add_option("-i,--input", options->inputs,
                  "a value for a parameter, such as x=@x.npy or x=f32[2]:1,2");
  app->add_option("--dim", options->dims, "the value of a symbolic dimension, such as n=18");
}

}  // namespace tern::cli
