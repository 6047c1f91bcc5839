// SPDX-License-Identifier: Apache-2.0
// Prints results as text or JSON, writes them as .npy, .npz or .json, and compares them with files.
// Everything that can be wrong with the options is found before the run (PlanOutputs), because a
// run may take long.
#include "native/cli/outputs.h"

#include <algorithm>
#include <cmath>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/array_diff.h"
#include "native/cli/npz.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

// Reads "y=@y.npy"; without a name it means the only output.
Result<OutputPlan::Target> ParseTarget(std::string_view flag, std::string_view text) {
  const size_t at = text.find('@');
  // An '@' counts as the separator only behind '=' or at the beginning, so that paths may contain
  // one.
  const bool named = at != std::string_view::npos && at > 0 && text[at - 1] == '=';
  if (at == std::string_view::npos || (!named && at != 0) || at + 1 == text.size()) {
    return UsageError("E0006", StrCat("cannot read ", flag, " '", text,
                                      "': expected NAME=@FILE.npy, .npz or .json"));
  }
  return OutputPlan::Target{
      std::string(text.substr(0, named ? at - 1 : 0)), std::string(text.substr(at + 1)), {}};
}

// --- names

// A result without a declared name is called output0, output1, …
std::string OutputName(const FunctionInfo& function, size_t i) {
  return i < function.results.size() && !function.results[i].name.empty() ? function.results[i].name
                                                                          : StrCat("output", i);
}

Result<size_t> FindOutput(const FunctionInfo& function, const std::string& name, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (OutputName(function, i) == name || (name.empty() && count == 1)) return i;
  }
  Status status = UsageError("E0010", StrCat("@", function.name, " has no output '", name, "'"));
  for (size_t i = 0; i < count; ++i) status.AddNote(StrCat("output: ", OutputName(function, i)));
  return status;
}

Status StatusOf(const Result<size_t>& result) { return result.status().Clone(); }

// Checks a name before the run. Only the run tells how many results a function without declared
// ones has, so "output7" may be right there.
Status CheckName(const FunctionInfo& function, const std::string& name) {
  if (!function.results.empty())
    return StatusOf(FindOutput(function, name, function.results.size()));
  const bool is_numbered = name.starts_with("output") && ParseUint64(name.substr(6)).has_value();
  if (name.empty() || is_numbered) return Status();
  return UsageError("E0010", StrCat("@", function.name, " has no output '", name, "'"))
      .AddNote("its outputs have no names: output0, output1 and so on")
      .Clone();
}

// Two results in one file would overwrite each other; standard output takes both.
Status CheckWrittenOnce(const std::vector<OutputPlan::Target>& targets) {
  for (size_t i = 0; i < targets.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (targets[i].path == targets[k].path && targets[i].path != "-")
        return UsageError("E0007", StrCat("--output: '", targets[i].path, "' is given twice"));
    }
  }
  return Status();
}

// --- comparing

// Compares by |a - e| <= atol + rtol |e|, as numpy.allclose does, except that NaN equals NaN.
// Counts all elements that exceed it and remembers the worst.
Status Compare(const std::string& name, const Array& actual, const Array& expected,
               const OutputOptions& options) {
  if (actual.dtype != expected.dtype || actual.shape != expected.shape) {
    return Failed("output `", name, "` is ", TypeText(actual.dtype, actual.shape), ", expected ",
                  TypeText(expected.dtype, expected.shape))
        .SetErrorCode("M0101");
  }
  const size_t count = actual.bytes.size() / ElementSize(actual.dtype);
  size_t wrong = 0, worst = 0;
  double worst_excess = -1;
  for (size_t i = 0; i < count; ++i) {
    const double a = ElementAsDouble(actual, i), e = ElementAsDouble(expected, i);
    if (a == e || (std::isnan(a) && std::isnan(e))) continue;
    // Infinities of one sign are equal above. Others make excess infinite or NaN, neither of which
    // is <= 0, so they count.
    const double excess = std::fabs(a - e) - (options.atol + options.rtol * std::fabs(e));
    if (excess <= 0) continue;
    ++wrong;
    // The negated comparison takes a NaN as worse than anything.
    if (!(excess <= worst_excess)) {
      worst = i;
      worst_excess = excess;
    }
  }
  if (wrong == 0) return Status();
  return Failed("output `", name, "` differs from what was expected")
      .SetErrorCode("M0101")
      .AddNote(StrCat(wrong, " of ", count, " elements exceed |a-e| <= ", options.atol, " + ",
                      options.rtol, "*|e|"))
      .AddNote(StrCat("worst: ", name, IndexText(worst, actual.shape), " = ",
                      ElementAsDouble(actual, worst), " expected ",
                      ElementAsDouble(expected, worst)))
      .Clone();
}

