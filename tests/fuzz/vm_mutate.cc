// SPDX-License-Identifier: Apache-2.0
// vm_mutate [--count N] [--seed S] FILE…: single- and multi-byte mutations of executables and of
// what small .onnx models compile to, each read, printed, parsed again, linked and run within
// limits. A crash ends the program; a mutation that takes longer than a second, an exception or a
// leak (with the address sanitizer) is a failure. Large files get a fiftieth of the mutations.
// Tensor data is seldom changed: it is what cannot harm. The last line is `N passed, N failed`.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "core/driver/compile.h"
#include "core/kernels/bind/bind.h"
#include "core/kernels/choose.h"
#include "core/text/diagnostics.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "tests/support/read_file.h"
#include "tests/support/vm_file.h"
#include "tests/support/vm_mutator.h"

namespace tern::support {
namespace {

constexpr size_t kLargeFile = 32768;
constexpr double kHangSeconds = 1;

// Of the processor, so that a busy machine does not look like a hang.
double Now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Target {
  std::vector<uint8_t> bytes;
  std::vector<std::pair<size_t, size_t>>
      ranges;  // header, and what the checksums of sections cover
};

bool Load(const char* path, std::vector<Target>* targets) {
  const std::string text = ReadFile(path);
  Target target{std::vector<uint8_t>(text.begin(), text.end()), {}};
  if (std::string_view(path).ends_with(".onnx")) {
    const Result<driver::CompileResult> compiled =
        driver::CompileOnnx(AsBytes(text), driver::CompileOptions());
    if (!compiled.ok()) std::fputs(text::RenderText(compiled.status()).c_str(), stderr);
    if (!compiled.ok()) return false;
    target.bytes = vm::SaveExecutable(*compiled->executable);
  }
  const Result<vm::FileLayout> layout = vm::ReadLayout(target.bytes);
  if (!layout.ok()) std::fprintf(stderr, "vm_mutate: %s is no executable\n", path);
  if (!layout.ok()) return false;
  target.ranges.emplace_back(0, static_cast<size_t>(layout->sections[0].offset));
  for (const vm::SectionEntry& section : layout->sections) {
    if (section.checked_bytes == 0) continue;
    const auto offset = static_cast<size_t>(section.offset);
    // Code most: it is what the verifier is for.
    for (int i = section.id == static_cast<uint32_t>(vm::SectionId::kCode) ? 0 : 5; i < 6; ++i)
      target.ranges.emplace_back(offset, offset + static_cast<size_t>(section.checked_bytes));
  }
  target.ranges.emplace_back(0, target.bytes.size());
  targets->push_back(std::move(target));
  return true;
}

class Driver {
 public:
  explicit Driver(Registry* registry) : registry_(registry) {}

  void Run(const Target& target, uint32_t seed) {
    std::vector<uint8_t> bytes = target.bytes;
    Mutator(seed, target.ranges).Mutate(&bytes);
    if (seed % 8 != 0) Reseal(&bytes);  // most with right checksums, so that they get deeper
    const double begin = Now();
    Try(bytes);
    const double seconds = Now() - begin;
    slowest_ = seconds > slowest_ ? seconds : slowest_;
    hangs_ += seconds > kHangSeconds ? 1 : 0;
    if (seconds > kHangSeconds) std::printf("seed %u took %.2f s\n", seed, seconds);
  }

  int Report(double seconds) const {
    const uint64_t runs = outcomes_[0] + outcomes_[1] + outcomes_[2];
    std::printf("%llu refused, %llu not linked, %llu ran, slowest %.0f ms, %.0f s in all\n",
                static_cast<unsigned long long>(outcomes_[0]),
                static_cast<unsigned long long>(outcomes_[1]),
                static_cast<unsigned long long>(outcomes_[2]), slowest_ * 1000, seconds);
    std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(runs - hangs_),
                static_cast<unsigned long long>(hangs_ + exceptions_));
    return hangs_ + exceptions_ == 0 && outcomes_[2] > 0 ? 0 : 1;
  }

 private:
  void Try(const std::vector<uint8_t>& bytes) {
#ifdef __cpp_exceptions
    try {
      ++outcomes_[Exercise(bytes, registry_)];
    } catch (...) {
      ++exceptions_;
    }
#else
    ++outcomes_[Exercise(bytes, registry_)];
#endif
  }

  Registry* registry_;
  uint64_t outcomes_[3] = {};
  uint64_t hangs_ = 0;
  uint64_t exceptions_ = 0;
  double slowest_ = 0;
};

int Main(int argc, char** argv) {
  uint64_t count = 100'000;
  uint32_t seed = 1;
  std::vector<Target> targets;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--count") == 0 && i + 1 < argc)
      count = std::strtoull(argv[++i], nullptr, 10);
    else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
      seed = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    else if (!Load(argv[i], &targets))
      return 2;
  }
  if (targets.empty()) return std::fputs("vm_mutate: no files\n", stderr), 2;
  Registry registry;
  if (!kernels::RegisterOperators(&registry).ok() || !vm::RegisterBuiltins(&registry).ok())
    return 2;
  Driver driver(&registry);
  const double begin = Now();
  for (uint64_t i = 0, turn = 0; i < count; ++turn) {
    const Target& target = targets[turn % targets.size()];
    if (target.bytes.size() > kLargeFile && turn / targets.size() % 50 != 0) continue;
    driver.Run(target, seed + static_cast<uint32_t>(i++));
  }
  return driver.Report(Now() - begin);
}

}  // namespace
}  // namespace tern::support

int main(int argc, char** argv) { return tern::support::Main(argc, argv); }
