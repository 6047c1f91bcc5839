// SPDX-License-Identifier: Apache-2.0
// tern info and tern explain: what this build and this machine are, and what an error code means.
#include <algorithm>

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
    json.Field("matmul_gops", speed->gops).Field("copy_gb_per_s", speed->copy_gb_per_s).EndObject();
  }
  json.EndObject();
  return StrCat(json.Take(), "\n");
}

Status Info(bool bench, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  // Measured before anything is printed, so that a failure leaves no half of an answer.
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
  // Zero is a processor without scalable vectors, and says nothing worth a line.
  if (kernels::ScalableVectorBytes() > 0)
    Print(StrCat("sve:       ", kernels::ScalableVectorBytes() * 8, " bit\n"));
  Print(StrCat("target:    ", TextOf(info, "target"), " of", targets, "\n",
               "code:      ", StrJoin(CodeTargetsHere(), ", "), "\n",
               "threads:   ", engine.platform->pool().num_workers(), "\n",
               "operators: ", Member(info, "operators").items.size(), "\n"));
  if (bench)
    Print(StrCat("product:   ", FormatDoubleDigits(speed.gflops, 3), " GFLOP/s, ",
                 FormatDoubleDigits(speed.gops, 3), " Gop/s of a profile (f32, ", kProductExtent,
                 " x ", kProductExtent, ")\n",
                 "memory:    ", FormatDoubleDigits(speed.copy_gb_per_s, 3),
                 " GB/s read and written (copy of ", FormatBytes(kCopyBytes), ")\n"));
  return Status();
}

// Every code with its title, for who looks for one.
Status ListCodes(const GlobalOptions& globals) {
  JsonWriter json;
  json.BeginArray();
  std::string text;
  for (const text::CodeInfo& info : text::AllCodes()) {
    StrAppend(&text, info.code, "  ", info.title, "\n");
    json.BeginObject().Field("code", info.code).Field("title", info.title).EndObject();
  }
  json.EndArray();
  Print(globals.json() ? AnswerOfItems("codes", ParseAnswer(json.text()), globals.by_line())
                       : text);
  return Status();
}

// What a code without its letter or its zeros may mean: "203", "E203".
std::string_view CodeMeant(std::string_view typed) {
  const size_t begin = std::min(typed.find_first_of("0123456789"), typed.size());
  const std::string_view digits = typed.substr(begin);
  // At most one letter in front and four digits: what is longer is no slip of the pen.
  if (begin > 1 || digits.empty() || digits.size() > 4) return {};
  // Without a letter the kinds are tried in this order; with one, that letter only.
  for (const char letter : begin == 0 ? std::string_view("ESMW") : typed.substr(0, 1)) {
    const text::CodeInfo* info =
        text::FindCode(StrCat(std::string(1, letter), std::string(4 - digits.size(), '0'), digits));
    if (info != nullptr) return info->code;
  }
  return {};
}

Status NoSuchCode(const std::string& code) {
  Status status = UsageError("E0011", StrCat("there is no error code '", code, "'"));
  const std::string_view meant = CodeMeant(code);
  if (!meant.empty()) status.AddNote(StrCat("help: did you mean '", meant, "'?"));
  return std::move(status.AddNote("help: tern explain without a code lists them"));
}

Status Explain(const std::string& code, const GlobalOptions& globals) {
  if (code.empty()) return ListCodes(globals);
  const text::CodeInfo* info = text::FindCode(code);
  if (info == nullptr) return NoSuchCode(code);
  if (!globals.json()) {
    Print(StrCat(info->code, ": ", info->explanation, "\n"));
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
  app->add_option("code", *code, "such as E0203; without one, all are listed");
  return [code, globals] { return Explain(*code, *globals); };
}

}  // namespace tern::cli