Status CompareAll(const std::string& name, const std::vector<NamedArray>& actual,
                  const OutputPlan::Target& target, const OutputOptions& options) {
  const std::vector<NamedArray>& expected = target.expected;
  if (actual.size() != expected.size())
    return Failed("output `", name, "` has ", actual.size(), " arrays, '", target.path, "' has ",
                  expected.size())
        .SetErrorCode("M0101");
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto same = [&](const NamedArray& array) { return array.name == actual[i].name; };
    const bool is_named = expected.size() > 1;  // one array is the one, whatever it is called
    const auto found =
        // Arrays of a bundle are compared by name, because their order in a file means nothing.
        is_named ? std::find_if(expected.begin(), expected.end(), same) : expected.begin();
    if (found == expected.end())
      return Failed("'", target.path, "' has no array '", actual[i].name, "' of output `", name,
                    "`")
          .SetErrorCode("M0101");
    TERN_TRY(Compare(is_named ? StrCat(name, ".", actual[i].name) : name, actual[i].array,
                     found->array, options));
  }
  return Status();
}

// --- values as arrays

Status NotATensor(const Value& value, const std::string& name, std::string_view where) {
  return TypeError("output `", name, "` holds ", tern_any_type_name(&value.get()), where,
                   "; expected a tensor, or a tuple, list or map of tensors")
      .SetErrorCode("E0205")
      .AddNote("help: --output NAME=@FILE.json writes any value")
      .Clone();
}

// Appends the tensor under the name; an error for other values and for types that NumPy lacks.
Status AppendTensor(const Value& value, const std::string& output, std::string name,
                    std::string_view where, std::vector<NamedArray>* arrays) {
  if (std::string_view(tern_any_type_name(&value.get())) != "tensor")
    return NotATensor(value, output, where);
  NamedArray array;
  TERN_TRY_ASSIGN(array.array, FromTensor(value.get()));
  if (ElementSize(array.array.dtype) == 0) return NotATensor(value, output, " of another dtype");
  array.name = std::move(name);
  arrays->push_back(std::move(array));
  return Status();
}

Status AppendMap(const Value& map, const std::string& output, std::vector<NamedArray>* arrays) {
  Value keys, values;
  TERN_TRY(FromApi(tern_map_keys(&map.get(), keys.out())));
  TERN_TRY(FromApi(tern_map_values(&map.get(), values.out())));
  for (int32_t i = 0; i < tern_tuple_size(&keys.get()); ++i) {
    Value key, value;
    TERN_TRY(FromApi(tern_tuple_get(&keys.get(), i, key.out())));
    TERN_TRY(FromApi(tern_tuple_get(&values.get(), i, value.out())));
    const char* text = nullptr;
    size_t size = 0;
    TERN_TRY(FromApi(tern_string_view(&key.get(), &text, &size)));
    TERN_TRY(AppendTensor(value, output, std::string(text, size), " in a map", arrays));
  }
  return Status();
}

// A tuple has tag 0, the value of a constructor another (core/api/c_api.h).
bool IsTuple(const Value& value) {
  int32_t tag = 0;
  ApiStatus status(tern_adt_tag(&value.get(), &tag));
  return status == nullptr && tag == 0;
}

