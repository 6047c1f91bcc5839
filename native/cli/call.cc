// SPDX-License-Identifier: Apache-2.0
// Finds functions by name, and binds inputs to parameters by name or position. The rule for errors:
// the message lists the parameters there are, because the user has to choose among them.
#include "native/cli/call.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "native/cli/input_value.h"
#include "native/cli/report.h"
#include "native/platform/memory_limit.h"

namespace tern::cli {
namespace {

// The parameter that an input is for, by name or by position; params.size() if there is none. Named
// inputs count as positions too, so an unnamed one means the same place wherever names stand.
size_t SlotOf(const NamedArray& input, size_t position, const std::vector<ParamInfo>& params) {
  if (input.name.empty()) return std::min(position, params.size());
  const auto match = [&](const ParamInfo& param) { return param.name == input.name; };
  return static_cast<size_t>(std::find_if(params.begin(), params.end(), match) - params.begin());
}

std::string ParamText(const ParamInfo& param) {
  if (!param.declared.empty()) return StrCat(param.name, " = ", param.declared);
  return StrCat(param.name, " = ", param.dtype,
                param.tensor ? StrCat("[", StrJoin(param.shape, ", "), "]") : std::string());
}

void SuggestName(std::string_view name, const std::vector<std::string>& known, Status* status) {
  const std::string_view near = DidYouMean(name, known);
  if (!near.empty()) status->AddNote(StrCat("help: did you mean '", near, "'?"));
}

Status NoSuchParameter(const FunctionInfo& function, const NamedArray& input) {
  Status status = UsageError("E0202", StrCat("function @", function.name,
                                             " has no parameter for --input '", input.origin, "'"));
  std::vector<std::string> names;
  for (const ParamInfo& param : function.params) {
    status.AddNote(StrCat("parameter: ", ParamText(param)));
    names.push_back(param.name);
  }
  SuggestName(input.name, names, &status);
  return status;
}

// A value that could be given; empty for types that the command line has no form for.
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

Status MissingUnfilled(const FunctionInfo& function, const ParamInfo& param) {
  Status status = MissingInput(function, param);
  if (param.tensor && ElementSize(param.dtype) > 0)
    status.AddNote("help: or --fill, for random numbers");
  return status;
}

Status GivenTwice(const FunctionInfo& function, const ParamInfo& param, const NamedArray& first,
                  const NamedArray& second) {
  return UsageError(
      "E0007", StrCat("parameter '", param.name, "' of @", function.name,
                      " is given twice: --input '", first.origin, "' and '", second.origin, "'"));
}

// --- inputs that are made

// The extents of a parameter with the values that --dim gives; an error names the dimension that
// has none.
Result<std::vector<std::string>> ExtentsOf(const FunctionInfo& function, const ParamInfo& param,
                                           const DimBindings& dims) {
  std::vector<std::string> extents;
  for (const std::string& extent : param.shape) {
    const auto bound = dims.find(extent);
    if (bound == dims.end() && !ParseInt64(extent)) {
      Status status = MissingInput(function, param);
      return status.AddNote(StrCat("help: or bind ", extent, " with --dim, for random numbers"))
          .Clone();
    }
    extents.push_back(bound == dims.end() ? extent : StrCat(bound->second));
  }
  return extents;
}

// Written as an --input, so that made-up numbers come from the same generator as those a user asks
// for, and a run can be repeated by hand.
Result<NamedArray> MakeInput(const FunctionInfo& function, const ParamInfo& param,
                             const DimBindings& dims, MemoryBudget* budget) {
  if (!param.tensor || ElementSize(param.dtype) == 0) return MissingInput(function, param);
  TERN_TRY_ASSIGN(const std::vector<std::string> extents, ExtentsOf(function, param, dims));
  std::vector<NamedArray> made;
  TERN_TRY(ParseInput(
      StrCat(param.name, "=", param.dtype, "[", StrJoin(extents, ","), "]:random(seed=1)"), {},
      function.params, &made, budget));
  return std::move(made[0]);
}

// --- what --dim says

// The name must stand alone: `n` is not in "len". The extent may be an expression, such as 2*n.
bool HasDimension(const ParamInfo& param, std::string_view name) {
  const auto is_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (const std::string_view extent : param.shape) {
    for (size_t at = extent.find(name); at != std::string_view::npos;
         at = extent.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at == 0 || !is_name(extent[at - 1])) && (end == extent.size() || !is_name(extent[end])))
        return true;
    }
  }
  return false;
}

