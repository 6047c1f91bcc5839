// SPDX-License-Identifier: Apache-2.0
#include "core/loop/tune/tuner.h"

#include <algorithm>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/strings.h"
#include "core/loop/te/lower.h"
#include "core/loop/text/printer.h"

namespace tern::loop::tune {
namespace {

// So many random steps in a row that find nothing new end the search.
constexpr int kMaxMisses = 200;

std::string ProgramText(const Subject& subject) {
  return subject.definition != nullptr ? ToText(*subject.definition) : ToText(*subject.function);
}

// The lines of a definition's schedule. A loop function has no schedule; its text with the marks
// serves.
std::string ScheduleText(const SourceFile& file, std::string_view name) {
  for (const te::Definition& definition : file.definitions) {
    if (definition.name != name) continue;
    std::vector<std::string> lines;
    for (const te::Directive& directive : definition.schedule) lines.push_back(ToText(directive));
    return StrJoin(lines, "; ");
  }
  return ToText(*file.program.Find(name));
}

// Of the program, the target and the space: an entry of a log is used only where all are the same,
// because a choice is known by its text alone.
std::string Checksum(const Subject& subject, const Target& target, const Space& space) {
  std::string text = StrCat(ProgramText(subject), target.name);
  for (const Knob& knob : space.knobs)
    StrAppend(&text, "\n", knob.name, "=", StrJoin(knob.values, "|"));
  return FormatHex(Crc32c(AsBytes(text)));
}

Result<LoopFunction> LowerSubject(const SourceFile& file, const Subject& subject,
                                  const Target& target) {
  const LoweringOptions options = DefaultLowering(target);
  if (subject.definition == nullptr) return LowerFunction(*subject.function, options, file.sources);
  TERN_TRY_ASSIGN(const LoopFunction loops, te::LowerDefinition(*subject.definition, file.sources));
  return LowerFunction(loops, options, file.sources);
}

}  // namespace

Result<Trial> Tuner::MakeTrial(const Point& point) const {
  Trial trial;
  trial.point = point;
  trial.choice = space_.ToText(point);
  trial.file = Apply(file_, subject_, *options_.target, point);
  trial.schedule = ScheduleText(trial.file, subject_.name());
  TERN_TRY_ASSIGN(const Subject subject, FindSubject(trial.file, subject_.name()));
  TERN_TRY_ASSIGN(trial.lowered, LowerSubject(trial.file, subject, *options_.target));
  return trial;
}

Result<Tuner> Tuner::Make(const SourceFile& file, const TuneOptions& options) {
  TERN_TRY_ASSIGN(const Subject subject, FindSubject(file, options.function));
  Tuner tuner(file, subject, options);
  tuner.space_ = MakeSpace(subject, *options.target);
  tuner.program_ = Checksum(subject, *options.target, tuner.space_);
  TERN_TRY_ASSIGN(tuner.as_written_, tuner.MakeTrial(tuner.space_.origin()));
  return tuner;
}

void Tuner::MeasureAt(std::span<const int64_t> sizes) {
  std::string text = program_;
  for (const int64_t size : sizes) StrAppend(&text, " ", size);
  program_ = FormatHex(Crc32c(AsBytes(text)));
}

void Tuner::Resume(std::span<const LogEntry> log) {
  for (const LogEntry& entry : log) {
    const bool ours = entry.function == subject_.name() && entry.target == options_.target->name &&
                      entry.program == program_;
    if (ours) log_.push_back(entry);
  }
}

const LogEntry* Tuner::Known(std::string_view choice) const {
  for (const LogEntry& entry : log_) {
    if (entry.choice == choice) return &entry;
  }
  return nullptr;
}

LogEntry Tuner::EntryOf(const Trial& trial) const {
  LogEntry entry;
  entry.function = std::string(subject_.name());
  entry.target = std::string(options_.target->name);
  entry.program = program_;
  entry.choice = trial.choice;
  entry.schedule = trial.schedule;
  return entry;
}

void Tuner::Record(LogEntry entry, Point point, bool is_known) {
  entry.is_known = is_known;
  if (!is_known) new_lines_ += ToLine(entry);
  entries_.push_back(std::move(entry));
  points_.push_back(std::move(point));
}

std::string Tuner::TakeNewLines() { return std::exchange(new_lines_, {}); }

bool Tuner::RecordKnown(const std::string& choice, const Point& point) {
  const LogEntry* known = Known(choice);
  if (known == nullptr) return false;
  ++resumed_;
  Record(*known, point, /*is_known=*/true);
  return true;
}

// The same trial until it is reported. Points that make a program which was tried are skipped
// without an entry; programs that cannot be lowered get one with the error, so that they count as
// trials.
const Trial* Tuner::Next() {
  if (current_.has_value()) return &*current_;
  while (static_cast<int64_t>(entries_.size()) < options_.trials) {
    std::optional<Point> point = NextPoint();
    if (!point.has_value()) return nullptr;
    const std::string choice = space_.ToText(*point);
    Result<Trial> trial = MakeTrial(*point);
    if (!trial.ok()) {
      if (RecordKnown(choice, *point)) continue;
      Trial refused;
      refused.choice = choice;
      LogEntry entry = EntryOf(refused);
      entry.error = std::string(trial.status().message());
      Record(std::move(entry), *std::move(point));
      continue;
    }
    // Different points may make the same program, such as width=half of a scalar one.
    if (!schedules_.insert(trial->schedule).second) continue;
    if (RecordKnown(choice, *point)) continue;
    current_ = *std::move(trial);
    return &*current_;
  }
  return nullptr;
}

void Tuner::Report(const Measurement& measurement) {
  if (!(measurement.cost > 0) || !(measurement.default_cost > 0))
    return ReportError("its cost is not a number above 0");
  LogEntry entry = EntryOf(*current_);
  entry.cost = measurement.cost;
  entry.default_cost = measurement.default_cost;
  entry.unit = measurement.unit;
  Record(std::move(entry), std::move(current_->point));
  current_.reset();
}

void Tuner::ReportError(std::string_view why) {
  LogEntry entry = EntryOf(*current_);
  entry.error = why.empty() ? "unknown" : std::string(why);
  Record(std::move(entry), std::move(current_->point));
  current_.reset();
}

// The origin, then every other value of every knob alone, then random steps from the best (a hill
// climb). Changes of one thing come first because their results can be explained.
std::optional<Point> Tuner::NextPoint() {
  if (seen_.insert(space_.origin()).second) return space_.origin();
  for (; single_knob_ < space_.knobs.size(); ++single_knob_, single_value_ = 1) {
    if (single_value_ >= space_.knobs[single_knob_].values.size()) continue;
    Point point = space_.origin();
    point[single_knob_] = static_cast<int32_t>(single_value_++);
    seen_.insert(point);
    return point;
  }
  return RandomNeighbour();
}

// The best point so far with one or two knobs turned at random.
std::optional<Point> Tuner::RandomNeighbour() {
  const Point from = best().point;
  for (int miss = 0; miss < kMaxMisses; ++miss) {
    Point point = from;
    for (uint64_t turns = 1 + Random() % 2; turns > 0; --turns) {
      const auto knob = static_cast<size_t>(Random() % point.size());
      point[knob] = static_cast<int32_t>(Random() % space_.knobs[knob].values.size());
    }
    if (seen_.insert(point).second) return point;
  }
  return std::nullopt;
}

// xorshift64* (Vigna, 2016), written out because the standard's distributions differ between
// libraries.
uint64_t Tuner::Random() {
  if (random_ == 0) random_ = 0x9E3779B97F4A7C15u;
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return (random_ * 0x2545F4914F6CDD1Du) >> 16;
}

Tuner::Best Tuner::best() const {
  Best best{space_.origin(), as_written_.choice, as_written_.schedule, 1};
  // Ratios are compared and not costs, because each was measured beside the program as written.
  double bound = 1 - options_.min_gain;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const LogEntry& entry = entries_[i];
    if (!entry.ok() || points_[i] == space_.origin() || !(entry.ratio() < bound)) continue;
    bound = entry.ratio();
    best = {points_[i], entry.choice, entry.schedule, entry.ratio()};
  }
  return best;
}

SourceFile Tuner::BestFile() const {
  return Apply(file_, subject_, *options_.target, best().point);
}

}  // namespace tern::loop::tune
