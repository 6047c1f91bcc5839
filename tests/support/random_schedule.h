// SPDX-License-Identifier: Apache-2.0
// Definitions of several tensors and schedules for them, made up from numbers, and what must hold
// of every schedule: it is refused where it is written, or it computes what no schedule does.
#ifndef TERN_TESTS_SUPPORT_RANDOM_SCHEDULE_H_
#define TERN_TESTS_SUPPORT_RANDOM_SCHEDULE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/loop/source_file.h"

namespace tern::support {

// A definition `random` of one to four tensors: elementwise formulas, reductions, windows, gathers
// and transposes, of constant and of symbolic extents. Every read lies inside its tensor, whatever
// the sizes are. Floats are such that sums of a few thousand are exact.
struct RandomSchedule {
  std::string text;        // with the lines that were accepted
  std::string plain_text;  // without a schedule
  int accepted = 0, refused = 0;
  std::string wrong;  // of a line that was refused in another way than by a diagnostic of its own
};
// Every choice is one byte; after the last, zeros. A line that is refused is left out again.
RandomSchedule MakeRandomSchedule(std::span<const uint8_t> choices);

struct ScheduleCheck {
  RandomSchedule schedule;
  int runs = 0;       // of the scheduled program, in all ways to lower it
  std::string wrong;  // empty: nothing
};
// Fuzzers do with few runs of each: what one of them leaves out, the next has.
enum class ScheduleRuns { kAll, kFew };
// Runs the program with and without its schedule in the reference interpreter; the seed chooses
// sizes and vscale, and which few.
ScheduleCheck CheckRandomSchedule(std::span<const uint8_t> choices, uint64_t seed,
                                  ScheduleRuns runs = ScheduleRuns::kAll);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_SCHEDULE_H_
