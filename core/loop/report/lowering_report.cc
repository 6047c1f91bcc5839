// SPDX-License-Identifier: Apache-2.0
#include "core/loop/report/lowering_report.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/base/unknown_name.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/report/report_parts.h"
#include "core/loop/run/workspace.h"
#include "core/loop/te/lower.h"
#include "core/loop/text/printer.h"

namespace tern::loop {
namespace {

// The text of all functions after one stage.
struct StageText {
  std::string name, text;
};

// Collects what LowerFile shows, the functions of one stage together.
struct StageCollector {
  PrintForm form;
  std::vector<StageText> stages;

  void Add(std::string_view stage, std::string text) {
    for (StageText& known : stages) {
      if (known.name != stage) continue;
      known.text += "\n" + text;
      return;
    }
    stages.push_back({std::string(stage), std::move(text)});
  }
  static void Sink(void* self, std::string_view stage, const LoopFunction& function) {
    auto* collector = static_cast<StageCollector*>(self);
    collector->Add(stage, ToText(function, collector->form));
  }
};

// Runs the whole pipeline even if one stage is wanted: errors of later stages are told too.
Result<std::vector<StageText>> CollectStages(const LoweringRequest& request, const SourceFile& file,
                                             Strategy strategy) {
  StageCollector collector{request.vl_form ? PrintForm::kVL : PrintForm::kExplicit, {}};
  for (const te::Definition& definition : file.definitions) collector.Add("te", ToText(definition));
  LoweringOptions options;
  options.strategy = strategy;
  TERN_TRY_ASSIGN(options.target, NamedTarget(request.target));
  options.sink = &StageCollector::Sink;
  options.sink_context = &collector;
  TERN_TRY(tern::internal::TakeStatus(LowerFile(file, options)));
  return std::move(collector.stages);
}

// wanted: names separated by commas, "all", or "" for the last. The result has the order of the
// names.
Result<std::vector<StageText>> PickStages(std::vector<StageText> stages, std::string_view wanted) {
  if (wanted == "all" || stages.empty()) return stages;
  if (wanted.empty()) return std::vector<StageText>{stages.back()};
  std::vector<StageText> picked;
  for (std::string_view name : StrSplit(wanted, ',')) {
    const size_t before = picked.size();
    for (const StageText& stage : stages) {
      if (stage.name == StrTrim(name)) picked.push_back(stage);
    }
    if (picked.size() > before) continue;
    std::vector<std::string_view> names = {"all"};
    for (const StageText& stage : stages) names.push_back(stage.name);
    return UnknownName("stage", StrTrim(name), names).SetErrorCode("E0003").Clone();
  }
  return picked;
}

// The program after one stage under one strategy.
struct StageRow {
  Strategy strategy;
  StageText stage;
};

// The wanted stages of each strategy, strategy by strategy.
Result<std::vector<StageRow>> StagesOf(const LoweringRequest& request, const SourceFile& file,
                                       std::span<const Strategy> strategies) {
  std::vector<StageRow> rows;
  for (Strategy strategy : strategies) {
    TERN_TRY_ASSIGN(std::vector<StageText> stages, CollectStages(request, file, strategy));
    TERN_TRY_ASSIGN(stages, PickStages(std::move(stages), request.stage));
    for (StageText& stage : stages) rows.push_back({strategy, std::move(stage)});
  }
  return rows;
}

// With a line above each where there are several.
std::string StagesText(std::span<const StageRow> rows) {
  if (rows.size() == 1) return rows[0].stage.text;
  std::string out;
  for (const StageRow& row : rows)
    StrAppend(&out, "// ", StrategyName(row.strategy), ": ", row.stage.name, "\n", row.stage.text,
              "\n");
  return out;
}

// The key "stages" of the object that is open.
void WriteStages(std::span<const StageRow> rows, JsonWriter* json) {
  json->Key("stages").BeginArray();
  for (const StageRow& row : rows) {
    json->BeginObject()
        .Field("strategy", StrategyName(row.strategy))
        .Field("stage", row.stage.name)
        .Field("text", row.stage.text)
        .EndObject();
  }
  json->EndArray();
}

// What one run counted.
struct CountRow {
  Strategy strategy;
  int64_t n, vscale;
  Counters counters;
};

// The key "counts" of the object that is open.
void WriteCounts(std::span<const CountRow> rows, JsonWriter* json) {
  json->Key("counts").BeginArray();
  for (const CountRow& row : rows) {
    json->BeginObject()
        .Field("strategy", StrategyName(row.strategy))
        .Field("n", row.n)
        .Field("vscale", row.vscale);
    WriteCounters(row.counters, json);
    json->EndObject();
  }
  json->EndArray();
}

// Columns as wide as their longest entry, numbers to the right.
std::string Table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      StrAppend(&out, i == 0 ? "" : "  ", i == 0 ? row[i] : space, i == 0 ? space : row[i]);
    }
    out += '\n';
  }
  return out;
}

