// SPDX-License-Identifier: Apache-2.0
// Calls of every primitive with attributes, shapes and arguments that a file may choose: each is
// refused or runs, within its limits of memory and work. tests/fuzz/primitive_fuzzer.cc makes them
// for as long as it is let.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/random_call.h"
#include "tests/support/rounds.h"

namespace tern {
namespace {

std::vector<uint8_t> Choices(uint32_t seed) {
  std::minstd_rand random(seed + 1);
  std::vector<uint8_t> choices(512);
  for (uint8_t& choice : choices) choice = static_cast<uint8_t>(random() >> 8);
  return choices;
}

TEST(RandomCalls, OperatorsRefuseOrRun) {
  constexpr uint32_t kEach = support::Mutations(150);
  const size_t operators = support::OperatorCount();
  for (uint32_t op = 0; op < operators; ++op) {
    int made = 0, ran = 0;
    for (uint32_t i = 0; i < kEach; ++i) {
      const support::RandomCall call = support::MakeOperatorCall(op, Choices(op * 1000 + i));
      const support::CallOutcome outcome = support::RunCall(
          call, i % 4 == 0 ? support::CallKernels::kPlain : support::CallKernels::kFastest);
      made += outcome.made ? 1 : 0;
      ran += outcome.ran ? 1 : 0;
    }
    EXPECT_GT(made, 0) << support::MakeOperatorCall(op, Choices(0)).name;
    RecordProperty(support::MakeOperatorCall(op, {}).name, ran);
  }
}

TEST(RandomCalls, BuiltinsRefuseOrRun) {
  const size_t builtins = support::BuiltinCount();
  for (uint32_t builtin = 0; builtin < builtins; ++builtin) {
    for (uint32_t i = 0; i < support::Mutations(150); ++i)
      support::RunCall(support::MakeBuiltinCall(builtin, Choices(builtin * 1000 + i)),
                       support::CallKernels::kPlain);
  }
}

}  // namespace
}  // namespace tern
