// SPDX-License-Identifier: Apache-2.0
// Hostile files and text, deterministic and bounded: nothing may crash, hang or leak (run under
// ASan too). Long runs are the fuzzers' (tools/fuzz.sh); this is what every test run does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "tests/support/rounds.h"
#include "tests/support/vm_file.h"
#include "tests/support/vm_mutator.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::mutation_test {
namespace {

constexpr int kMutations = support::Mutations(12'000);  // per sample, of which there are two

TEST(Mutation, FilesNeverCrash) {
  int outcomes[3] = {};
  for (const std::string_view program : support::SamplePrograms()) {
    const std::vector<uint8_t> good = SaveExecutable(*MustAssemble(program));
    ASSERT_EQ(support::Exercise(good), 2);
    for (uint32_t seed = 0; seed < kMutations; ++seed) {
      std::vector<uint8_t> bytes = good;
      support::Mutator(seed).Mutate(&bytes);
      // Most with right checksums, so that they get deeper.
      if (seed % 8 != 0) support::Reseal(&bytes);
      ++outcomes[support::Exercise(bytes)];
    }
  }
  // All three ends were reached, or this tests less than it says.
  for (const int count : outcomes) EXPECT_GT(count, kMutations / 100);
}

TEST(Mutation, TextNeverCrashes) {
  for (const std::string_view program : support::SamplePrograms()) {
    for (uint32_t seed = 0; seed < support::Mutations(2000); ++seed) {
      std::vector<uint8_t> bytes(program.begin(), program.end());
      support::Mutator(seed).Mutate(&bytes);
      const Result<ExecutablePtr> executable =
          Assemble(tern::AsText(ByteSpan(bytes)), "mutated.tasm");
      if (executable.ok()) {
        support::Exercise(SaveExecutable(**executable));
      } else {
        EXPECT_FALSE(text::RenderText(executable.status()).empty());
      }
    }
  }
}

}  // namespace
}  // namespace tern::vm::mutation_test
