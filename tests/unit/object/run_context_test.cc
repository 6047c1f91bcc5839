// SPDX-License-Identifier: Apache-2.0
// RunContext: a steady run asks nothing of the platform.
#include "core/object/run_context.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/object/counting.h"

namespace tern::run_context_test {
namespace {

using RunContextTest = CountedTest;

TEST_F(RunContextTest, SteadyRunsAllocateNothing) {
  CountingPlatform platform;
  {
    RunContext context(MakePooledAllocator(platform.get()));
    int64_t warm = 0;
    for (int run = 0; run < 10; ++run) {
      const TensorPtr a = context.NewTensor(kF32, {1, 64, 32, 32}).value();
      const TensorPtr b = context.NewTensor(kF32, {1, 10}).value();
      const TensorPtr view = a->Slice(1, 0, 32).value();
      std::memset(context.Scratch(5000), 0, 5000);
      if (run == 0) warm = platform.allocations;
    }
    EXPECT_EQ(platform.allocations, warm);
    EXPECT_GT(context.allocator()->stats().hits, 0);
  }
  EXPECT_EQ(platform.blocks, 0);
}

TEST_F(RunContextTest, ScratchGrowsAndIsKept) {
  RunContext context;
  void* small = context.Scratch(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 64, 0u);
  EXPECT_EQ(context.Scratch(50), small);
  EXPECT_NE(RunContext::ScratchCallback(&context, 100000), nullptr);
  context.ReleaseScratch();
  EXPECT_EQ(context.allocator()->stats().live_blocks, 0);
}

TEST_F(RunContextTest, ScratchThatCannotBeIsNull) {
  RunContext context;
  context.allocator()->set_limit(1000);
  EXPECT_EQ(context.Scratch(2000), nullptr);
  EXPECT_NE(context.Scratch(500), nullptr);
  EXPECT_EQ(context.Scratch(SIZE_MAX), nullptr);
}

TEST_F(RunContextTest, TensorsOutliveTheirContext) {
  TensorPtr tensor;
  {
    RunContext context;
    tensor = context.NewTensor(kF32, {3}).value();
  }
  tensor->values<float>()[2] = 1;
  EXPECT_EQ(tensor->values<float>()[2], 1);
}

}  // namespace
}  // namespace tern::run_context_test