// A --dim that nothing uses is a mistake in the name, which would otherwise go unnoticed.
Status CheckDimIsUsed(const FunctionInfo& function, const std::vector<NamedArray>& inputs,
                      const std::string& name, int64_t extent) {
  // Inputs count too: x=f32[n]:zeros may be the only use.
  for (const NamedArray& input : inputs) {
    if (std::find(input.dims.begin(), input.dims.end(), name) != input.dims.end()) return Status();
  }
  for (const ParamInfo& param : function.params) {
    if (HasDimension(param, name)) return Status();
  }
  Status status = UsageError("E0005", StrCat("--dim ", name, "=", extent, ": no parameter of @",
                                             function.name, " has a dimension '", name, "'"));
  std::vector<std::string> extents;
  for (const ParamInfo& param : function.params) {
    status.AddNote(StrCat("parameter: ", ParamText(param)));
    extents.insert(extents.end(), param.shape.begin(), param.shape.end());
  }
  SuggestName(name, extents, &status);
  return status;
}

// Refuses an input whose shape contradicts --dim. An input of another rank is no business of
// --dim's; the call reports that.
Status CheckDimHolds(const FunctionInfo& function, const std::vector<NamedArray>& inputs,
                     const std::string& name, int64_t extent) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ParamInfo& param = function.params[i];
    const std::vector<int64_t>& shape = inputs[i].array.shape;
    if (!param.tensor || shape.size() != param.shape.size()) continue;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (param.shape[axis] == name && shape[axis] != extent)
        return UsageError("E0005", StrCat("--dim ", name, "=", extent, " contradicts --input '",
                                          inputs[i].origin, "': axis ", axis, ", ", name, ", is ",
                                          shape[axis]))
            .AddNote(StrCat("parameter: ", ParamText(param)))
            .Clone();
    }
  }
  return Status();
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
  SuggestName(name, names, &status);
  return status;
}

Result<std::vector<NamedArray>> BindInputs(const InputOptions& options,
                                           const FunctionInfo& function, MemoryBudget* budget) {
  DimBindings dims;
  for (const std::string& dim : options.dims) TERN_TRY(ParseDim(dim, &dims));
  std::vector<NamedArray> given;
  for (const std::string& input : options.inputs)
    TERN_TRY(ParseInput(input, dims, function.params, &given, budget));
  // Before inputs are missed that it was meant to give a size.
  for (const auto& [name, extent] : dims) TERN_TRY(CheckDimIsUsed(function, given, name, extent));
  // One slot per parameter, filled in the order of the command line.
  std::vector<std::optional<NamedArray>> slots(function.params.size());
  for (size_t position = 0; position < given.size(); ++position) {
    const size_t slot = SlotOf(given[position], position, function.params);
    if (slot == slots.size()) return NoSuchParameter(function, given[position]);
    if (slots[slot])
      return GivenTwice(function, function.params[slot], *slots[slot], given[position]);
    slots[slot] = std::move(given[position]);
  }
  std::vector<NamedArray> ordered;
  for (size_t i = 0; i < slots.size(); ++i) {
    const ParamInfo& param = function.params[i];
    if (!slots[i] && !options.fill_missing) return MissingUnfilled(function, param);
    if (!slots[i]) {
      TERN_TRY_ASSIGN(slots[i], MakeInput(function, param, dims, budget));
    }
    ordered.push_back(std::move(*slots[i]));
  }
  // Compared last, because inputs that were made count too.
  for (const auto& [name, extent] : dims) TERN_TRY(CheckDimHolds(function, ordered, name, extent));
  return ordered;
}

namespace {

// An int, float, bool or string for the call. ParseScalarValue has checked the text, so the parses
// below cannot fail.
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
    TERN_TRY_ASSIGN(Value value, !input.program.empty() ? ValueOf(engine, input)
                                 : input.array.is_scalar
                                     ? ToScalar(input.array)
                                     : ToTensor(engine.runtime.get(), input.array));
    values.push_back(std::move(value));
  }
  return values;
}

// A limit that is used up gives 1, because 0 would mean no limit. One that the user gave counts an
// input once; that of the process is for all that is there.
uint64_t BytesLeft(const MemoryBudget& budget) {
  const uint64_t limit = budget.limit != 0 ? budget.limit : native::DefaultMemoryLimit();
  const uint64_t used = budget.limit != 0 ? budget.used : kInputCopies * budget.used;
  if (limit == 0) return 0;
  return limit > used ? limit - used : 1;
}

// The values keep their owner; the array is only for the call.
std::vector<TernAny> Borrow(const std::vector<Value>& values) {
  std::vector<TernAny> args;
  for (const Value& value : values) args.push_back(value.get());
  return args;
}

void AddInputOptions(CLI::App* app, InputOptions* options) {
  app->add_option("-f,--function", options->function, "the function to run (default: main)");
  // One value each: CLI11 would take a list in brackets apart where there may be several.
  app->add_option("-i,--input", options->inputs,
                  "a value for a parameter, such as x=@x.npy or x=f32[2]:1,2")
      ->allow_extra_args(false);
  app->add_option("--dim", options->dims, "the value of a symbolic dimension, such as n=18");
  app->add_flag("--fill", options->fill_missing,
                "make inputs that are not given: random numbers, the same in every run");
}

}  // namespace tern::cli
