// SPDX-License-Identifier: Apache-2.0
// Runtimes of different kernel targets in one process: each runs its own kernels, in turn and in
// threads of their own at the same time, since nothing about a runtime is kept outside of it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/api/c_api.h"
#include "core/kernels/bind/regex.h"
#include "core/kernels/choose.h"
#include "core/kernels/cpu_features.h"

namespace runtime_threads_test {
namespace {

constexpr int64_t kSide = 47;  // no multiple of any vector's length
constexpr char kText[] =
    ".func @main(x)\n  call matmul in: %0, %0 dst: %1\n  call exp in: %1 dst: %2\n"
    "  call softmax{axis=1} in: %1 dst: %3\n  call add in: %2, %3 dst: %1\n  ret ret %1\n";

std::string Take(tern_status* status) {
  const std::string text = status == nullptr ? "" : tern_status_text(status);
  tern_status_free(status);
  return text;
}

// The program's result on a runtime of its own with the kernels of `target`, as bytes; empty and
// *error where something fails.
std::vector<float> RunOn(const char* target, std::string* error) {
  tern_runtime_options options{};
  options.struct_size = sizeof options;
  options.target = target;
  tern_runtime* runtime = nullptr;
  if (*error = Take(tern_runtime_create(&options, &runtime)); !error->empty()) return {};
  tern_buffer* file = nullptr;
  tern_program* program = nullptr;
  tern_vm* vm = nullptr;
  TernAny input{}, output{};
  const int64_t shape[] = {kSide, kSide};
  std::vector<float> result(kSide * kSide);
  const auto step = [&](tern_status* status) {
    *error = Take(status);
    return error->empty();
  };
  void* data = nullptr;
  if (step(tern_assemble(runtime, kText, sizeof kText - 1, nullptr, &file)) &&
      step(tern_program_load(runtime, tern_buffer_data(file), tern_buffer_size(file), nullptr,
                             nullptr, &program)) &&
      step(tern_vm_create(program, nullptr, &vm)) &&
      step(tern_tensor_new(runtime, "f32", 2, shape, &input)) &&
      step(tern_tensor_view(&input, &data, nullptr, nullptr, nullptr, nullptr))) {
    for (int64_t i = 0; i < kSide * kSide; ++i)
      static_cast<float*>(data)[i] = static_cast<float>(i * 7919 % 1000) / 3000 - 0.17f;
    if (step(tern_vm_call(vm, "main", &input, 1, &output)) &&
        step(tern_tensor_view(&output, &data, nullptr, nullptr, nullptr, nullptr)))
      std::memcpy(result.data(), data, result.size() * sizeof(float));
  }
  tern_any_release(&output);
  tern_any_release(&input);
  tern_vm_free(vm);
  tern_program_free(program);
  tern_buffer_free(file);
  tern_runtime_free(runtime);
  return error->empty() ? result : std::vector<float>();
}

std::vector<const char*> TargetsOfThisMachine() {
  std::vector<const char*> names;
  const tern::kernels::CpuFeatures features = tern::kernels::DetectCpuFeatures();
  for (int i = 0; const tern::kernels::KernelTable* table = tern::kernels::CompiledTable(i); ++i) {
    if (tern::kernels::CanRun(*table, features)) names.push_back(table->name);
  }
  return names;
}

TEST(RuntimeThreads, EachRuntimeRunsTheKernelsOfItsTarget) {
  std::map<std::string, std::vector<float>> alone;
  for (const char* target : TargetsOfThisMachine()) {
    std::string error;
    alone[target] = RunOn(target, &error);
    ASSERT_EQ(error, "") << target;
  }
  // Without fused multiply-add, products round otherwise: the kernels are different ones indeed.
  if (alone.contains("sse4") && alone.contains("avx2")) EXPECT_NE(alone["sse4"], alone["avx2"]);

  std::vector<std::thread> threads;
  std::vector<std::string> wrong(2 * alone.size());
  for (size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto& [target, expected] =
          *std::next(alone.begin(), static_cast<std::ptrdiff_t>(i % alone.size()));
      for (int round = 0; round < 20 && wrong[i].empty(); ++round) {
        if (RunOn(target.c_str(), &wrong[i]) != expected && wrong[i].empty())
          wrong[i] = target + " gave something else beside other runtimes";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) EXPECT_EQ(text, "");
}

TEST(RuntimeThreads, ARefusedTargetLeavesOtherRuntimesAlone) {
  std::string before, error, after;
  const std::vector<float> expected = RunOn(nullptr, &before);
  EXPECT_TRUE(RunOn("avx9", &error).empty());
  EXPECT_NE(error.find("E0012"), std::string::npos) << error;
  EXPECT_EQ(RunOn(nullptr, &after), expected);
}

// Named sets of characters were a table that the first pattern filled, without a guard.
TEST(RuntimeThreads, PatternsAreCompiledAtTheSameTime) {
  std::vector<std::thread> threads;
  std::vector<char> matches(4, 0);
  for (char& match : matches) {
    threads.emplace_back([&match] {
      const auto regex = tern::kernels::bind::Regex::Compile("[[:alpha:]]+\\d");
      match = regex.ok() && regex->MatchesWhole("abc7") && !regex->MatchesWhole("abc");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(matches, std::vector<char>(4, 1));
}

}  // namespace
}  // namespace runtime_threads_test