// The arrays of a value: a tensor has the output's name, those of a tuple or list are called arr_0,
// arr_1, …, as numpy.savez names arrays without one, and those of a map have its keys.
Result<std::vector<NamedArray>> ToArrays(const Value& value, const std::string& name) {
  std::vector<NamedArray> arrays;
  const std::string_view type = tern_any_type_name(&value.get());
  if (type == "map") {
    TERN_TRY(AppendMap(value, name, &arrays));
  } else if (type == "list" || IsTuple(value)) {
    for (int32_t i = 0; i < tern_tuple_size(&value.get()); ++i) {
      Value item;
      TERN_TRY(FromApi(tern_tuple_get(&value.get(), i, item.out())));
      TERN_TRY(AppendTensor(item, name, StrCat("arr_", i), StrCat(" in a ", type), &arrays));
    }
  } else {
    TERN_TRY(AppendTensor(value, name, name, "", &arrays));
  }
  return arrays;
}

// --- values as text

struct Printed {
  std::string text;
  uint64_t omitted = 0;
};

Result<Printed> PrintResult(const Results& results, size_t i, const char* format,
                            int64_t max_elements) {
  tern_print_options limits = {};
  limits.struct_size = sizeof limits;
  // Short only in text and where no number was asked for: a terminal is read by people.
  const bool is_short = max_elements < 0 && std::string_view(format) == "text";
  limits.max_elements = is_short ? 8 : max_elements < 0 ? 0 : static_cast<uint64_t>(max_elements);
  limits.max_depth = is_short ? 4 : 0;
  Printed printed;
  tern_buffer* raw = nullptr;
  // With one result its type is the function's own; with several, field i of the declared tuple.
  const int32_t field = results.values.size() == 1 ? -1 : static_cast<int32_t>(i);
  TERN_TRY(FromApi(tern_program_print(results.program.get(), results.function.name.c_str(), field,
                                      &results.values[i].get(), format, &limits, &printed.omitted,
                                      &raw)));
  const Buffer buffer(raw);
  printed.text = Text(buffer);
  return printed;
}

// Writes {"name", "value"}, and "truncated" and "omitted" if elements are left out.
Status WriteOutput(const Results& results, size_t i, int64_t max_elements, JsonWriter* json) {
  TERN_TRY_ASSIGN(const Printed printed, PrintResult(results, i, "json", max_elements));
  json->Field("name", OutputName(results.function, i)).Key("value").Raw(printed.text);
  if (printed.omitted > 0) json->Field("truncated", true).Field("omitted", printed.omitted);
  return Status();
}

Status WriteOneOutput(const OutputPlan::Target& target, const Results& results, size_t i) {
  const Value& value = results.values[i];
  const std::string name = OutputName(results.function, i);
  // A file gets everything, whatever --max-elements says.
  if (target.path.ends_with(".json")) {
    JsonWriter json = BeginAnswer();
    TERN_TRY(WriteOutput(results, i, 0, &json));
    json.EndObject();
    return native::WriteFile(target.path, StrCat(json.text(), "\n"));
  }
  TERN_TRY_ASSIGN(const std::vector<NamedArray> arrays, ToArrays(value, name));
  if (target.path.ends_with(".npz")) {
    TERN_TRY_ASSIGN(const std::vector<uint8_t> bytes, FormatNpz(arrays));
    return native::WriteFile(target.path, bytes);
  }
  const std::string_view type = tern_any_type_name(&value.get());
  if (type != "tensor")
    return TypeError("output `", name, "` is a ", type, ", and a .npy file holds one tensor")
        .SetErrorCode("E0205")
        .AddNote("help: name an .npz file for several tensors, a .json file for any value")
        .Clone();
  return native::WriteFile(target.path, FormatNpy(arrays[0].array));
}

}  // namespace

