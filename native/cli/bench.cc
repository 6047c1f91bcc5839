// SPDX-License-Identifier: Apache-2.0
// tern bench: runs one function over and over on one machine and prints cold and warm times with
// percentiles. The first call is cold: it makes what later calls reuse.
#include <algorithm>
#include <chrono>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/call.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct BenchOptions {
  std::string path;
  InputOptions input;
  KernelChoice kernels;
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

struct Timing {
  double cold = 0;
  std::vector<double> warm;  // ascending
  // The nearest rank below, without interpolation: the value was measured.
  double Percentile(double p) const {
    return warm[static_cast<size_t>(p * static_cast<double>(warm.size() - 1))];
  }
};

Result<Timing> Measure(const Machine& machine, const BenchOptions& options,
                       const std::vector<TernAny>& args) {
  Timing timing;
  TERN_TRY_ASSIGN(timing.cold, TimeOnce(machine, options.input.function, args));
  // Warming up is a time and not a count, so that small and large functions both reach a steady
  // clock.
  for (const Clock::time_point start = Clock::now();
       SecondsSince(start) < options.warmup_seconds;) {
    TERN_TRY(TimeOnce(machine, options.input.function, args));
  }
  const Clock::time_point start = Clock::now();
  // At least one run, however long it takes.
  do {
    TERN_TRY_ASSIGN(const double seconds, TimeOnce(machine, options.input.function, args));
    timing.warm.push_back(seconds);
  } while (SecondsSince(start) < options.min_seconds);
  std::sort(timing.warm.begin(), timing.warm.end());
  return timing;
}

void PrintTiming(const Timing& timing, double load_seconds, const GlobalOptions& globals) {
  const double p50 = timing.Percentile(0.5), p90 = timing.Percentile(0.9),
               p99 = timing.Percentile(0.99);
  if (globals.json()) {
    JsonWriter json = BeginAnswer();
    json.Field("load_ms", load_seconds * 1e3)
        .Field("cold_ms", timing.cold * 1e3)
        .Field("min_ms", timing.warm.front() * 1e3)
        .Field("p50_ms", p50 * 1e3)
        .Field("p90_ms", p90 * 1e3)
        .Field("p99_ms", p99 * 1e3)
        .Field("runs", static_cast<int64_t>(timing.warm.size()))
        .EndObject();
    return Print(StrCat(json.text(), "\n"));
  }
  const auto ms = [](double seconds) { return FormatDoubleDigits(seconds * 1e3, 4); };
  Print(StrCat("load ", ms(load_seconds), " ms, cold ", ms(timing.cold), " ms; ",
               timing.warm.size(), " runs: min ", ms(timing.warm.front()), ", p50 ", ms(p50),
               ", p90 ", ms(p90), ", p99 ", ms(p99), " ms\n"));
}

Status Bench(BenchOptions options, const GlobalOptions& globals) {
  // Load time is what a user waits for before the first call: starting, reading, compiling,
  // linking.
  const Clock::time_point start = Clock::now();
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  tern_vm* raw = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), nullptr, &raw)));
  const Machine machine(raw);
  const double load_seconds = SecondsSince(start);
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, options.input.function));
  options.input.fill_missing = true;
  TERN_TRY_ASSIGN(const std::vector<NamedArray> inputs, BindInputs(options.input, function));
  TERN_TRY_ASSIGN(const std::vector<Value> arguments, ToTensors(engine, inputs));
  TERN_TRY_ASSIGN(const Timing timing, Measure(machine, options, Borrow(arguments)));
  PrintTiming(timing, load_seconds, globals);
  return Status();
}

}  // namespace

CommandAction SetupBench(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<BenchOptions>();
  app->add_option(
         "program", options->path,
         "an executable, .tasm text, a program (.tn) or an ONNX model; - for standard input")
      ->required();
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  AddAmount(app, "--min-time", &options->min_seconds, "seconds to measure for (default 1)");
  AddAmount(app, "--warmup", &options->warmup_seconds, "seconds before that (default 0.2)");
  return [options, globals] { return Bench(*options, *globals); };
}

}  // namespace tern::cli
