// SPDX-License-Identifier: Apache-2.0
// tern bench: runs one function over and over on one machine and prints cold and warm times with
// percentiles, for one size or a sweep over several, beside those of an earlier run. The first call
// is cold: it makes what later calls reuse.
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/bench_baseline.h"
#include "native/cli/call.h"
#include "native/cli/limits.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"
#include "native/platform/cpu_model.h"

namespace tern::cli {
namespace {

struct BenchOptions {
  std::string path;
  InputOptions input;
  KernelChoice kernels;
  RunLimits limits;
  std::string baseline;
  double min_seconds = 1;
  double warmup_seconds = 0.2;
};

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds of one call. The result is released outside of the measured time.
Result<double> TimeOnce(const Machine& machine, const std::string& function,
                        const std::vector<TernAny>& args) {
  const Clock::time_point start = Clock::now();
  Value result;
  TERN_TRY(FromApi(tern_vm_call(machine.get(), function.c_str(), args.data(),
                                static_cast<int32_t>(args.size()), result.out())));
  return SecondsSince(start);
}

Result<BenchFigures> MeasureCalls(const Machine& machine, const BenchOptions& options,
                                  const std::vector<TernAny>& args, const std::string& dims) {
  TERN_TRY_ASSIGN(const double cold, TimeOnce(machine, options.input.function, args));
  // Warming up is a time and not a count, so that small and large functions both reach a steady
  // clock.
  for (const Clock::time_point start = Clock::now();
       SecondsSince(start) < options.warmup_seconds;) {
    TERN_TRY(TimeOnce(machine, options.input.function, args));
  }
  std::vector<double> warm;
  const Clock::time_point start = Clock::now();
  // At least one run, however long it takes.
  do {
    TERN_TRY_ASSIGN(const double seconds, TimeOnce(machine, options.input.function, args));
    warm.push_back(seconds);
  } while (SecondsSince(start) < options.min_seconds);
  return FiguresOf(dims, cold, std::move(warm));
}

// --- sweeps

// Each --dim of several values, n=1,8,32, as one --dim of each: every combination, in the order of
// the command line. One combination if none has several.
Result<std::vector<std::vector<std::string>>> ExpandDims(const std::vector<std::string>& dims) {
  // Sizes multiply: two options of a hundred values are ten thousand measurements.
  constexpr size_t kMost = 1000;
  std::vector<std::vector<std::string>> all(1);
  for (const std::string& dim : dims) {
    const size_t equals = std::min(dim.find('='), dim.size());
    const std::vector<std::string_view> values =
        StrSplit(std::string_view(dim).substr(std::min(equals + 1, dim.size())), ',');
    if (all.size() * values.size() > kMost)
      return UsageError("E0005", StrCat("--dim gives more than ", kMost, " sizes to measure"));
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& before : all) {
      for (const std::string_view value : values) {
        longer.push_back(before);
        longer.back().push_back(
            StrCat(dim.substr(0, equals), equals < dim.size() ? "=" : "", value));
      }
    }
    all = std::move(longer);
  }
  return all;
}

Result<BenchFigures> MeasureSize(const Engine& engine, const Machine& machine,
                                 const FunctionInfo& function, BenchOptions options,
                                 const std::vector<std::string>& dims) {
  options.input.dims = dims;
  options.input.fill_missing = true;
  // One machine serves every size, so its limit cannot be what the inputs of one leave.
  MemoryBudget budget = {.limit = options.limits.max_bytes};
  TERN_TRY_ASSIGN(const std::vector<NamedArray> inputs,
                  BindInputs(options.input, function, &budget));
  TERN_TRY_ASSIGN(const std::vector<Value> arguments, ToTensors(engine, inputs));
  return MeasureCalls(machine, options, Borrow(arguments), StrJoin(dims, " "));
}

// --- the report

struct BenchReport {
  double load_ms = 0;
  std::vector<BenchFigures> sizes;
  bool is_sweep = false;
  std::string version, target, cpu;
  int threads = 1;
  std::string kernels;             // "compiled", "interpreter, object"; empty: the program has none
  std::vector<std::string> notes;  // what may have disturbed
  std::vector<BenchFigures> baseline;
  bool has_baseline = false;