// One line for each run, in the order of the runs.
std::string CountsTable(std::span<const CountRow> rows) {
  std::vector<std::vector<std::string>> cells = {{"strategy", "n", "vscale", "vector", "scalar",
                                                  "last", "used", "load", "store", "arith",
                                                  "predicate", "control", "loaded", "stored"}};
  for (const CountRow& row : rows) {
    const Counters& c = row.counters;
    std::vector<std::string> line = {std::string(StrategyName(row.strategy)),
                                     StrCat(row.n),
                                     StrCat(row.vscale),
                                     StrCat(c.vector_iterations),
                                     StrCat(c.scalar_iterations),
                                     StrCat(c.last_active),
                                     FormatDoubleDigits(c.utilisation() * 100, 3) + "%"};
    for (InstructionClass each :
         {InstructionClass::kLoad, InstructionClass::kStore, InstructionClass::kArith,
          InstructionClass::kPredicate, InstructionClass::kControl})
      line.push_back(StrCat(c.Of(each)));
    line.push_back(StrCat(c.bytes_loaded));
    line.push_back(StrCat(c.bytes_stored));
    cells.push_back(std::move(line));
  }
  return Table(cells);
}

// Lowers once and runs at every n with every vscale.
Status CountStrategy(const LoweringRequest& request, const CountRequest& counts,
                     const SourceFile& file, Strategy strategy, std::vector<CountRow>* rows) {
  LoweringOptions options;
  options.strategy = strategy;
  TERN_TRY_ASSIGN(options.target, NamedTarget(request.target));
  TERN_TRY_ASSIGN(const Program program, LowerFile(file, options));
  TERN_TRY_ASSIGN(const LoopFunction* function, ChooseFunction(program, counts.function));
  TERN_TRY_ASSIGN(const Interpreter interpreter, Interpreter::Make(*function));
  for (int64_t n : counts.n) {
    TERN_TRY_ASSIGN(const RunSizes sizes, ChooseRunSizes(*function, counts.sizes, n));
    for (int64_t vscale : counts.vscales) {
      // A new workspace for each run, because a run changes its buffers.
      TERN_TRY_ASSIGN(Workspace workspace, Workspace::Make(*function, sizes.values));
      RunOptions run;
      run.vscale = vscale;
      run.max_steps = counts.max_steps;
      TERN_TRY_ASSIGN(const Counters counters, interpreter.Run(workspace.arguments(), run));
      rows->push_back({strategy, sizes.n, vscale, counters});
    }
  }
  return OkStatus();
}

}  // namespace

Result<std::string> ReportStages(const LoweringRequest& request) {
  TERN_TRY_ASSIGN(const SourceFile file, ParseReported(request));
  TERN_TRY_ASSIGN(const std::vector<Strategy> strategies, ParseStrategies(request.strategies));
  TERN_TRY_ASSIGN(const std::vector<StageRow> stages, StagesOf(request, file, strategies));
  if (!request.json) return StagesText(stages);
  JsonWriter json;
  WriteStages(stages, &json.BeginObject());
  return json.EndObject().Take();
}

Result<std::string> ReportCounts(const LoweringRequest& request, const CountRequest& counts) {
  TERN_TRY_ASSIGN(const SourceFile file, ParseReported(request));
  TERN_TRY_ASSIGN(const std::vector<Strategy> strategies, ParseStrategies(request.strategies));
  std::vector<StageRow> stages;
  if (!request.stage.empty()) {
    TERN_TRY_ASSIGN(stages, StagesOf(request, file, strategies));
  }
  std::vector<CountRow> rows;
  for (Strategy strategy : strategies)
    TERN_TRY(CountStrategy(request, counts, file, strategy, &rows));
  if (!request.json)
    // Text: stages first, then the table. An empty line separates a single stage from it.
    return StrCat(StagesText(stages), stages.size() == 1 ? "\n" : "", CountsTable(rows));
  JsonWriter json;
  json.BeginObject();
  if (!stages.empty()) WriteStages(stages, &json);
  WriteCounts(rows, &json);
  return json.EndObject().Take();
}

}  // namespace tern::loop
