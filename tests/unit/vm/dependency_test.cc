// SPDX-License-Identifier: Apache-2.0
// A21: what depends on what, and running independent calls at the same time with the same results.
#include "core/vm/debug/dependency.h"

#include <gtest/gtest.h>

#include <random>

#include "core/kernels/kernel.h"
#include "tests/unit/vm/debug_test_util.h"

namespace tern::vm::dependency_test {
namespace {

constexpr const char* kDiamond = R"(
.func @main(a: f32[2], b: f32[2])
  call  test.add in: %0, %1 dst: %2
  call  test.mul in: %0, %1 dst: %3
  call  test.add in: %2, %3 dst: %4
  kill  %2
  call  test.mul in: %3, %3 dst: %2
  alloc_adt tag: 0 in: %4, %2 dst: %5
  ret   ret %5
)";

TEST(Dependency, A21TwoIndependentCallsAreReported) {
  const ExecutablePtr executable = MustAssemble(kDiamond);
  const DependencyGraph graph = *BuildDependencies(*executable, 0);
  EXPECT_TRUE(graph.Independent(0, 1));
  EXPECT_FALSE(graph.Independent(0, 2));
  EXPECT_TRUE(graph.Independent(2, 4));  // the register is written again, its value is not needed
  EXPECT_FALSE(graph.Independent(0, 5));
  EXPECT_FALSE(graph.Independent(3, 3));
  const std::vector<std::vector<uint32_t>> expected = {{0, 1}, {2, 4}};
  EXPECT_EQ(graph.ParallelCalls(), expected);
  EXPECT_NE(DependencyText(graph, *executable).find("  independent calls: 0 1\n"),
            std::string::npos);
  EXPECT_NE(DependencyJson(graph, *executable).find("\"parallel\":[[0,1],[2,4]]"),
            std::string::npos);
  const std::string dot = DependencyDot(graph, *executable);
  EXPECT_NE(dot.find("n0 -> n2;"), std::string::npos);
  EXPECT_EQ(dot.find("n0 -> n1;"), std::string::npos);
}

// A length that is asked for before a list changes in place must not be told of the changed one,
// and lines keep their order.
TEST(Dependency, A21BuiltinsThatChangeOrTellKeepTheirPlace) {
  const ExecutablePtr executable = MustAssemble(R"(
.func @main(list, map)
  call  tern.list.length in: %0 dst: %2
  call  tern.list.push in: %0, 1 dst: %3
  call  tern.map.length in: %1 dst: %4
  call  tern.map.drop in: %1, 1 dst: %5
  call  tern.print in: "a" dst: %6
  call  vm.builtin.print in: "b" dst: void
  call  tern.assert in: 1, "c" dst: %7
  ret   ret %3
)");
  const DependencyGraph graph = *BuildDependencies(*executable, 0);
  for (uint32_t first = 0; first < graph.nodes.size(); ++first) {
    for (uint32_t second = first + 1; second < graph.nodes.size(); ++second)
      EXPECT_FALSE(graph.Independent(first, second)) << first << " " << second;
  }
  EXPECT_TRUE(graph.ParallelCalls().empty());
}

TEST(Dependency, A21EffectsAndJumpsKeepTheirPlace) {
  const ExecutablePtr executable = MustAssemble(R"(
.func @main(a: f32[2], n: int)
  call  test.add in: %0, %0 dst: %2
  invoke_packed test.add_into arity: 2 outputs: 1 in: %0, %0, %2
  call  test.add in: %0, %0 dst: %3
  if    %1 true: +1 false: +2
  call  test.add in: %0, %0 dst: %4
  ret   ret %3
)");
  const DependencyGraph graph = *BuildDependencies(*executable, 0);
  EXPECT_FALSE(graph.Independent(0, 2));  // what is between writes into memory
  EXPECT_FALSE(graph.Independent(2, 4));  // another block
  EXPECT_TRUE(graph.ParallelCalls().empty());
  EXPECT_FALSE(BuildDependencies(*executable, 7).ok());
}

TEST(Dependency, LongBlocksOfEffectsHaveFewEdges) {
  std::string text = ".func @main(a: f32[2])\n";
  constexpr uint32_t kPairs = 2000;
  for (uint32_t i = 0; i < kPairs; ++i) {
    text += "  call  test.add in: %0, %0 dst: %1\n";
    text += "  invoke_packed test.add_into arity: 2 outputs: 1 in: %0, %0, %1\n";
  }
  const ExecutablePtr executable = MustAssemble(text + "  ret   ret %1\n");
  const DependencyGraph graph = *BuildDependencies(*executable, 0);
  size_t edges = 0;
  for (const DependencyNode& node : graph.nodes) edges += node.needs.size();
  EXPECT_LE(edges, 4 * graph.nodes.size());
  EXPECT_FALSE(graph.Independent(0, 2 * kPairs - 1));
  EXPECT_FALSE(graph.Independent(1, 2 * kPairs - 2));
}

// A pool of two that runs tasks last first: an order that running in turn never has.
struct BackwardPool {
  int64_t most = 0;
  TernParallel parallel{this, 2, &Run, nullptr};

