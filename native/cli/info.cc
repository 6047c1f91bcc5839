// SPDX-License-Identifier: Apache-2.0
// tern info and explain: this build, this machine, and what an error code means.
#include <nlohmann/json.hpp>

#include "core/base/strings.h"
#include "native/cli/command.h"
#include "native/cli/report.h"
#include "native/objects/object_target.h"
#include "native/platform/cpu_features.h"

namespace tern::cli {
namespace {

// Of native code in executables (docs/format.md), what this processor can run, the best first.
std::vector<std::string> CodeTargetsHere() {
  const native::Processor processor = native::DetectProcessor();
  std::vector<std::string> names;
  for (const native::ObjectTarget& target : native::AllObjectTargets()) {
    if (CheckProcessor(target, processor).ok()) names.emplace_back(target.name);
  }
  return names;
}

Status Info(const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_runtime_info(engine.runtime.get(), &raw)));
  const Buffer text(raw);
  nlohmann::json info = nlohmann::json::parse(Text(text));
  info["cpu"] = native::CpuModelName();
  info["vector_bytes"] = native::ScalableVectorBytes();
  info["code_targets"] = CodeTargetsHere();
  info["threads"] = engine.platform->pool().num_workers();
  if (globals.json()) {
    Print(info.dump() + "\n");
    return Status();
  }
  std::string targets;
  for (const nlohmann::json& target : info.at("targets"))
    StrAppend(&targets, " ", target.get<std::string>());
  Print(StrCat("tern ", info.at("version").get<std::string>(), "\n",
               "cpu:       ", info.at("cpu").get<std::string>(), "\n"));
  if (native::ScalableVectorBytes() > 0)
    Print(StrCat("sve:       ", native::ScalableVectorBytes() * 8, " bit\n"));
  Print(StrCat("target:    ", info.at("target").get<std::string>(), " of", targets, "\n",
               "code:      ", StrJoin(CodeTargetsHere(), ", "), "\n",
               "threads:   ", engine.platform->pool().num_workers(), "\n",
               "operators: ", info.at("operators").size(), "\n"));
  return Status();
}

Status Explain(const std::string& code) {
  const char* text = tern_explain(code.c_str());
  if (text == nullptr) return UsageError("E0011", StrCat("there is no error code '", code, "'"));
  Print(StrCat(code, ": ", text, "\n"));
  return Status();
}

}  // namespace

CommandAction SetupInfo(CLI::App*, const GlobalOptions* globals) {
  return [globals] { return Info(*globals); };
}

CommandAction SetupExplain(CLI::App* app, const GlobalOptions*) {
  auto code = std::make_shared<std::string>();
  app->add_option("code", *code, "such as E0203")->required();
  return [code] { return Explain(*code); };
}

}  // namespace tern::cli
