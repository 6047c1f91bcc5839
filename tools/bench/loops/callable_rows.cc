// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/loops/callable_rows.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "native/backends/compiled_kernel.h"
#include "tests/support/read_file.h"

namespace tern::bench {
namespace {

constexpr double kTargetMs = 30;
constexpr int kColdSamples = 3;
constexpr int kWarmSamples = 9;

struct CallableKernel {
  const char* name;  // of a program in tests/loop/programs
  const char* signature;
};
constexpr CallableKernel kKernels[] = {
    {"relu", "(X: f32[n]) -> f32[n]"},
    {"gelu", "(X: f32[n]) -> f32[n]"},
    {"layer_norm", "(X: f32[m, n], G: f32[n], B: f32[n], w: f32[]) -> f32[m, n]"},
    {"softmax", "(X: f32[m, n]) -> f32[m, n]"},
};

Status Compile(const CallableKernel& kernel) {
  const std::string text = ReadFile(StrCat("tests/loop/programs/", kernel.name, ".tloop"));
  native::CompiledKernel compiled({kernel.name, text, kernel.signature, ""},
                                  native::Meanwhile::kOperators);
  return compiled.Compile();
}

Result<double> MillisecondsOf(const CallableKernel& kernel) {
  const auto start = std::chrono::steady_clock::now();
  TERN_TRY(Compile(kernel));
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

// In a child process.
std::optional<double> ColdMilliseconds(const CallableKernel& kernel) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const Result<double> taken = MillisecondsOf(kernel);
    const double value = taken.ok() ? *taken : -1;
    _exit(write(pipe_ends[1], &value, sizeof(value)) == sizeof(value) ? 0 : 1);
  }
  close(pipe_ends[1]);
  double value = -1;
  const bool got = child > 0 && read(pipe_ends[0], &value, sizeof(value)) == sizeof(value);
  close(pipe_ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!got || value < 0) return std::nullopt;
  return value;
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Status ColdRow(const CallableKernel& kernel, Bench* bench) {
  std::vector<double> samples;
  for (int i = 0; i < kColdSamples; ++i) {
    const std::optional<double> sample = ColdMilliseconds(kernel);
    if (!sample.has_value()) return Failed("the child process compiled nothing");
    samples.push_back(*sample);
  }
  bench->Figure({.name = StrCat(kernel.name, ", text to callable, LLVM opened"), .unit = "ms"},
                MedianOf(std::move(samples)));
  return OkStatus();
}

Status WarmRow(const CallableKernel& kernel, Bench* bench) {
  std::vector<double> samples;
  for (int i = 0; i < kWarmSamples; ++i) {
    TERN_TRY_ASSIGN(const double sample, MillisecondsOf(kernel));
    samples.push_back(sample);
  }
  bench->Figure(
      {.name = StrCat(kernel.name, ", text to callable"), .target = kTargetMs, .unit = "ms"},
      MedianOf(std::move(samples)));
  return OkStatus();
}

}  // namespace

void CallableRows(Bench* bench) {
  Status status;
  for (const CallableKernel& kernel : kKernels) {
    if (status.ok()) status = ColdRow(kernel, bench);
  }
  for (const CallableKernel& kernel : kKernels) {
    if (status.ok()) status = WarmRow(kernel, bench);
  }
  if (!status.ok())
    std::fprintf(stderr, "time to callable left out: %s\n", status.ToString().c_str());
}

}  // namespace tern::bench
