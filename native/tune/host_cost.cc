// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "core/loop/emit/llvm_text.h"
#include "core/loop/run/workspace.h"
#include "native/jit/llvm_compiler.h"
#include "native/tune/loop_cost.h"

namespace tern::native {
namespace {

// In nanoseconds: long against the clock's resolution, short against a time slice.
constexpr double kSampleNs = 1e6;
constexpr int kSamples = 15;

// A compiled function with memory of its own.
class HostFunction {
 public:
  // Compiles the function and makes up its arguments. Errors are the compiler's.
  static Result<HostFunction> Make(const loop::LoopFunction& function, const Sizes& sizes,
                                   const loop::Target& target) {
    TERN_TRY_ASSIGN(const std::string ir, loop::LlvmText({{function}}, loop::FlavorOf(target)));
    HostFunction made;
    TERN_TRY_ASSIGN(made.code_, NativeCode::FromIr(ir));
    TERN_TRY_ASSIGN(void* address, made.code_->Find(function.name));
    made.call_ = reinterpret_cast<Call*>(address);
    TERN_TRY_ASSIGN(made.workspace_, loop::Workspace::Make(function, sizes));
    const loop::RunArguments arguments = made.workspace_.arguments();
    for (const loop::BufferArgument& buffer : arguments.buffers)
      made.buffers_.push_back(buffer.data);
    made.slots_.assign(arguments.sizes.begin(), arguments.sizes.end());
    for (const uint64_t scalar : arguments.scalars)
      made.slots_.push_back(static_cast<int64_t>(scalar));
    return made;
  }

  // Nanoseconds of one call, averaged over so many.
  double Time(int64_t calls) const {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < calls; ++i) CallLoopCode(call_, buffers_.data(), slots_.data());
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    return std::max(taken.count(), 1.0) / static_cast<double>(calls);
  }

  // Doubles until the time can be measured, then scales to a sample.
  int64_t CallsOfASample() const {
    int64_t calls = 1;
    double ns = Time(1);
    while (ns * static_cast<double>(calls) < kSampleNs / 4 && calls < 1 << 24)
      ns = Time(calls *= 2);
    return std::max<int64_t>(1, static_cast<int64_t>(kSampleNs / ns));
  }

 private:
  using Call = int32_t(void* const* buffers, const int64_t* slots);
  HostFunction() = default;
  std::unique_ptr<NativeCode> code_;
  Call* call_ = nullptr;
  loop::Workspace workspace_;
  std::vector<void*> buffers_;
  std::vector<int64_t> slots_;
};

// The median ignores interrupts, which the mean does not.
double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Costs in nanoseconds of this processor. Each candidate is measured beside the program as written.
class HostCost : public LoopCost {
 public:
  HostCost(HostFunction as_written, Sizes sizes, const loop::Target& target)
      : as_written_(std::move(as_written)), sizes_(std::move(sizes)), target_(target) {
    calls_ = as_written_.CallsOfASample();
  }

  Result<loop::tune::Measurement> Measure(const loop::LoopFunction& function) override {
    TERN_TRY_ASSIGN(const HostFunction other, HostFunction::Make(function, sizes_, target_));
    const int64_t calls = other.CallsOfASample();
    std::vector<double> ours, theirs;
    // In turns, so that a change of the processor's frequency hits both.
    for (int i = 0; i < kSamples; ++i) {
      ours.push_back(other.Time(calls));
      theirs.push_back(as_written_.Time(calls_));
    }
    return loop::tune::Measurement{MedianOf(std::move(ours)), MedianOf(std::move(theirs)), "ns"};
  }

 private:
  const HostFunction as_written_;
  const Sizes sizes_;
  const loop::Target& target_;
  int64_t calls_ = 1;
};

}  // namespace

Result<std::unique_ptr<LoopCost>> MakeHostCost(const loop::LoopFunction& as_written,
                                               const Sizes& sizes, const CodeTarget& host) {
  const loop::Target& target = *loop::FindTarget(host.loops);
  TERN_TRY_ASSIGN(HostFunction compiled, HostFunction::Make(as_written, sizes, target));
  return std::unique_ptr<LoopCost>(new HostCost(std::move(compiled), sizes, target));
}

}  // namespace tern::native