Result<OutputPlan> PlanOutputs(const OutputOptions& options, const FunctionInfo& function) {
  OutputPlan plan;
  for (const std::string& text : options.outputs) {
    TERN_TRY_ASSIGN(OutputPlan::Target target, ParseTarget("--output", text));
    TERN_TRY(CheckName(function, target.name));
    plan.outputs.push_back(std::move(target));
  }
  TERN_TRY(CheckWrittenOnce(plan.outputs));
  for (const std::string& text : options.expected) {
    TERN_TRY_ASSIGN(OutputPlan::Target target, ParseTarget("--expect", text));
    TERN_TRY(CheckName(function, target.name));
    if (target.path.ends_with(".npz")) {
      // Read without a budget: --max-memory is about the program.
      TERN_TRY(ReadNpz(target.path, nullptr, &target.expected));
    } else {
      TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(target.path));
      NamedArray array;
      TERN_TRY_ASSIGN(array.array, ParseNpy(file.bytes(), target.path));
      target.expected.push_back(std::move(array));
    }
    plan.expected.push_back(std::move(target));
  }
  return plan;
}

// A tuple is several results only if the function declares several: a function may return a tuple
// as one value.
Result<std::vector<Value>> UnpackResults(Value result, const FunctionInfo& function) {
  std::vector<Value> items;
  const int32_t count = tern_tuple_size(&result.get());
  if (count == 0 || !IsTuple(result) || function.results.size() == 1) {
    items.push_back(std::move(result));
    return items;
  }
  for (int32_t i = 0; i < count; ++i) {
    Value item;
    TERN_TRY(FromApi(tern_tuple_get(&result.get(), i, item.out())));
    items.push_back(std::move(item));
  }
  return items;
}

Status PrintOutputs(const OutputOptions& options, const GlobalOptions& globals,
                    const Results& results) {
  if (globals.quiet) return Status();
  if (globals.json()) {
    JsonWriter json = BeginAnswer();
    json.Key("outputs").BeginArray();
    for (size_t i = 0; i < results.values.size(); ++i) {
      json.BeginObject();
      TERN_TRY(WriteOutput(results, i, options.max_elements, &json));
      json.EndObject();
    }
    json.EndArray().EndObject();
    Print(StrCat(json.text(), "\n"));
    return Status();
  }
  for (size_t i = 0; i < results.values.size(); ++i) {
    TERN_TRY_ASSIGN(const Printed printed, PrintResult(results, i, "text", options.max_elements));
    const std::string more = printed.omitted == 0 ? ""
                                                  : StrCat("  (", printed.omitted,
                                                           " more; --max-elements 0 prints all)");
    Print(StrCat(OutputName(results.function, i), ": ", printed.text, more, "\n"));
  }
  return Status();
}

// Files are written before comparisons, so that a result which differs can be looked at.
Status CarryOut(const OutputPlan& plan, const OutputOptions& options, const Results& results) {
  const FunctionInfo& function = results.function;
  for (const OutputPlan::Target& target : plan.outputs) {
    TERN_TRY_ASSIGN(const size_t i, FindOutput(function, target.name, results.values.size()));
    TERN_TRY(WriteOneOutput(target, results, i));
  }
  for (const OutputPlan::Target& target : plan.expected) {
    TERN_TRY_ASSIGN(const size_t i, FindOutput(function, target.name, results.values.size()));
    const std::string name = OutputName(function, i);
    TERN_TRY_ASSIGN(const std::vector<NamedArray> actual, ToArrays(results.values[i], name));
    TERN_TRY(CompareAll(name, actual, target, options));
  }
  return Status();
}

void AddOutputOptions(CLI::App* app, OutputOptions* options) {
  app->add_option("--output", options->outputs,
                  "write an output, NAME=@FILE: .npy a tensor, .npz also a tuple, list or map of "
                  "tensors, .json any value");
  app->add_option("--expect", options->expected, "compare an output, NAME=@FILE.npy or .npz");
  AddAmount(app, "--rtol", &options->rtol, "relative tolerance of --expect (default 1e-5)");
  AddAmount(app, "--atol", &options->atol, "absolute tolerance of --expect (default 1e-4)");
  AddCount(
      app, "--max-elements", &options->max_elements,
      "print so many elements of each tensor, list and map, 0 for all (default 8; JSON has all)");
}

}  // namespace tern::cli
