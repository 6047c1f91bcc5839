// SPDX-License-Identifier: Apache-2.0
// One test per kernel of kernels.def and compiled table that this machine can run.

#include "tests/kernels/kernel_test.h"

#include "core/kernels/cpu_features.h"

namespace tern::kernels {

uint64_t Random::Next() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_;
}

float Random::Uniform(float low, float high) {
  const float unit = static_cast<float>(Next() >> 40) * 0x1p-24f;
  return low + (high - low) * unit;
}

void FillBytes(Buffer<uint8_t>& buffer, Random& random) {
  for (int64_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<uint8_t>(random.Next() >> 9);
}

TestContext::TestContext(int workers, bool has_scratch) : has_scratch_(has_scratch) {
  parallel_ = {this, workers, &TestContext::Run, &TestContext::Ready};
  context_ = {workers > 0 ? &parallel_ : nullptr, this, &TestContext::Scratch, nullptr};
}

void TestContext::Run(void* context, int64_t num_tasks, void (*task)(void*, int64_t, int32_t),
                      void* data) {
  auto* self = static_cast<TestContext*>(context);
  for (int64_t i = num_tasks - 1; i >= 0; --i) {
    task(data, i, static_cast<int32_t>((i * 7 + 3) % self->parallel_.num_workers));
    ++self->tasks_run_;
  }
}

int32_t TestContext::Ready(void* context) {
  auto* self = static_cast<TestContext*>(context);
  return self->workers_sleep_ ? 1 : self->parallel_.num_workers;
}

void* TestContext::Scratch(void* context, size_t bytes) {
  auto* self = static_cast<TestContext*>(context);
  EXPECT_FALSE(self->scratch_given_) << "a kernel asked for scratch twice";
  if (!self->has_scratch_) return nullptr;
  self->scratch_given_ = true;
  self->scratch_bytes_ = static_cast<int64_t>(bytes);
  self->scratch_.assign(bytes + 64, 0xFF);
  const auto start = reinterpret_cast<uintptr_t>(self->scratch_.data());
  return reinterpret_cast<void*>((start + 63) / 64 * 64);
}

::testing::AssertionResult Close(const float* expected, const float* actual, int64_t size,
                                 float bound, const std::string& what) {
  float largest = 0.0f;
  for (int64_t i = 0; i < size; ++i) {
    if (std::isfinite(expected[i])) largest = std::fmax(largest, std::fabs(expected[i]));
  }
  for (int64_t i = 0; i < size; ++i) {
    const float e = expected[i], a = actual[i];
    if (std::isnan(e) && std::isnan(a)) continue;
    if (e == a || std::fabs(e - a) <= bound * largest) continue;
    return ::testing::AssertionFailure()
           << what << ": element " << i << " of " << size << " is " << a << ", expected " << e
           << " within " << bound * largest;
  }
  return ::testing::AssertionSuccess();
}

namespace {

class KernelTest : public ::testing::TestWithParam<const KernelTable*> {};

#define TERN_KERNEL(name, Args, bound, phrase)                                     \
  TEST_P(KernelTest, name) {                                                       \
    Test_##name(KernelPair<Args>{GetParam()->name, ReferenceTable().name, bound}); \
  }
// `name` above is the kernel as a member of the table; the table's own name is read below.
#include "core/kernels/kernels.def"
#undef TERN_KERNEL

std::vector<const KernelTable*> RunnableTables() {
  std::vector<const KernelTable*> tables;
  for (int i = 0; CompiledTable(i) != nullptr; ++i) {
    if (CanRun(*CompiledTable(i), DetectCpuFeatures())) tables.push_back(CompiledTable(i));
  }
  return tables;
}

INSTANTIATE_TEST_SUITE_P(Targets, KernelTest, ::testing::ValuesIn(RunnableTables()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(ChooseTest, PrefersTheBestThatTheProcessorCanRun) {
  const KernelTable& best = ChooseTable(DetectCpuFeatures());
  EXPECT_TRUE(CanRun(best, DetectCpuFeatures()));
  if (DetectCpuFeatures().sve_bytes != 16) EXPECT_EQ(&best, RunnableTables().front());
}

TEST(ChooseTest, WithoutFeaturesOnlyWhatNeedsNoneIsChosen) {
  const KernelTable& table = ChooseTable(CpuFeatures());
  EXPECT_TRUE(CanRun(table, CpuFeatures()));
}

TEST(ChooseTest, FindsByNameAndRefusesUnknownNames) {
  const KernelTable* last = RunnableTables().back();  // which needs nothing
  EXPECT_EQ(FindTable(last->name, CpuFeatures()), last);
  EXPECT_EQ(FindTable("no such target", DetectCpuFeatures()), nullptr);
  EXPECT_EQ(FindTable("", DetectCpuFeatures()), nullptr);
  EXPECT_EQ(CompiledTable(-1), nullptr);
  EXPECT_EQ(CompiledTable(1000), nullptr);
}

TEST(ChooseTest, RefusesATableThatTheProcessorCannotRun) {
  for (const KernelTable* table : RunnableTables()) {
    if (CanRun(*table, CpuFeatures())) continue;
    EXPECT_EQ(FindTable(table->name, CpuFeatures()), nullptr);
  }
}

}  // namespace
}  // namespace tern::kernels