  static void Run(void* context, int64_t count, void (*task)(void*, int64_t, int32_t), void* data) {
    auto* pool = static_cast<BackwardPool*>(context);
    pool->most = std::max(pool->most, count);
    for (int64_t i = count; i-- > 0;) task(data, i, static_cast<int32_t>(i % 2));
  }
};

std::string Outcome(std::string_view text, const TernParallel* parallel, uint64_t* overlapped) {
  auto vm = MakeVm(text, DebugPrimitives());
  DependencyExecutor executor(vm.get(), parallel);
  vm->SetHooks(&executor);
  const TensorPtr a = *Tensor::FromValues<float>({1.5f, 2}, {2});
  const TensorPtr b = *Tensor::FromValues<float>({-0.5f, 3}, {2});
  const Result<Any> result = vm->Call("main", {a, b});
  *overlapped = executor.overlapped();
  vm->SetHooks(nullptr);
  return result.ok() ? PrintValue(*result) : text::RenderText(result.status());
}

std::string RandomProgram(std::mt19937* random) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(*random);
  };
  const char* ops[] = {"test.add", "test.mul", "test.div", "test.add"};
  std::string text = ".func @main(a: f32[2], b: f32[2])\n";
  int made = 2;
  for (int i = pick(4, 24); i > 0; --i) {
    const int dst = pick(0, 3) == 0 ? pick(0, made - 1) : made;
    if (pick(0, 9) == 0) {
      StrAppend(&text, "  invoke_packed test.add_into arity: 2 outputs: 1 in: %", pick(0, made - 1),
                ", %", pick(0, made - 1), ", %", pick(0, made - 1), "\n");
      continue;
    }
    if (pick(0, 60) == 0) StrAppend(&text, "  call  test.fail in: \"stop ", i, "\" dst: void\n");
    StrAppend(&text, "  call  ", ops[pick(0, 3)], " in: %", pick(0, made - 1), ", %",
              pick(0, made - 1), " dst: %", dst, "\n");
    made = std::max(made, dst + 1);
  }
  StrAppend(&text, "  alloc_adt tag: 0 in: %0");
  for (int i = 1; i < made; ++i) StrAppend(&text, ", %", i);
  return StrCat(text, " dst: %", made, "\n  ret   ret %", made, "\n");
}

TEST(Dependency, A21RandomProgramsGiveTheSameOnThePool) {
  std::mt19937 random(11);
  uint64_t overlapped = 0, none = 0;
  int failed = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = RandomProgram(&random);
    BackwardPool pool;
    uint64_t here = 0;
    const std::string in_turn = Outcome(text, nullptr, &none);
    ASSERT_EQ(Outcome(text, &pool.parallel, &here), in_turn) << text;
    EXPECT_EQ(none, 0u);
    overlapped += here;
    failed += in_turn.starts_with("error") ? 1 : 0;
  }
  EXPECT_GT(overlapped, 500u);
  EXPECT_GT(failed, 10);
}

}  // namespace
}  // namespace tern::vm::dependency_test