  // By the text of its dimensions, so that a sweep may be compared with one that had more sizes or
  // another order.
  const BenchFigures* BaseOf(const BenchFigures& figures) const {
    for (const BenchFigures& base : baseline)
      if (base.dims == figures.dims) return &base;
    return nullptr;
  }
};

// How the loop kernels of the program run, each way once.
Result<std::string> BackendsOf(const Program& program) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_kernels(program.get(), &raw)));
  const Buffer text(raw);
  std::vector<std::string> names;
  for (const JsonValue& kernel : ParseAnswer(Text(text)).items) {
    const std::string backend = OptionalTextOf(kernel, "backend");
    if (!backend.empty() && std::find(names.begin(), names.end(), backend) == names.end())
      names.push_back(backend);
  }
  std::sort(names.begin(), names.end());
  return StrJoin(names, ", ");
}

std::string FirstLine(const char* path) {
  const Result<native::MappedFile> file = native::MappedFile::Open(path);
  if (!file.ok()) return {};
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  return std::string(StrTrim(text.substr(0, text.find('\n'))));
}

// Times that depend on more than the program.
std::vector<std::string> Disturbances() {
  std::vector<std::string> notes;
  double load = 0;
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  // More than half of the processors, because the threads of this program are part of the load.
  if (getloadavg(&load, 1) == 1 && load > 0.5 * processors)
    notes.push_back(StrCat("other programs run: load ", FormatDoubleDigits(load, 3), " on ",
                           processors, " processors"));
  // Of the first processor, which stands for all; a system without the file has nothing to say.
  const std::string governor = FirstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty() && governor != "performance")
    notes.push_back(StrCat("the processor's clock may change: governor ", governor));
  return notes;
}

void WriteSize(const BenchReport& report, const BenchFigures& figures, JsonWriter* json) {
  WriteFigures(figures, json);
  if (!report.has_baseline) return;
  const BenchFigures* const base = report.BaseOf(figures);
  if (base == nullptr) {
    json->Key("baseline").Null();
    return;
  }
  const BenchChange change = Compare(figures, *base);
  json->Key("baseline").BeginObject().Field("p50_ms", base->p50).Field("ratio", change.ratio);
  json->Field("standard_errors", change.errors);
  json->Field("significant", change.is_significant).EndObject();
}

std::string ReportJson(const BenchReport& report) {
  JsonWriter json = BeginAnswer();
  json.Field("load_ms", report.load_ms);
  if (!report.is_sweep) {
    WriteSize(report, report.sizes[0], &json);
  } else {
    json.Key("sweep").BeginArray();
    for (const BenchFigures& figures : report.sizes) {
      json.BeginObject().Field("dims", figures.dims);
      WriteSize(report, figures, &json);
      json.EndObject();
    }
    json.EndArray();
  }
  json.Field("engine", StrCat("tern ", report.version)).Field("target", report.target);
  json.Field("cpu", report.cpu).Field("threads", report.threads).Field("kernels", report.kernels);
  json.Key("notes").BeginArray();
  for (const std::string& note : report.notes) json.String(note);
  return StrCat(json.EndArray().EndObject().Take(), "\n");
}

std::string Ms(double ms) { return FormatDoubleDigits(ms, 4); }

std::string ChangeText(const BenchReport& report, const BenchFigures& figures) {
  const BenchFigures* const base = report.BaseOf(figures);
  if (base == nullptr) return "; no such size in the baseline";
  const BenchChange change = Compare(figures, *base);
  const double percent = 100 * (change.ratio - 1);
  return StrCat("; p50 was ", Ms(base->p50), " ms: ", percent >= 0 ? "+" : "",
                FormatDoubleDigits(percent, 3), " %, ",
                !change.is_significant ? "no significant change"
                : percent > 0          ? "slower"
                                       : "faster");
}

