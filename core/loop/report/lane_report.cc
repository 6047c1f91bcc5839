// SPDX-License-Identifier: Apache-2.0
#include "core/loop/report/lane_report.h"

#include <algorithm>

#include "core/loop/passes/pipeline.h"
#include "core/loop/report/lane_collector.h"
#include "core/loop/report/report_parts.h"
#include "core/loop/run/workspace.h"

namespace tern::loop {
namespace {

// All counters but `steps`, which differ by design.
bool SameCounts(const Counters& a, const Counters& b) {
  return a.vector_iterations == b.vector_iterations && a.scalar_iterations == b.scalar_iterations &&
         a.last_active == b.last_active && a.active_lanes == b.active_lanes &&
         a.issued_lanes == b.issued_lanes &&
         std::equal(std::begin(a.instructions), std::end(a.instructions),
                    std::begin(b.instructions)) &&
         a.bytes_loaded == b.bytes_loaded && a.bytes_stored == b.bytes_stored;
}

// Whether the run was repeated in full, and with what result.
enum class Checked : int8_t { kNo, kSame, kDiffers };

// One strategy at one vscale.
class LaneRun {
 public:
  LaneRun(const LaneRequest& request, const Interpreter& interpreter, int64_t vscale)
      : request_(request),
        interpreter_(interpreter),
        collector_(interpreter.function(), Shown(request)) {
    options_.vscale = vscale;
    options_.max_steps = request.max_steps;
  }

  Status Run() {
    TERN_TRY_ASSIGN(sizes_, ChooseRunSizes(interpreter_.function(), request_.sizes, request_.n));
    TERN_TRY_ASSIGN(elements_, ElementCounts(interpreter_.function(), sizes_.values));
    if (ShowsIterations()) options_.observer = &collector_;
    // What runs depends on data, so that data must be made up and everything run.
    if (interpreter_.control_reads_memory()) {
      TERN_TRY_ASSIGN(counters_, RunInFull(options_));
      return OkStatus();
    }
    // The same scalars as Workspace makes by default, so that Check compares equal runs.
    uint64_t seed = 1;
    const std::vector<uint64_t> scalars = MadeUpScalars(interpreter_.function(), &seed);
    TERN_TRY_ASSIGN(counters_,
                    interpreter_.RunControl(sizes_.values, scalars, options_, Shown(request_)));
    return Check();
  }

  // One object of the array "lanes".
  void Write(Strategy strategy, JsonWriter* json) {
    json->BeginObject()
        .Field("strategy", StrategyName(strategy))
        .Field("n", sizes_.n)
        .Field("vscale", options_.vscale)
        .Field("function", interpreter_.function().name);
    json->Key("sizes").BeginObject();
    for (size_t i = 0; i < sizes_.values.size(); ++i)
      json->Field(interpreter_.function().sizes[i]->name, sizes_.values[i]);
    json->EndObject();
    WriteCounters(counters_, json);
    json->Field("active_lanes", counters_.active_lanes)
        .Field("issued_lanes", counters_.issued_lanes)
        .Field("method", interpreter_.control_reads_memory() ? "run" : "control");
    // null: the run was not repeated.
    json->Key("checked");
    if (checked_ == Checked::kNo)
      json->Null();
    else
      json->Bool(checked_ == Checked::kSame);
    if (ShowsIterations()) collector_.Write(elements_, json);
    json->EndObject();
  }

 private:
  // Which iterations the report shows, in the form that the interpreter takes.
  static ControlOptions Shown(const LaneRequest& request) {
    return {request.head, request.tail, request.first, request.count};
  }
  bool ShowsIterations() const {
    return request_.head > 0 || request_.tail > 0 || request_.count > 0;
  }

  Result<Counters> RunInFull(const RunOptions& options) const {
    TERN_TRY_ASSIGN(Workspace workspace, Workspace::Make(interpreter_.function(), sizes_.values));
    return interpreter_.Run(workspace.arguments(), options);
  }

  // Small runs are repeated in full as a check on CountAlike.
  Status Check() {
    const int64_t lanes = counters_.issued_lanes, scalars = counters_.scalar_iterations;
    if (lanes > request_.check_lanes || scalars > request_.check_lanes - lanes) return OkStatus();
    RunOptions options = options_;
    // The collector has seen the iterations already.
    options.observer = nullptr;
    TERN_TRY_ASSIGN(const Counters counted, RunInFull(options));
    checked_ = SameCounts(counted, counters_) ? Checked::kSame : Checked::kDiffers;
    return OkStatus();
  }

  const LaneRequest& request_;
  const Interpreter& interpreter_;
  LaneCollector collector_;
  RunOptions options_;
  RunSizes sizes_;
  std::vector<int64_t> elements_;
  Counters counters_;
  Checked checked_ = Checked::kNo;
};

// Lowers once and runs at every vscale.
Status ReportStrategy(const LoweringRequest& request, const LaneRequest& lanes,
                      const SourceFile& file, Strategy strategy, JsonWriter* json) {
  LoweringOptions options;
  options.strategy = strategy;
  TERN_TRY_ASSIGN(options.target, NamedTarget(request.target));
  TERN_TRY_ASSIGN(const Program program, LowerFile(file, options));
  TERN_TRY_ASSIGN(const LoopFunction* function, ChooseFunction(program, lanes.function));
  TERN_TRY_ASSIGN(const Interpreter interpreter, Interpreter::Make(*function));
  for (int64_t vscale : lanes.vscales) {
    LaneRun run(lanes, interpreter, vscale);
    TERN_TRY(run.Run());
    run.Write(strategy, json);
  }
  return OkStatus();
}

// Checked because the rows kept while iterations are alike are not bounded otherwise.
Status CheckShown(const LaneRequest& lanes) {
  constexpr int64_t kMaxEnds = 64;
  const auto most = static_cast<int64_t>(LaneCollector::kMaxRows);
  const bool ends_fit =
      std::min(lanes.head, lanes.tail) >= 0 && std::max(lanes.head, lanes.tail) <= kMaxEnds;
  if (ends_fit && lanes.first >= 0 && lanes.count >= 0 && lanes.count <= most) return OkStatus();
  return InvalidArgument("iterations to show: expected head and tail from 0 to ", kMaxEnds,
                         ", first of at least 0, count from 0 to ", most, "; got ", lanes.head,
                         ", ", lanes.tail, ", ", lanes.first, ", ", lanes.count)
      .SetErrorCode("E0003");
}

}  // namespace

Result<std::string> ReportLanes(const LoweringRequest& request, const LaneRequest& lanes) {
  TERN_TRY(CheckShown(lanes));
  TERN_TRY_ASSIGN(const SourceFile file, ParseReported(request));
  TERN_TRY_ASSIGN(const std::vector<Strategy> strategies, ParseStrategies(request.strategies));
  JsonWriter json;
  json.BeginObject().Key("lanes").BeginArray();
  for (Strategy strategy : strategies)
    TERN_TRY(ReportStrategy(request, lanes, file, strategy, &json));
  return json.EndArray().EndObject().Take() + "\n";
}

}  // namespace tern::loop
