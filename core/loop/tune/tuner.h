// SPDX-License-Identifier: Apache-2.0
// A search for the best schedule of one function, for one target. It says what to measure next and
// is told what that cost; who measures, and how, is not its business:
//
//   while (const Trial* trial = tuner.Next()) tuner.Report({cost, default_cost, "ns"});
//
// The program as it is written comes first, then every change of one thing, then changes of the
// best so far, chosen by a generator with a seed: the same costs give the same search. What a log
// already says is not measured again. The result is never slower than the program as written, which
// wins where others are not faster by `min_gain`.
#ifndef TERN_CORE_LOOP_TUNE_TUNER_H_
#define TERN_CORE_LOOP_TUNE_TUNER_H_

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/tune/log.h"
#include "core/loop/tune/space.h"

namespace tern::loop::tune {

struct TuneOptions {
  std::string function;  // empty: the file's only one
  const Target* target = &ReferenceTarget();
  uint64_t seed = 1;
  int64_t trials = 64;    // measured or refused, those of the log included
  double min_gain = 0.0;  // of a schedule over the program as written, to be preferred
};

struct Measurement {
  double cost = 0, default_cost = 0;  // in the unit, both above 0
  std::string unit;
};

// A choice and the program that it makes.
struct Trial {
  Point point;
  std::string choice;    // Space::ToText
  std::string schedule;  // its lines in one, or the loops' marks
  SourceFile file;       // with the schedule
  LoopFunction lowered;  // the function alone
};

class Tuner {
 public:
  // The file and the target must live as long. Errors: no such function, or it cannot be lowered as
  // it is written.
  static Result<Tuner> Make(const SourceFile& file, const TuneOptions& options);

  // Costs depend on the sizes that are measured at: entries of others are then skipped. Before
  // Resume.
  void MeasureAt(std::span<const int64_t> sizes);
  // Entries of other functions, programs, targets or choices are skipped.
  void Resume(std::span<const LogEntry> log);

  // What to measure next; null when all is measured. The same until one of the Report… is called.
  const Trial* Next();
  void Report(const Measurement& measurement);
  void ReportError(std::string_view why);  // it cannot be measured

  const Trial& as_written() const { return as_written_; }
  const Space& space() const { return space_; }
  // Fewer trials leave out some of the baseline (Space::IsBaseline).
  static constexpr int64_t kMinTrials = 3;
  // All so far, in order; those of the log among them.
  std::span<const LogEntry> entries() const { return entries_; }
  // What a log should get: the lines since the last call that did not come from one.
  std::string TakeNewLines();
  // The entry of what is to be measured, without its costs.
  LogEntry PendingEntry() const { return EntryOf(*current_); }
  size_t resumed() const { return resumed_; }

  struct Best {
    Point point;
    std::string choice, schedule;
    double ratio = 1;  // cost over that of the program as written
  };
  Best best() const;
  SourceFile BestFile() const;
  const SourceFile& file() const { return file_; }
  Result<Trial> BestTrial() const { return MakeTrial(best().point); }

 private:
  Tuner(const SourceFile& file, Subject subject, const TuneOptions& options)
      : file_(file), subject_(subject), options_(options), random_(options.seed) {}
  Result<Trial> MakeTrial(const Point& point) const;
  std::optional<Point> NextPoint();
  std::optional<Point> RandomNeighbour();
  uint64_t Random();
  void Record(LogEntry entry, Point point, bool is_known = false);
  bool RecordKnown(const std::string& choice, const Point& point);
  LogEntry EntryOf(const Trial& trial) const;
  const LogEntry* Known(std::string_view choice) const;

  const SourceFile& file_;
  const Subject subject_;
  const TuneOptions options_;
  Space space_;
  std::string program_;  // its checksum
  Trial as_written_;
  std::optional<Trial> current_;
  std::vector<LogEntry> log_, entries_;
  std::vector<Point> points_;  // of the entries
  std::set<Point> seen_;
  std::set<std::string> schedules_;  // different points may make the same program
  size_t single_knob_ = 0, single_value_ = 1;
  std::string new_lines_;
  size_t resumed_ = 0;
  uint64_t random_;
};

}  // namespace tern::loop::tune

#endif  // TERN_CORE_LOOP_TUNE_TUNER_H_