std::string ReportText(const BenchReport& report) {
  std::string text;
  const std::string load = StrCat("load ", Ms(report.load_ms), " ms");
  if (report.is_sweep) StrAppend(&text, load, "\n");
  for (const BenchFigures& figures : report.sizes) {
    StrAppend(&text, report.is_sweep ? figures.dims + ": " : load + ", ", "cold ", Ms(figures.cold),
              " ms; ", figures.runs, " runs: min ", Ms(figures.min), ", p50 ", Ms(figures.p50),
              ", p90 ", Ms(figures.p90), ", p99 ", Ms(figures.p99), ", MAD ", Ms(figures.mad),
              " ms", report.has_baseline ? ChangeText(report, figures) : "", "\n");
  }
  StrAppend(&text, "tern ", report.version, ", ", report.target, " kernels, ", report.threads,
            report.threads == 1 ? " thread" : " threads",
            report.kernels.empty() ? "" : StrCat(", loop kernels: ", report.kernels), "; ",
            report.cpu, "\n");
  for (const std::string& note : report.notes) StrAppend(&text, "note: ", note, "\n");
  return text;
}

Status DescribeEngine(const Engine& engine, const Program& program, BenchReport* report) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_runtime_info(engine.runtime.get(), &raw)));
  const Buffer text(raw);
  const JsonValue info = ParseAnswer(Text(text));
  report->version = TextOf(info, "version");
  report->target = TextOf(info, "target");
  report->cpu = native::CpuModelName();
  report->threads = engine.platform->pool().num_workers();
  report->notes = Disturbances();
  TERN_TRY_ASSIGN(report->kernels, BackendsOf(program));
  return Status();
}

Status OpenBaseline(const std::string& path, BenchReport* report) {
  if (path.empty()) return Status();
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(path));
  const auto bytes = file.bytes();
  const Result<JsonValue> json =
      ParseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!json.ok())
    return Corrupt("'", path, "' is no benchmark: ", json.status().message()).SetErrorCode("E0502");
  TERN_TRY_ASSIGN(report->baseline, ReadBaseline(*json, path));
  report->has_baseline = true;
  return Status();
}

Status Bench(const BenchOptions& options, const GlobalOptions& globals) {
  BenchReport report;
  // Before anything is measured: a mistake in a name is not to cost minutes.
  TERN_TRY(OpenBaseline(options.baseline, &report));
  TERN_TRY_ASSIGN(const auto sizes, ExpandDims(options.input.dims));
  // Load time is what a user waits for before the first call: starting, reading, compiling,
  // linking.
  const Clock::time_point start = Clock::now();
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.limits.max_bytes));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  const tern_vm_options limits = options.limits.ForMachine(options.limits.max_bytes);
  tern_vm* raw = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), &limits, &raw)));
  const Machine machine(raw);
  report.load_ms = SecondsSince(start) * 1e3;
  report.is_sweep = sizes.size() > 1;
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, options.input.function));
  for (const std::vector<std::string>& dims : sizes) {
    TERN_TRY_ASSIGN(BenchFigures figures, MeasureSize(engine, machine, function, options, dims));
    report.sizes.push_back(std::move(figures));
  }
  if (!report.is_sweep) report.sizes[0].dims.clear();
  TERN_TRY(DescribeEngine(engine, program, &report));
  Print(globals.json() ? ReportJson(report) : ReportText(report));
  return Status();
}

}  // namespace

CommandAction SetupBench(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<BenchOptions>();
  AddProgram(app, &options->path);
  AddInputOptions(app, &options->input);
  app->get_option("--dim")->description(
      "the value of a symbolic dimension, such as n=18; several, n=1,8,32, are measured one after "
      "the other");
  AddKernelOptions(app, &options->kernels);
  AddRunLimits(app, &options->limits);
  AddAmount(app, "--min-time", &options->min_seconds, "seconds to measure for (default 1)");
  AddAmount(app, "--warmup", &options->warmup_seconds, "seconds before that (default 0.2)");
  app->add_option("--baseline", options->baseline,
                  "an earlier report, written with --format json: says what changed");
  return [options, globals] { return Bench(*options, *globals); };
}

}  // namespace tern::cli
