// SPDX-License-Identifier: Apache-2.0
// B29: kernels of one program from several threads at once, each with a machine of its own: looked
// at, compiled, listed and prepared anew while they run. Run under ThreadSanitizer too (preset
// tsan).
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "core/base/strings.h"
#include "core/text/diagnostics.h"
#include "core/vm/text/assembler.h"
#include "core/vm/vm.h"
#include "native/backends/compiled_kernel.h"
#include "native/backends/kernel_backends.h"
#include "native/jit/llvm_compiler.h"

namespace tern::native::kernel_threads_test {
namespace {

using vm::ProgramPtr;
using vm::VirtualMachine;

constexpr int kThreads = 4;

std::string KernelLine(std::string_view name, std::string_view value) {
  return StrCat(".kernel \"", name, "\" \"loop\" text \"te ", name,
                "<n>(X: float32[n]) -> (Y: float32[n]) { compute Y[i] = ", value, " }\"\n");
}

// Kernels that are good, cannot be shown to stay in bounds, and are torn off. What stands for
// operators gives its argument back, so that the backend can be told from the result.
ProgramPtr Linked(KernelPolicy policy) {
  const std::string text = StrCat(KernelLine("good", "X[i] + 1"), KernelLine("only", "X[i] + 1"),
                                  KernelLine("wide", "X[i + 1]"), R"(
.kernel "torn" "loop" text "te torn<n>(X: float32["
.kernel "torn_only" "loop" text "te torn_only<n>(X: float32["
.const c[0] = string "it needs a backend"
.func @good(x: f32[n]) -> f32[n]
  ret   ret %0
.func @wide(x: f32[n]) -> f32[n]
  ret   ret %0
.func @torn(x: f32[n]) -> f32[n]
  ret   ret %0
.func @only(x: f32[n]) -> f32[n]
  fatal c[0]
.func @torn_only(x: f32[n]) -> f32[n]
  fatal c[0]
)");
  Result<vm::ExecutablePtr> executable = vm::Assemble(text, "test.tasm");
  EXPECT_TRUE(executable.ok()) << text::RenderText(executable.status());
  const ProgramPtr program = vm::Program::Link(*executable).value();
  EXPECT_TRUE(PrepareKernels(*program, {.policy = policy}).ok());
  return program;
}

std::string BackendOf(const ProgramPtr& program, std::string_view name) {
  for (const vm::KernelRow& row : vm::ListKernels(*program)) {
    if (row.name == name) return row.backend;
  }
  return "not there";
}

void InThreads(const std::function<void(int thread)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

// What a function adds to each element; -1 where it fails or adds not the same to all.
float AddedBy(VirtualMachine* machine, std::string_view function, int64_t count, int seed) {
  const TensorPtr x = Tensor::New(kF32, {count}).value();
  for (int64_t i = 0; i < count; ++i)
    x->data_as<float>()[i] = static_cast<float>((i * 37 + seed * 11) % 101);
  const Result<Any> y = machine->Call(function, {x.get()});
  if (!y.ok()) return -1;
  const float* const made = y->TryCast<Tensor>()->data_as<float>();
  const float added = made[0] - x->data_as<float>()[0];
  for (int64_t i = 0; i < count; ++i) {
    if (made[i] != x->data_as<float>()[i] + added) return -1;
  }
  return added;
}

TEST(KernelThreads, B29_AKernelThatIsNeededByAllAtOnceIsChosenOnce) {
  for (int round = 0; round < 8; ++round) {
    const ProgramPtr program = Linked(KernelPolicy::kAuto);
    std::atomic<int> wrong{0};
    InThreads([&](int thread) {
      const auto machine = VirtualMachine::Create(program).value();
      for (const std::string_view name : {"only", "good", "torn", "wide"})
        wrong += AddedBy(machine.get(), name, 64, thread) == (name == "only" ? 1 : 0) ? 0 : 1;
      wrong += AddedBy(machine.get(), "torn_only", 64, thread) == -1 ? 0 : 1;
      wrong += BackendOf(program, "only") == "interpreter" ? 0 : 1;
      wrong += BackendOf(program, "torn_only") == "none" ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST(KernelThreads, B29_MachinesOfSeveralThreadsShareTheKernels) {
  const ProgramPtr program = Linked(KernelPolicy::kAuto);
  std::atomic<int> wrong{0};
  InThreads([&](int thread) {
    const auto machine = VirtualMachine::Create(program).value();
    for (int call = 0; call < 24; ++call) {
      wrong += AddedBy(machine.get(), "only", 5000, thread) == 1 ? 0 : 1;
      BackendOf(program, "only");
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(BackendOf(program, "only"), LlvmDescription().ok() ? "compiled" : "interpreter");
}

// The operators take the calls while one of the threads looks at the kernel and compiles it.
TEST(KernelThreads, B29_OperatorsRunUntilTheKernelIsCompiled) {
  const ProgramPtr program = Linked(KernelPolicy::kAuto);
  std::atomic<int> wrong{0}, by_kernel{0};
  InThreads([&](int thread) {
    const auto machine = VirtualMachine::Create(program).value();
    bool was_compiled = false;
    for (int call = 0; call < 16; ++call) {
      const float added =
          AddedBy(machine.get(), "good", CompiledKernel::kOperatorElements / 32, thread);
      wrong += added == 1 || (added == 0 && !was_compiled) ? 0 : 1;
      was_compiled |= added == 1;
    }
    by_kernel += was_compiled ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0);
  if (LlvmDescription().ok()) EXPECT_GT(by_kernel, 0);
}

TEST(KernelThreads, B29_BackendsChangeWhileProgramsRun) {
  const ProgramPtr program = Linked(KernelPolicy::kAuto);
  std::atomic<int> wrong{0};
  InThreads([&](int thread) {
    constexpr KernelPolicy kPolicies[] = {KernelPolicy::kAuto, KernelPolicy::kInterpreter};
    for (int call = 0; call < 20; ++call) {
      if (thread == 0)
        wrong += PrepareKernels(*program, {.policy = kPolicies[call % 2]}).ok() ? 0 : 1;
      const auto machine = VirtualMachine::Create(program).value();
      wrong += AddedBy(machine.get(), "only", 100, thread) == 1 ? 0 : 1;
      const std::string backend = BackendOf(program, "good");
      wrong += backend == "operators" || backend == "interpreter" ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tern::native::kernel_threads_test
