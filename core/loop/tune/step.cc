// SPDX-License-Identifier: Apache-2.0
#include "core/loop/tune/step.h"

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/loop/parser.h"
#include "core/loop/printer.h"
#include "core/loop/tune/tuner.h"

namespace tern::loop::tune {
namespace {

Result<const Target*> FindTargetOrSay(std::string_view name) {
  if (const Target* target = FindTarget(name)) return target;
  std::vector<std::string_view> names;
  for (const Target& target : AllTargets()) names.push_back(target.name);
  return NotFound("there is no loop target '", name, "'; there are ", StrJoin(names, ", "))
      .SetErrorCode("E0003");
}

std::string ResultJson(const Tuner& tuner) {
  const Tuner::Best best = tuner.best();
  JsonWriter json;
  return json.BeginObject()
      .Field("done", true)
      .Field("text", ToText(tuner.BestFile()))
      .Field("choice", best.choice)
      .Field("schedule", best.schedule)
      .Field("ratio", best.ratio)
      .Field("measured", static_cast<int64_t>(tuner.entries().size()))
      .EndObject()
      .Take();
}

std::string TrialJson(const Tuner& tuner, const Trial& trial) {
  const LogEntry entry = tuner.PendingEntry();
  JsonWriter json;
  json.BeginObject().Field("done", false).Field("text", ToText(trial.file)).Key("entry");
  json.BeginObject()
      .Field("function", entry.function)
      .Field("target", entry.target)
      .Field("program", entry.program)
      .Field("choice", entry.choice)
      .Field("schedule", entry.schedule)
      .EndObject();
  return json.EndObject().Take();
}

}  // namespace

Result<std::string> TuneStep(const StepRequest& request) {
  TERN_TRY_ASSIGN(const SourceFile file, ParseLoops(request.file_name, request.text));
  TuneOptions options;
  options.function = request.function;
  TERN_TRY_ASSIGN(options.target, FindTargetOrSay(request.target));
  options.seed = request.seed;
  options.trials = request.trials;
  options.min_gain = request.min_gain;
  TERN_TRY_ASSIGN(Tuner tuner, Tuner::Make(file, options));
  const auto sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(sources);
  tuner.Resume(ReadLog("tuning log", request.log, sources.get(), &diagnostics));
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  const Trial* trial = tuner.Next();
  return trial == nullptr ? ResultJson(tuner) : TrialJson(tuner, *trial);
}

}  // namespace tern::loop::tune
