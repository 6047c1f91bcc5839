// SPDX-License-Identifier: Apache-2.0
#include "native/tune/tune_loops.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/base/bytes.h"
#include "core/base/strings.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/tune/sizes.h"
#include "native/jit/llvm_compiler.h"
#include "native/platform/mapped_file.h"
#include "native/tune/loop_cost.h"

namespace tern::native {
namespace {

using loop::tune::LogEntry;
using loop::tune::Measurement;
using loop::tune::Trial;
using loop::tune::Tuner;

// The noise of a clock is no gain; llvm-mca has none.
constexpr double kMinGainOfClock = 0.03;

// The processor to tune for: this one, or one that llvm-mca knows.
struct Machine {
  const McaCore* core = nullptr;  // null: this one
  CodeTarget code;
  const loop::Target& loops() const { return *loop::FindTarget(code.loops); }
};

// Errors (E0003) list the names that there are.
Result<Machine> FindMachine(const std::string& name) {
  Machine machine;
  std::vector<std::string> names = {"host"};
  for (const McaCore& core : kMcaCores) {
    if (name == core.cpu) machine.core = &core;
    names.emplace_back(core.cpu);
  }
  if (machine.core == nullptr && name != "host")
    return NotFound("cannot tune for '", name, "'; there are ", StrJoin(names, ", "))
        .SetErrorCode("E0003");
  TERN_TRY_ASSIGN(machine.code, FindCodeTarget(machine.core != nullptr ? "aarch64-sve" : name));
  return machine;
}

// The log as it is on disk: its entries, and where new lines are written.
class LogFile {
 public:
  // A file that is not there is empty.
  static Result<LogFile> Open(const std::string& path) {
    LogFile log;
    log.path_ = path;
    if (path.empty()) return log;
    // ENOENT is told from other failures, which MappedFile's message does not show.
    FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr && errno == ENOENT) return log;
    if (file == nullptr) return log.Failure("read", errno);
    std::fclose(file);
    TERN_TRY_ASSIGN(const MappedFile bytes, MappedFile::Open(path));
    log.text_ = std::string(AsText(bytes.bytes()));
    const auto sources = std::make_shared<text::SourceMap>();
    text::Diagnostics diagnostics(sources);
    size_t whole = 0;
    log.entries_ = loop::tune::ReadLog(path, log.text_, sources.get(), &diagnostics, &whole);
    if (!diagnostics.ok()) return diagnostics.ToStatus();
    log.text_.resize(whole);  // without a line that was cut off
    log.is_cut_ = whole < bytes.bytes().size();
    return log;
  }

  const std::vector<LogEntry>& entries() const { return entries_; }

  // lines: whole lines with their line breaks. Errors: the file cannot be written.
  Status Add(const std::string& lines) {
    if (path_.empty() || (lines.empty() && !is_cut_)) return OkStatus();
    // The line that was cut off must go, so that this once the file is written anew; later lines
    // are appended.
    if (is_cut_) {
      is_cut_ = false;
      return WriteFile(path_, text_ + lines);
    }
    FILE* file = std::fopen(path_.c_str(), "ab");
    if (file == nullptr) return Failure("write", errno);
    const bool wrote = std::fwrite(lines.data(), 1, lines.size(), file) == lines.size();
    const int error = errno;
    if (std::fclose(file) != 0 || !wrote) return Failure("write", error);
    return OkStatus();
  }

 private:
  Status Failure(std::string_view doing, int error) const {
    return IoError("cannot ", doing, " '", path_, "': ", std::strerror(error))
        .SetErrorCode(doing == "read" ? "E0101" : "E0102");
  }

  std::string path_, text_;
  std::vector<LogEntry> entries_;
  bool is_cut_ = false;
};

// Runs trials until the tuner has no more, and tells `progress` about each.
class Search {
 public:
  Search(const TuneRequest& request, Tuner* tuner, LoopCost* cost)
      : request_(request), tuner_(*tuner), cost_(*cost) {}

