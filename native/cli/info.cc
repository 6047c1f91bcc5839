// SPDX-License-Identifier: Apache-2.0
// tern info and tern explain: what this build and this machine are, and what an error code means.
#include "core/base/strings.h"
#include "core/kernels/cpu_features.h"
#include "core/text/diagnostics.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/machine_speed.h"
#include "native/cli/report.h"
#include "native/code/object_target.h"
#include "native/platform/cpu_model.h"

namespace tern::cli {
namespace {

// The targets of native code in executables (docs/format.md) that this processor can run, the best
// first.
std::vector<std::string> CodeTargetsHere() {
  const native::Processor processor = native::DetectProcessor();
  std::vector<std::string> names;
  for (const native::ObjectTarget& target : native::AllObjectTargets()) {
    if (CheckProcessor(target, processor).ok()) names.emplace_back(target.name);
  }
  return names;
}

// What the library says of itself, then what only this program knows of the machine.
std::string InfoJson(const JsonValue& info, const Engine& engine, const MachineSpeed* speed) {
  JsonWriter json = BeginAnswer();
  for (size_t i = 0; i < info.items.size(); ++i) {
    json.Key(info.names[i]);
    WriteJson(info.items[i], &json);
  }
  json.Field("cpu", native::CpuModelName()).Field("vector_bytes", kernels::ScalableVectorBytes());
  json.Key("code_targets").BeginArray();
  for (const std::string& target : CodeTargetsHere()) json.String(target);
  json.EndArray().Field("threads", engine.platform->pool().num_workers());
  if (speed != nullptr) {
    json.Key("bench").BeginObject().Field("matmul_gflops", speed->gflops);
    json.Field("copy_gb_per_s", speed->copy_gb_per_s).EndObject();
  }
  json.EndObject();
  return StrCat(json.Take(), "\n");
}

Status Info(bool bench, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  MachineSpeed speed;
  if (bench) {
    TERN_TRY_ASSIGN(speed, MeasureMachine(engine));
  }
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_runtime_info(engine.runtime.get(), &raw)));
  const Buffer text(raw);
  const JsonValue info = ParseAnswer(Text(text));
  if (globals.json()) {
    Print(InfoJson(info, engine, bench ? &speed : nullptr));
    return Status();
  }
  std::string targets;
  for (const JsonValue& target : Member(info, "targets").items)
    StrAppend(&targets, " ", target.text);
  Print(
      StrCat("tern ", TextOf(info, "version"), "\n", "cpu:       ", native::CpuModelName(), "\n"));
  if (kernels::ScalableVectorBytes() > 0)
    Print(StrCat("sve:       ", kernels::ScalableVectorBytes() * 8, " bit\n"));
  Print(StrCat("target:    ", TextOf(info, "target"), " of", targets, "\n",
               "code:      ", StrJoin(CodeTargetsHere(), ", "), "\n",
               "threads:   ", engine.platform->pool().num_workers(), "\n",
               "operators: ", Member(info, "operators").items.size(), "\n"));
  if (bench)
    Print(StrCat("product:   ", FormatDoubleDigits(speed.gflops, 3), " GFLOP/s (f32, ",
                 kProductExtent, " x ", kProductExtent, ")\n",
                 "memory:    ", FormatDoubleDigits(speed.copy_gb_per_s, 3),
                 " GB/s read and written (copy of ", FormatBytes(kCopyBytes), ")\n"));
  return Status();
}

Status Explain(const std::string& code, const GlobalOptions& globals) {
  const text::CodeInfo* info = text::FindCode(code);
  if (info == nullptr) return UsageError("E0011", StrCat("there is no error code '", code, "'"));
  if (!globals.json()) {
    Print(StrCat(code, ": ", info->explanation, "\n"));
    return Status();
  }
  JsonWriter json = BeginAnswer();
  json.Field("code", info->code).Field("title", info->title);
  json.Field("explanation", info->explanation).EndObject();
  Print(StrCat(json.text(), "\n"));
  return Status();
}

}  // namespace

CommandAction SetupInfo(CLI::App* app, const GlobalOptions* globals) {
  auto bench = std::make_shared<bool>(false);
  app->add_flag("--bench", *bench,
                "measure a product of matrices and a copy, about a second (see --threads)");
  return [=] { return Info(*bench, *globals); };
}

CommandAction SetupExplain(CLI::App* app, const GlobalOptions* globals) {
  auto code = std::make_shared<std::string>();
  app->add_option("code", *code, "such as E0203")->required();
  return [code, globals] { return Explain(*code, *globals); };
}

}  // namespace tern::cli
