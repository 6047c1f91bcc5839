// SPDX-License-Identifier: Apache-2.0
// The best of several rounds, since other programs can only make a round longer.
#include "native/cli/machine_speed.h"

#include <string.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/base/strings.h"
#include "native/cli/call.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSeconds = 0.4;  // for each figure

constexpr std::string_view kProduct =
    ".func @main(a: f32[n, n], b: f32[n, n]) -> f32[n, n]\n"
    "  call  matmul in: %0, %1 dst: %2\n"
    "  ret   ret %2\n";

// The shortest of the rounds that fit into the time, in seconds; at least two.
template <typename Round>
Result<double> ShortestOf(Round round) {
  double shortest = 1e9, spent = 0;
  for (int i = 0; i < 2 || spent < kSeconds; ++i) {
    const Clock::time_point start = Clock::now();
    TERN_TRY(round());
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    shortest = std::min(shortest, seconds);
    spent += seconds;
  }
  return shortest;
}

Result<double> ProductSeconds(const Engine& engine) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(
      tern_assemble(engine.runtime.get(), kProduct.data(), kProduct.size(), "product", &raw)));
  TERN_TRY_ASSIGN(const Program program, LoadBuffer(engine, Buffer(raw)));
  tern_vm* raw_vm = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), nullptr, &raw_vm)));
  const Machine machine(raw_vm);
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, "main"));
  InputOptions input;
  input.fill_missing = true;
  input.dims = {StrCat("n=", kProductExtent)};
  TERN_TRY_ASSIGN(const std::vector<NamedArray> arrays, BindInputs(input, function));
  TERN_TRY_ASSIGN(const std::vector<Value> values, ToTensors(engine, arrays));
  const std::vector<TernAny> arguments = Borrow(values);
  return ShortestOf([&] {
    Value result;
    return FromApi(tern_vm_call(machine.get(), "main", arguments.data(), 2, result.out()));
  });
}

Result<double> CopySeconds() {
  std::vector<uint8_t> from(kCopyBytes, 1), to(kCopyBytes, 0);
  return ShortestOf([&] {
    memcpy(to.data(), from.data(), to.size());
    // What nobody reads need not be copied: the next round begins with a byte of this one.
    from[0] = static_cast<uint8_t>(to[to.size() - 1] + 1);
    return Status();
  });
}

}  // namespace

Result<MachineSpeed> MeasureMachine(const Engine& engine) {
  TERN_TRY_ASSIGN(const double product, ProductSeconds(engine));
  TERN_TRY_ASSIGN(const double copy, CopySeconds());
  constexpr auto kExtent = static_cast<double>(kProductExtent);
  const double gops = kExtent * kExtent * kExtent / product / 1e9;
  return MachineSpeed{.gflops = 2 * gops,
                      .gops = gops,
                      .copy_gb_per_s = 2 * static_cast<double>(kCopyBytes) / copy / 1e9};
}

}  // namespace tern::cli
