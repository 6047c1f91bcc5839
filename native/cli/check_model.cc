// SPDX-License-Identifier: Apache-2.0
#include "native/cli/check_model.h"

#include <sys/stat.h>

#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/object/any.h"
#include "core/object/containers/sequence.h"
#include "core/onnx/read_model.h"
#include "core/onnx/test_data.h"
#include "native/cli/api_json.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"
#include "native/platform/mapped_file.h"

namespace tern::cli {
namespace {

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// The folders of data: the one that is given, or those in it.
Result<std::vector<std::string>> FindSets(const std::string& folder) {
  std::vector<std::string> sets;
  // The layout of the standard's own tests and of its model zoo.
  for (size_t i = 0; Exists(StrCat(folder, "/test_data_set_", i)); ++i)
    sets.push_back(StrCat(folder, "/test_data_set_", i));
  if (sets.empty() && Exists(StrCat(folder, "/output_0.pb"))) sets.push_back(folder);
  if (!sets.empty()) return sets;
  return IoError("'", folder, "' has neither test_data_set_0 nor output_0.pb")
      .SetErrorCode("E0101")
      .AddNote("help: --against takes a folder of the standard's test data")
      .Clone();
}

// input_0.pb, input_1.pb, … as far as they go; a model may have optional inputs behind them.
Result<std::vector<Any>> ReadValues(const std::string& set, std::string_view prefix,
                                    const std::vector<const onnx::ValueInfo*>& declared) {
  std::vector<Any> values;
  for (size_t i = 0;; ++i) {
    const std::string path = StrCat(set, "/", prefix, "_", i, ".pb");
    if (!Exists(path)) return values;
    // A file too many is told: the data are of another model then.
    if (i == declared.size())
      return InvalidArgument("'", path, "': the model has only ", i, " ", prefix, "s")
          .SetErrorCode("E0502");
    TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
    // The declared type decides between a tensor, a sequence and an optional, which look alike as
    // bytes.
    Result<Any> value = onnx::ReadTestValue(file.bytes(), declared[i]->type);
    if (!value.ok())
      return Corrupt("'", path, "': ", value.status().message()).SetErrorCode("E0502");
    values.push_back(*std::move(value));
  }
}

// What the files of a set are for: initializers that are listed as inputs have none.
struct Declared {
  std::vector<const onnx::ValueInfo*> inputs, outputs;
};

Declared DeclaredOf(const onnx::Graph& graph) {
  Declared declared;
  for (const onnx::ValueInfo& input : graph.inputs) declared.inputs.push_back(&input);
  for (const onnx::ValueInfo& output : graph.outputs) declared.outputs.push_back(&output);
  return declared;
}

struct SetResult {
  std::string folder;
  std::vector<std::pair<std::string, onnx::Comparison>> outputs;
  bool ok() const {
    for (const auto& [name, comparison] : outputs)
      if (!comparison.ok()) return false;
    return true;
  }
};

// The outputs by themselves. A sequence is one output.
Result<std::vector<Any>> TakeOutputs(Value result, size_t count) {
  std::vector<Any> outputs;
  // One output is no tuple.
  if (count == 1) {
    outputs.push_back(Any::Adopt(*result.out()));
    *result.out() = TernAny{};
    return outputs;
  }
  for (size_t i = 0; i < count; ++i) {
    TernAny item{};
    TERN_TRY(FromApi(tern_tuple_get(&result.get(), static_cast<int32_t>(i), &item)));
    outputs.push_back(Any::Adopt(item));
  }
  return outputs;
}

Result<std::vector<Any>> RunSet(const Program& program, const std::vector<Any>& inputs,
                                size_t outputs, const RunLimits& limits) {
  // A machine for each set, so that the limits hold for each.
  const tern_vm_options options = limits.ForMachine(limits.max_bytes);
  std::vector<TernAny> arguments;
  for (const Any& input : inputs) arguments.push_back(input.c_any());
  tern_vm* raw = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), &options, &raw)));
  const Machine machine(raw);
  Value result;
  TERN_TRY(FromApi(tern_vm_call(machine.get(), "main", arguments.data(),
                                static_cast<int32_t>(arguments.size()), result.out())));
  return TakeOutputs(std::move(result), outputs);
}

