// SPDX-License-Identifier: Apache-2.0
// tern run: inputs by the grammar of input_spec.h, one function, outputs printed, written or
// compared.
#include <cmath>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "native/cli/call.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct RunOptions {
  std::string path;
  InputOptions input;
  KernelChoice kernels;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  double rtol = 1e-5;
  double atol = 1e-4;
  uint64_t max_instructions = 0;
  uint64_t max_bytes = 0;
  uint64_t max_time_ms = 0;
  bool parallel_calls = false;
  int repeat = 1;
  std::string trace;
};

// "y=@y.npy" -> {"y", "y.npy"}; a missing name means the only output.
struct NamedPath {
  std::string name;
  std::string path;
};

Result<NamedPath> ParseNamedPath(std::string_view flag, std::string_view text) {
  const size_t at = text.find('@');
  const bool named = at != std::string_view::npos && at > 0 && text[at - 1] == '=';
  if (at == std::string_view::npos || (!named && at != 0) || at + 1 == text.size()) {
    return UsageError("E0006",
                      StrCat("cannot read ", flag, " '", text, "': expected NAME=@FILE.npy"));
  }
  return NamedPath{std::string(text.substr(0, named ? at - 1 : 0)),
                   std::string(text.substr(at + 1))};
}

// A tuple result in pieces, anything else as one.
Result<std::vector<Value>> Unpack(Value result, size_t declared) {
  std::vector<Value> items;
  const int32_t count = tern_tuple_size(&result.get());
  if (count == 0 || declared == 1) {
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

std::string OutputName(const FunctionInfo& function, size_t i) {
  return i < function.results.size() && !function.results[i].name.empty() ? function.results[i].name
                                                                          : StrCat("output", i);
}

std::string IndexText(size_t flat, std::span<const int64_t> shape) {
  std::vector<std::string> parts;
  for (size_t axis = shape.size(); axis-- > 0;) {
    const size_t extent = static_cast<size_t>(shape[axis]);
    parts.insert(parts.begin(), StrCat(flat % extent));
    flat /= extent;
  }
  return StrCat("[", StrJoin(parts, ", "), "]");
}

// |a - e| <= atol + rtol |e|; NaN equals NaN.
Status Compare(const std::string& name, const Array& actual, const Array& expected,
               const RunOptions& options) {
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
    const double excess = std::fabs(a - e) - (options.atol + options.rtol * std::fabs(e));
    if (excess <= 0) continue;
    ++wrong;
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

Result<size_t> FindOutput(const FunctionInfo& function, const std::string& name, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (OutputName(function, i) == name || (name.empty() && count == 1)) return i;
  }
  Status status = UsageError("E0010", StrCat("@", function.name, " has no output '", name, "'"));
  for (size_t i = 0; i < count; ++i) status.AddNote(StrCat("output: ", OutputName(function, i)));
  return status;
}

Status WriteOutputs(const RunOptions& options, const FunctionInfo& function,
                    const std::vector<Value>& values) {
  for (const std::string& text : options.outputs) {
    TERN_TRY_ASSIGN(const NamedPath target, ParseNamedPath("--output", text));
    TERN_TRY_ASSIGN(const size_t i, FindOutput(function, target.name, values.size()));
    TERN_TRY_ASSIGN(const Array array, FromTensor(values[i].get()));
    TERN_TRY(native::WriteFile(target.path, FormatNpy(array)));
  }
  for (const std::string& text : options.expected) {
    TERN_TRY_ASSIGN(const NamedPath target, ParseNamedPath("--expect", text));
    TERN_TRY_ASSIGN(const size_t i, FindOutput(function, target.name, values.size()));
    TERN_TRY_ASSIGN(const Array actual, FromTensor(values[i].get()));
    TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(target.path));
    TERN_TRY_ASSIGN(const Array expected, ParseNpy(file.bytes(), target.path));
    TERN_TRY(Compare(OutputName(function, i), actual, expected, options));
  }
  return Status();
}

Status PrintOutputs(const GlobalOptions& globals, const FunctionInfo& function,
                    const std::vector<Value>& values) {
  if (globals.quiet) return Status();
  std::string text;
  JsonWriter json;
  json.BeginObject().Key("outputs").BeginArray();
  for (size_t i = 0; i < values.size(); ++i) {
    tern_buffer* raw = nullptr;
    const TernAny* value = &values[i].get();
    TERN_TRY(FromApi(globals.json() ? tern_any_json(value, &raw) : tern_any_text(value, &raw)));
    const Buffer rendered(raw);
    const std::string name = OutputName(function, i);
    if (globals.json())
      json.BeginObject().Field("name", name).Key("value").Raw(Text(rendered)).EndObject();
    else
      StrAppend(&text, name, ": ", Text(rendered), "\n");
  }
  json.EndArray().EndObject();
  Print(globals.json() ? StrCat(json.text(), "\n") : text);
  return Status();
}

// What is written must not replace what is read.
Status CheckOutputPaths(const RunOptions& options) {
  std::vector<std::string> written = {options.trace};
  for (const std::string& text : options.outputs) {
    TERN_TRY_ASSIGN(const NamedPath target, ParseNamedPath("--output", text));
    written.push_back(target.path);
  }
  for (const std::string& output : written) {
    TERN_TRY(CheckOutputPath(output, options.path));
    for (const std::string& input : options.input.inputs) {
      const size_t at = input.find('@');
      if (at != std::string::npos) TERN_TRY(CheckOutputPath(output, input.substr(at + 1)));
    }
  }
  return Status();
}

Result<Value> Call(const Program& program, const RunOptions& options,
                   const std::vector<Value>& arguments) {
  const tern_vm_options limits = {.struct_size = sizeof limits,
                                  .max_instructions = options.max_instructions,
                                  .max_bytes = options.max_bytes,
                                  .max_depth = 0,
                                  .reserved = 0,
                                  .max_time_ms = options.max_time_ms};
  tern_vm* raw = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), &limits, &raw)));
  const Machine machine(raw);
  if (options.parallel_calls) TERN_TRY(FromApi(tern_vm_set_parallel_calls(raw, 1)));
  const std::vector<TernAny> args = Borrow(arguments);
  Value result;
  for (int i = 0; i < options.repeat; ++i) {
    result = Value();
    TERN_TRY(FromApi(tern_vm_call(machine.get(), options.input.function.c_str(), args.data(),
                                  static_cast<int32_t>(args.size()), result.out())));
  }
  return result;
}

