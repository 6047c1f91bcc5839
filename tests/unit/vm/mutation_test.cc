// SPDX-License-Identifier: Apache-2.0
// Hostile files and text, deterministic and bounded: nothing may crash, hang or leak (run under
// ASan too). Long runs are the fuzzers' (tools/fuzz.sh); this is what every test run does.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/vm/reader.h"
#include "core/vm/writer.h"
#include "tests/support/vm_file.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm {
namespace {

constexpr int kMutations = 12'000;  // per sample, of which there are two

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  void Mutate(std::vector<uint8_t>* bytes) {
    const int changes = 1 + static_cast<int>(random_() % 3);
    for (int i = 0; i < changes; ++i) Change(bytes);
  }

 private:
  size_t Place(const std::vector<uint8_t>& bytes) { return random_() % bytes.size(); }

  void Change(std::vector<uint8_t>* bytes) {
    if (bytes->empty()) return;
    const size_t at = Place(*bytes);
    switch (random_() % 6) {
      case 0: (*bytes)[at] ^= static_cast<uint8_t>(1u << random_() % 8); return;
      case 1: (*bytes)[at] = static_cast<uint8_t>(random_()); return;
      case 2: (*bytes)[at] = random_() % 2 != 0 ? 0xff : 0; return;
      case 3: {  // a word of another place
        const size_t from = Place(*bytes);
        for (size_t i = 0; i < 8 && at + i < bytes->size() && from + i < bytes->size(); ++i)
          (*bytes)[at + i] = (*bytes)[from + i];
        return;
      }
      case 4:
        (*bytes)[at] = static_cast<uint8_t>((*bytes)[at] + (random_() % 2 != 0 ? 1 : -1));
        return;
      default:
        for (size_t i = at; i < at + 8 && i < bytes->size(); ++i) (*bytes)[i] = 0xff;
        return;
    }
  }

  std::mt19937 random_;
};

TEST(Mutation, FilesNeverCrash) {
  int outcomes[3] = {};
  for (const std::string_view program : support::SamplePrograms()) {
    const std::vector<uint8_t> good = SaveExecutable(*MustAssemble(program));
    ASSERT_EQ(support::Exercise(good), 2);
    for (uint32_t seed = 0; seed < kMutations; ++seed) {
      std::vector<uint8_t> bytes = good;
      Mutator(seed).Mutate(&bytes);
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
    for (uint32_t seed = 0; seed < 2000; ++seed) {
      std::vector<uint8_t> bytes(program.begin(), program.end());
      Mutator(seed).Mutate(&bytes);
      const Result<ExecutablePtr> executable = Assemble(AsText(ByteSpan(bytes)), "mutated.tasm");
      if (executable.ok()) {
        support::Exercise(SaveExecutable(**executable));
      } else {
        EXPECT_FALSE(text::RenderText(executable.status()).empty());
      }
    }
  }
}

}  // namespace
}  // namespace tern::vm