  Status Run(LogFile* log) {
    size_t shown = 0;
    while (const Trial* trial = tuner_.Next()) {
      Result<Measurement> measured = cost_.Measure(trial->lowered);
      if (measured.ok())
        tuner_.Report(*measured);
      else
        tuner_.ReportError(measured.status().message());
      // After every measurement, so that an interrupted search loses one at most.
      TERN_TRY(log->Add(tuner_.TakeNewLines()));
      for (; shown < tuner_.entries().size(); ++shown) Show(tuner_.entries()[shown]);
    }
    for (; shown < tuner_.entries().size(); ++shown) Show(tuner_.entries()[shown]);
    return log->Add(tuner_.TakeNewLines());
  }

  // Measures the winner three times more, because the luckiest of many measurements wins too often.
  Result<double> Confirm() {
    const Tuner::Best best = tuner_.best();
    if (best.point == tuner_.as_written().point) return 1.0;
    TERN_TRY_ASSIGN(const Trial trial, tuner_.BestTrial());
    std::vector<double> ratios;
    for (int i = 0; i < 3; ++i) {
      TERN_TRY_ASSIGN(const Measurement again, cost_.Measure(trial.lowered));
      ratios.push_back(again.cost / again.default_cost);
    }
    // The middle one of three, so that one disturbed measurement does no harm.
    std::sort(ratios.begin(), ratios.end());
    return ratios[1];
  }

 private:
  // One line for people: the choice and its cost, or why it was refused.
  void Show(const LogEntry& entry) const {
    if (request_.progress == nullptr) return;
    std::string cost = StrCat("refused: ", entry.error);
    if (entry.ok()) cost = StrCat(FormatDoubleDigits(entry.cost, 4), " ", entry.unit);
    if (entry.ok() && entry.choice != tuner_.as_written().choice)
      StrAppend(&cost, ", ", FormatDoubleDigits(entry.ratio(), 3), " of as written");
    request_.progress(request_.progress_context, StrCat(entry.choice, ": ", cost, "\n"));
  }

  const TuneRequest& request_;
  Tuner& tuner_;
  LoopCost& cost_;
};

}  // namespace

Result<TuneOutcome> TuneLoops(const TuneRequest& request) {
  TERN_TRY_ASSIGN(const loop::SourceFile file, loop::ParseLoops(request.file_name, request.text));
  TERN_TRY_ASSIGN(const Machine machine, FindMachine(request.target));
  loop::tune::TuneOptions options{.function = request.function, .target = &machine.loops()};
  options.seed = request.seed;
  options.trials = request.trials;
  options.min_gain = machine.core != nullptr ? 0 : kMinGainOfClock;
  TERN_TRY_ASSIGN(Tuner tuner, Tuner::Make(file, options));
  const loop::LoopFunction& as_written = tuner.as_written().lowered;
  TERN_TRY_ASSIGN(const Sizes sizes, loop::tune::ChooseSizes(as_written, request.dims, request.n));
  tuner.MeasureAt(sizes);
  TERN_TRY_ASSIGN(LogFile log, LogFile::Open(request.log_path));
  tuner.Resume(log.entries());
  TERN_TRY_ASSIGN(const std::unique_ptr<LoopCost> cost,
                  machine.core != nullptr ? MakeMcaCost(as_written, sizes, *machine.core)
                                          : MakeHostCost(as_written, sizes, machine.code));
  Search search(request, &tuner, cost.get());
  TERN_TRY(search.Run(&log));
  TERN_TRY_ASSIGN(const double ratio, search.Confirm());
  const Tuner::Best best = tuner.best();
  TuneOutcome outcome;
  outcome.function = as_written.name;
  outcome.measured = static_cast<int64_t>(tuner.entries().size());
  outcome.resumed = static_cast<int64_t>(tuner.resumed());
  // The winner must be better by the same margin again, otherwise the program stays as it is.
  if (ratio < 1 - options.min_gain) {
    outcome.text = ToText(tuner.BestFile());
    outcome.choice = best.choice;
    outcome.schedule = best.schedule;
    outcome.ratio = ratio;
  } else {
    outcome.text = ToText(file);
    outcome.choice = tuner.as_written().choice;
    outcome.schedule = tuner.as_written().schedule;
  }
  return outcome;
}

}  // namespace tern::native
