// SPDX-License-Identifier: Apache-2.0
#include "core/loop/lowering_report.h"

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/loop/parser.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/printer.h"
#include "core/loop/run/workspace.h"
#include "core/loop/te/lower.h"

namespace tern::loop {
namespace {

Status BadOption(std::string_view option, std::string_view value,
                 std::span<const std::string_view> known) {
  Status status = InvalidArgument("--", option, ": there is no '", value, "'");
  status.AddNote(StrCat("help: there are ", StrJoin(known, ", ")));
  return std::move(status).SetErrorCode("E0003");
}

Result<std::vector<Strategy>> ParseStrategies(std::string_view text) {
  std::vector<Strategy> strategies;
  for (std::string_view name : StrSplit(text, ',')) {
    const Strategy* strategy = FindStrategy(StrTrim(name));
    if (strategy == nullptr) return BadOption("strategy", name, StrategyNames());
    strategies.push_back(*strategy);
  }
  return strategies;
}

Result<const Target*> ParseTarget(std::string_view name) {
  if (const Target* target = FindTarget(name)) return target;
  std::vector<std::string_view> names;
  for (const Target& target : AllTargets()) names.push_back(target.name);
  return BadOption("target", name, names);
}

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

Result<std::vector<StageText>> CollectStages(const LoweringRequest& request, const SourceFile& file,
                                             Strategy strategy) {
  StageCollector collector{request.vl_form ? PrintForm::kVL : PrintForm::kExplicit, {}};
  for (const te::Definition& definition : file.definitions) collector.Add("te", ToText(definition));
  LoweringOptions options;
  options.strategy = strategy;
  TERN_TRY_ASSIGN(options.target, ParseTarget(request.target));
  options.sink = &StageCollector::Sink;
  options.sink_context = &collector;
  TERN_TRY(tern::internal::TakeStatus(LowerFile(file, options)));
  return std::move(collector.stages);
}

// wanted: names separated by commas, "all", or "" for the last.
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
    return BadOption("stage", name, names);
  }
  return picked;
}

// What one run counted.
struct CountRow {
  Strategy strategy;
  int64_t n, vscale;
  Counters counters;
};

void WriteRow(const CountRow& row, JsonWriter* json) {
  const Counters& c = row.counters;
  json->BeginObject()
      .Field("strategy", StrategyName(row.strategy))
      .Field("n", row.n)
      .Field("vscale", row.vscale)
      .Field("vector_iterations", c.vector_iterations)
      .Field("scalar_iterations", c.scalar_iterations)
      .Field("last_active", c.last_active)
      .Field("utilisation", c.utilisation());
  json->Key("instructions").BeginObject();
  for (InstructionClass each :
       {InstructionClass::kLoad, InstructionClass::kStore, InstructionClass::kArith,
        InstructionClass::kPredicate, InstructionClass::kControl})
    json->Field(InstructionClassName(each), c.Of(each));
  json->EndObject()
      .Field("bytes_loaded", c.bytes_loaded)
      .Field("bytes_stored", c.bytes_stored)
      .EndObject();
}