// The same under a debugger, whose record of the run is written, however it ends.
Result<Value> CallTraced(const Program& program, const RunOptions& options,
                         const std::vector<Value>& arguments) {
  const tern_debug_options limits = {.struct_size = sizeof limits,
                                     .max_steps = options.max_instructions,
                                     .max_bytes = options.max_bytes,
                                     .max_time_ms = options.max_time_ms,
                                     .max_depth = 0,
                                     .reserved = 0,
                                     .trace_bytes = 0,
                                     .trace_steps = 0};
  tern_debugger* raw = nullptr;
  TERN_TRY(FromApi(tern_debugger_create(program.get(), &limits, &raw)));
  const Debugger debugger(raw);
  const std::vector<TernAny> args = Borrow(arguments);
  TERN_TRY(FromApi(tern_debugger_begin(raw, options.input.function.c_str(), args.data(),
                                       static_cast<int32_t>(args.size()))));
  tern_buffer* stop = nullptr;
  TERN_TRY(FromApi(tern_debugger_run(raw, TERN_DEBUG_CONTINUE, 0, 0, &stop)));
  tern_buffer_free(stop);
  TERN_TRY(WriteTrace(raw, options.trace));
  Value result;
  TERN_TRY(FromApi(tern_debugger_result(raw, result.out())));
  return result;
}

Status Run(const RunOptions& options, const GlobalOptions& globals) {
  TERN_TRY(CheckOutputPaths(options));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, options.input.function));
  TERN_TRY_ASSIGN(const std::vector<NamedArray> inputs, BindInputs(options.input, function));
  TERN_TRY_ASSIGN(const std::vector<Value> arguments, ToTensors(engine, inputs));
  Result<Value> result = options.trace.empty() ? Call(program, options, arguments)
                                               : CallTraced(program, options, arguments);
  if (!result.ok()) {
    Status status = std::move(result).status();
    for (const NamedArray& input : inputs) status.AddNote(StrCat("from --input ", input.origin));
    return status;
  }
  TERN_TRY_ASSIGN(const std::vector<Value> values,
                  Unpack(std::move(*result), function.results.size()));
  TERN_TRY(PrintOutputs(globals, function, values));
  return WriteOutputs(options, function, values);
}

}  // namespace

CommandAction SetupRun(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<RunOptions>();
  app->add_option("program", options->path, "an executable, .tasm text or an ONNX model")
      ->required();
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  app->add_option("--output", options->outputs, "write an output, NAME=@FILE.npy");
  app->add_option("--expect", options->expected, "compare an output, NAME=@FILE.npy");
  app->add_option("--rtol", options->rtol, "relative tolerance of --expect (default 1e-5)");
  app->add_option("--atol", options->atol, "absolute tolerance of --expect (default 1e-4)");
  app->add_option("--max-steps", options->max_instructions, "stop after so many instructions");
  app->add_option("--max-memory", options->max_bytes, "stop when tensors take more bytes than this")
      ->transform(CLI::AsSizeValue(false));
  app->add_option("--timeout", options->max_time_ms, "stop after so many milliseconds");
  auto* together = app->add_flag("--parallel-calls", options->parallel_calls,
                                 "run operators that do not depend on each other together");
  app->add_option("--trace", options->trace,
                  "write what the run did to this file (.terntrace; .json for JSON)")
      ->excludes(together);
  app->add_option("--repeat", options->repeat, "run so many times on one machine")
      ->check(CLI::PositiveNumber);
  return [options, globals] { return Run(*options, *globals); };
}

}  // namespace tern::cli