Result<SetResult> CheckSet(const Program& program, const std::string& folder,
                           const Declared& declared, const AgainstOptions& options) {
  TERN_TRY_ASSIGN(const std::vector<Any> inputs, ReadValues(folder, "input", declared.inputs));
  TERN_TRY_ASSIGN(const std::vector<Any> expected, ReadValues(folder, "output", declared.outputs));
  if (expected.empty()) return IoError("'", folder, "' has no output_0.pb").SetErrorCode("E0101");
  TERN_TRY_ASSIGN(const std::vector<Any> actual,
                  RunSet(program, inputs, declared.outputs.size(), options.limits));
  const onnx::Tolerance tolerance = {.rtol = options.rtol, .atol = options.atol};
  SetResult result{folder, {}};
  // Outputs without a file are not compared: data sets may leave the last ones out.
  for (size_t i = 0; i < expected.size(); ++i) {
    result.outputs.emplace_back(declared.outputs[i]->name,
                                onnx::CompareTestValues(actual[i], expected[i], tolerance));
  }
  return result;
}

std::string SetText(const SetResult& set) {
  std::string text;
  for (const auto& [name, comparison] : set.outputs) {
    StrAppend(&text, set.folder, ": ", name, ": ");
    if (!comparison.mismatch.empty()) {
      StrAppend(&text, comparison.mismatch, "\n");
      continue;
    }
    if (comparison.wrong > 0)
      StrAppend(&text, comparison.wrong, " of ", comparison.elements, " elements differ, worst ",
                name, comparison.worst, " = ", comparison.actual, ", expected ",
                comparison.expected, "\n");
    else
      StrAppend(&text, "ok, ", comparison.elements, " elements, largest difference ",
                FormatDoubleDigits(comparison.largest, 3), "\n");
  }
  return text;
}

void WriteSet(const SetResult& set, JsonWriter* json) {
  json->BeginObject().Field("folder", set.folder).Field("ok", set.ok()).Key("outputs").BeginArray();
  for (const auto& [name, comparison] : set.outputs) {
    json->BeginObject()
        .Field("name", name)
        .Field("ok", comparison.ok())
        .Field("elements", comparison.elements)
        .Field("wrong", comparison.wrong)
        .Field("largest_difference", comparison.largest);
    if (!comparison.mismatch.empty()) json->Field("mismatch", comparison.mismatch);
    if (comparison.wrong > 0) {
      json->Key("worst")
          .BeginObject()
          .Field("index", comparison.worst)
          .Field("actual", comparison.actual)
          .Field("expected", comparison.expected)
          .EndObject();
    }
    json->EndObject();
  }
  json->EndArray().EndObject();
}

Status Conclude(const std::string& model, const AgainstOptions& options,
                const std::vector<SetResult>& sets, const GlobalOptions& globals) {
  size_t wrong = 0;
  for (const SetResult& set : sets) wrong += set.ok() ? 0 : 1;
  if (globals.json()) {
    JsonWriter json = BeginAnswer();
    json.Field("file", model).Field("ok", wrong == 0).Field("rtol", options.rtol);
    json.Field("atol", options.atol).Key("sets").BeginArray();
    for (const SetResult& set : sets) WriteSet(set, &json);
    json.EndArray().EndObject();
    Print(StrCat(json.text(), "\n"));
  } else if (!globals.quiet || wrong > 0) {
    // With -q what is wrong is printed all the same.
    for (const SetResult& set : sets) Print(SetText(set));
  }
  if (wrong == 0) return Status();
  return Failed(wrong, " of ", sets.size(), " sets of test data differ from what '", model,
                "' gives")
      .SetErrorCode("M0101")
      .AddNote(StrCat("an element differs where |a-e| > ", options.atol, " + ", options.rtol,
                      "*|e|; --atol and --rtol change that"))
      .Clone();
}

}  // namespace

Status CheckAgainst(const Engine& engine, const std::string& model, const AgainstOptions& options,
                    const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(model));
  if (file.kind != ProgramKind::kOnnx)
    return UsageError("E0003", StrCat("--against: '", model, "' is no ONNX model"));
  TERN_TRY_ASSIGN(const std::vector<std::string> folders, FindSets(options.folder));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, model));
  // Read a second time for the names and types of its inputs and outputs, which the program has in
  // its own form only.
  onnx::Model read;
  TERN_TRY(onnx::ReadModel(file.file->bytes(), &read));
  const Declared declared = DeclaredOf(read.graph);
  // All sets, also behind one that differs: which of them do tells something.
  std::vector<SetResult> sets;
  for (const std::string& folder : folders) {
    TERN_TRY_ASSIGN(SetResult set, CheckSet(program, folder, declared, options));
    sets.push_back(std::move(set));
  }
  return Conclude(model, options, sets, globals);
}

}  // namespace tern::cli