std::string CountsJson(std::span<const CountRow> rows) {
  JsonWriter json(2);
  json.BeginObject().Key("counts").BeginArray();
  for (const CountRow& row : rows) WriteRow(row, &json);
  json.EndArray().EndObject();
  return json.Take() + "\n";
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

// The values of the size parameters, and n as it is reported.
struct Sizes {
  std::vector<int64_t> values;
  int64_t n = 0;
};

Result<Sizes> ChooseSizes(const LoopFunction& function, const CountRequest& counts) {
  Sizes sizes;
  for (const auto& [name, value] : counts.sizes) {
    bool known = false;
    for (const VarPtr& size : function.sizes) known |= size->name == name;
    if (!known)
      return NotFound("'", function.name, "' has no size '", name, "'").SetErrorCode("E0005");
    if (value < 0) return InvalidArgument("the size '", name, "' is ", value).SetErrorCode("E0005");
  }
  for (const VarPtr& size : function.sizes) {
    int64_t value = counts.n;
    for (const auto& [name, given] : counts.sizes) {
      if (name == size->name) value = given;
    }
    if (value < 0)
      return InvalidArgument("the size '", size->name, "' of '", function.name, "' has no value")
          .AddNote(StrCat("help: give one to every size by --n, or to this one by --dim ",
                          size->name, "=18"))
          .SetErrorCode("E0005");
    sizes.values.push_back(value);
  }
  sizes.n = sizes.values.empty() ? -1 : sizes.values[0];
  if (sizes.n >= 0) return sizes;
  for (const BufferPtr& buffer : function.buffers) {
    const IntImm* extent = buffer->shape.empty() ? nullptr : AsInt(buffer->shape[0]);
    if (extent != nullptr && sizes.n < 0) sizes.n = extent->value;
  }
  return sizes;
}

Result<const LoopFunction*> ChooseFunction(const Program& program, std::string_view name) {
  if (program.functions.empty()) return NotFound("the file has no function").SetErrorCode("E0206");
  if (name.empty()) return &program.functions[0];
  if (const LoopFunction* function = program.Find(name)) return function;
  return NotFound("there is no function '", name, "' in the file").SetErrorCode("E0206");
}

Status CountStrategy(const LoweringRequest& request, const CountRequest& counts,
                     const SourceFile& file, Strategy strategy, std::vector<CountRow>* rows) {
  LoweringOptions options;
  options.strategy = strategy;
  TERN_TRY_ASSIGN(options.target, ParseTarget(request.target));
  TERN_TRY_ASSIGN(const Program program, LowerFile(file, options));
  TERN_TRY_ASSIGN(const LoopFunction* function, ChooseFunction(program, counts.function));
  TERN_TRY_ASSIGN(const Sizes sizes, ChooseSizes(*function, counts));
  TERN_TRY_ASSIGN(const Interpreter interpreter, Interpreter::Make(*function));
  for (int64_t vscale : counts.vscales) {
    TERN_TRY_ASSIGN(Workspace workspace, Workspace::Make(*function, sizes.values));
    RunOptions run;
    run.vscale = vscale;
    run.max_steps = counts.max_steps;
    TERN_TRY_ASSIGN(const Counters counters, interpreter.Run(workspace.arguments(), run));
    rows->push_back({strategy, sizes.n, vscale, counters});
  }
  return OkStatus();
}

}  // namespace

Result<std::string> ReportStages(const LoweringRequest& request) {
  TERN_TRY_ASSIGN(const SourceFile file, ParseLoops(request.file_name, request.text));
  TERN_TRY_ASSIGN(const std::vector<Strategy> strategies, ParseStrategies(request.strategies));
  std::string out;
  JsonWriter json(2);
  json.BeginObject().Key("stages").BeginArray();
  for (Strategy strategy : strategies) {
    TERN_TRY_ASSIGN(std::vector<StageText> stages, CollectStages(request, file, strategy));
    TERN_TRY_ASSIGN(stages, PickStages(std::move(stages), request.stage));
    const bool headed = stages.size() > 1 || strategies.size() > 1;
    for (const StageText& stage : stages) {
      if (headed) StrAppend(&out, "// ", StrategyName(strategy), ": ", stage.name, "\n");
      StrAppend(&out, stage.text, headed ? "\n" : "");
      json.BeginObject()
          .Field("strategy", StrategyName(strategy))
          .Field("stage", stage.name)
          .Field("text", stage.text)
          .EndObject();
    }
  }
  json.EndArray().EndObject();
  return request.json ? json.Take() + "\n" : out;
}

Result<std::string> ReportCounts(const LoweringRequest& request, const CountRequest& counts) {
  TERN_TRY_ASSIGN(const SourceFile file, ParseLoops(request.file_name, request.text));
  TERN_TRY_ASSIGN(const std::vector<Strategy> strategies, ParseStrategies(request.strategies));
  std::vector<CountRow> rows;
  for (Strategy strategy : strategies)
    TERN_TRY(CountStrategy(request, counts, file, strategy, &rows));
  return request.json ? CountsJson(rows) : CountsTable(rows);
}

}  // namespace tern::loop
