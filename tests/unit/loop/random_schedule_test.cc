// SPDX-License-Identifier: Apache-2.0
// Schedules made up at random: each is refused where it is written, or computes what the program
// without it does. TERN_SCHEDULES says how many are tried, TERN_SCHEDULE_SEED from where on.
#include "tests/support/random_schedule.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/rounds.h"

namespace tern::loop::random_schedule_test {
namespace {

uint64_t NumberOr(const char* name, uint64_t usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

TEST(RandomScheduleTest, EveryScheduleIsRefusedOrAgrees) {
  const uint64_t count = NumberOr("TERN_SCHEDULES", static_cast<uint64_t>(support::Rounds(400)));
  const uint64_t first = NumberOr("TERN_SCHEDULE_SEED", 0);
  int accepted = 0, refused = 0, wrong = 0;
  for (uint64_t seed = first; seed < first + count && wrong < 5; ++seed) {
    uint64_t state = seed * 2862933555777941757u + 3037000493u;
    std::vector<uint8_t> choices;
    for (int i = 0; i < 240; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      choices.push_back(static_cast<uint8_t>(state >> 56));
    }
    const support::ScheduleCheck check = support::CheckRandomSchedule(choices, state >> 16);
    accepted += check.schedule.accepted;
    refused += check.schedule.refused;
    wrong += !check.wrong.empty();
    if (!check.wrong.empty())
      ADD_FAILURE() << "seed " << seed << ": " << check.wrong << "\n" << check.schedule.text;
  }
  RecordProperty("accepted", accepted);
  RecordProperty("refused", refused);
  EXPECT_GT(accepted, static_cast<int>(count));  // some lines each
}

}  // namespace
}  // namespace tern::loop::random_schedule_test
