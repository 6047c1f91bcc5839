// SPDX-License-Identifier: Apache-2.0
// bench_loops [--json FILE] [--filter TEXT] [--quick]: the loop programs of tests/loop/programs
// beside the same loops in C. On this processor by time, on AArch64 SVE by llvm-mca's cycles, in
// WebAssembly by time under Node; what a call of a kernel costs beside an operator's; and fused
// operators beside onnxruntime-web. Run from the repository's root; what a machine lacks (LLVM,
// clang-19, llvm-mca-19, Emscripten, tools/build_web.sh run before) is left out and named.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/interpreter.h"
#include "core/loop/text/parser.h"
#include "native/jit/llvm_compiler.h"
#include "native/tune/mca.h"
#include "tests/support/commands.h"
#include "tests/support/read_file.h"
#include "tools/bench/loops/callable_rows.h"
#include "tools/bench/loops/fused_rows.h"
#include "tools/bench/loops/instruction_rows.h"
#include "tools/bench/loops/kernel_rows.h"
#include "tools/bench/loops/web_rows.h"
#include "tools/bench/support/rows.h"

namespace tern::bench {
namespace {

using loop::LlvmFlavor;
using loop::Program;
using loop::Strategy;
using LoopFunction = int32_t (*)(void* const*, const int64_t*);

constexpr int64_t kCount = 2048;

struct Kernel {
  const char* name;
  int loads;  // vectors loaded for one vector of results
  int element_bytes;
};
constexpr Kernel kComparedKernels[] = {
    {"add", 2, 4}, {"daxpy", 2, 8}, {"relu", 1, 4}, {"dot", 2, 4}};

// A strategy other than the target's usual one may be given, and how many vectors run at once.
struct Choice {
  Strategy strategy = Strategy::kSchedule;
  int32_t interleave = 0;
};

Result<Program> Lower(const Kernel& kernel, const char* target, const Choice& choice = {}) {
  const std::string path = StrCat("tests/loop/programs/", kernel.name, ".tloop");
  TERN_TRY_ASSIGN(const loop::SourceFile source, loop::ParseLoops(path, ReadFile(path)));
  loop::LoweringOptions options = loop::DefaultLowering(*loop::FindTarget(target));
  if (choice.strategy != Strategy::kSchedule) options.strategy = choice.strategy;
  if (choice.interleave != 0) options.interleave = choice.interleave;
  return LowerFile(source, options);
}

void Report(std::string_view what, const Status& status) {
  std::fprintf(stderr, "%s left out: %s\n", std::string(what).c_str(), status.ToString().c_str());
}

// Arguments for every kernel: three arrays of doubles' size, a count and one scalar. They lie where
// tensors do, at multiples of 64 bytes, and no two at the same place of a page, where a load would
// wait for a store that only seems to be to the same address. Both sides of a row work on the same
// ones: where arrays lie changes such loops by half.
struct Arguments {
  static constexpr int64_t kBytes = kCount * static_cast<int64_t>(sizeof(double));
  static constexpr int64_t kApart = 1024 + 256;
  struct alignas(4096) Memory {
    std::byte bytes[3 * (kBytes + kApart)];
  };
  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
  void* buffers[3];
  int64_t slots[2] = {kCount, 0};
  Arguments() {
    for (int64_t i = 0; i < 3; ++i) buffers[i] = memory->bytes + i * (kBytes + kApart);
    std::fill_n(static_cast<double*>(buffers[0]), kCount, 0.5);
    const double a = 0.25;
    slots[1] = __builtin_bit_cast(int64_t, a);
  }
};

// The C loops compiled for this processor.
class Rivals {
 public:
  Rivals() {
    const std::string library = folder_.Path("rivals.so");
    const auto made = testing::RunCommand(
        StrCat("clang-19 -O3 -march=native -ffp-contract=off -fvisibility=hidden -shared -fPIC "
               "tools/bench/loops/rivals.c -o ",
               library));
    if (made.exit_code == 0) handle_ = dlopen(library.c_str(), RTLD_NOW);
  }
  bool ok() const { return handle_ != nullptr; }
  Loop Make(const Kernel& kernel, Arguments* arguments) const {
    void* f = dlsym(handle_, kernel.name);
    void** b = arguments->buffers;
    const auto rival = reinterpret_cast<void (*)(void*, void*, void*, int64_t, double)>(f);
    return [=](int64_t n) {
      for (; n > 0; --n) {
        rival(b[0], b[1], b[2], kCount, 0.25);
        ClobberMemory();
      }
    };
  }

 private:
  testing::ScratchFolder folder_;
  void* handle_ = nullptr;
};

Result<std::unique_ptr<native::NativeCode>> CompileForHost(const Kernel& kernel) {
  TERN_TRY_ASSIGN(const native::CodeTarget host, native::HostCodeTarget());
  const bool wide = host.features.find("+avx512f") != std::string::npos;
  TERN_TRY_ASSIGN(const Program program, Lower(kernel, wide ? "x86_64+avx512" : "x86_64+avx2"));
  TERN_TRY_ASSIGN(const std::string ir, LlvmText(program, LlvmFlavor::kFixed));
  return native::NativeCode::FromIr(ir);
}

Status HostRow(const Kernel& kernel, const Rivals& rivals, Bench* bench) {
  TERN_TRY_ASSIGN(const auto code, CompileForHost(kernel));
  TERN_TRY_ASSIGN(void* address, code->Find(kernel.name));
  const auto function = reinterpret_cast<LoopFunction>(address);
  Arguments arguments;
  bench->Compare(
      {.name = StrCat(kernel.name, ", this processor"),
       .rival_name = "clang-19 -O3 -march=native",
       .target_ratio = 1.05,
       .items_per_iteration = kCount,
       .unit = "ns/element"},
      [&](int64_t n) {
        for (; n > 0; --n) {
          function(arguments.buffers, arguments.slots);
          ClobberMemory();
        }
      },
      rivals.Make(kernel, &arguments));
  return OkStatus();
}

Status InterpreterRow(const Kernel& kernel, Bench* bench) {
  TERN_TRY_ASSIGN(const auto code, CompileForHost(kernel));
  TERN_TRY_ASSIGN(void* address, code->Find(kernel.name));
  const auto function = reinterpret_cast<LoopFunction>(address);
  TERN_TRY_ASSIGN(const Program program, Lower(kernel, "reference", {Strategy::kFixed}));
  TERN_TRY_ASSIGN(const loop::Interpreter interpreter,
                  loop::Interpreter::Make(program.functions[0]));
  Arguments ours, theirs;
  const int64_t sizes[] = {kCount};
  const uint64_t scalars[] = {static_cast<uint64_t>(theirs.slots[1])};
  std::vector<loop::BufferArgument> buffers;
  for (size_t i = 0; i < program.functions[0].buffers.size(); ++i)
    buffers.push_back({theirs.buffers[i], kCount * 8});
  const loop::RunArguments arguments = {
      buffers, sizes, {scalars, program.functions[0].scalars.size()}};
  bench->Compare(
      {.name = StrCat(kernel.name, ", against the interpreter"),
       .rival_name = "reference interpreter",
       .target_ratio = 0.2,
       .items_per_iteration = kCount,
       .unit = "ns/element"},
      [&](int64_t n) {
        for (; n > 0; --n) {
          function(ours.buffers, ours.slots);
          ClobberMemory();
        }
      },
      [&](int64_t n) {
        for (; n > 0; --n) {
          const auto counters = interpreter.Run(arguments);
          if (!counters.ok()) return Report("interpreter", counters.status());
        }
      });
  return OkStatus();
}

// What `tern tune` chooses from for loops of one axis, each with any of these numbers of vectors.
constexpr int32_t kInterleaves[] = {1, 2, 4, 8};
struct Candidate {
  Strategy strategy;
  const char* target;
  LlvmFlavor flavor;
};
constexpr Candidate kCandidates[] = {
    {Strategy::kFixed, "aarch64", LlvmFlavor::kNeon},
    {Strategy::kCleanup, "aarch64+sve", LlvmFlavor::kSve},
    {Strategy::kPredicated, "aarch64+sve", LlvmFlavor::kSve},
};

// Of the inner loop, per element of the result.
Result<double> Cycles(const Kernel& kernel, const native::McaCore& core,
                      const std::string& assembly) {
  TERN_TRY_ASSIGN(const native::InnerLoop loop, native::FindInnerLoop(assembly, kernel.name));
  TERN_TRY_ASSIGN(const double cycles, native::CyclesOf(loop, core.cpu));
  return cycles * kernel.loads * kernel.element_bytes / loop.LoadedBytes(core.vector_bytes);
}

Result<double> BestCycles(const Kernel& kernel, const native::McaCore& core,
                          const Candidate& candidate) {
  native::CodeTarget target = *native::FindCodeTarget("aarch64-sve");
  target.cpu = core.cpu;
  double best = 1e9;
  for (const int32_t interleave : kInterleaves) {
    TERN_TRY_ASSIGN(const Program program,
                    Lower(kernel, candidate.target, {candidate.strategy, interleave}));
    TERN_TRY_ASSIGN(const std::string ir, LlvmText(program, candidate.flavor));
    TERN_TRY_ASSIGN(const std::string assembly,
                    native::CompileLlvmIr(ir, target, {native::CodeForm::kAssembly}));
    TERN_TRY_ASSIGN(const double cycles, Cycles(kernel, core, assembly));
    best = std::min(best, cycles);
  }
  return best;
}

Status SveRow(const Kernel& kernel, const native::McaCore& core, const std::string& rival_assembly,
              Bench* bench) {
  TERN_TRY_ASSIGN(const double rival, Cycles(kernel, core, rival_assembly));
  double best = 1e9;
  for (const Candidate& candidate : kCandidates) {
    TERN_TRY_ASSIGN(const double cycles, BestCycles(kernel, core, candidate));
    bench->Figure(
        {.name = StrCat(kernel.name, ", ", core.cpu, ", ", StrategyName(candidate.strategy)),
         .unit = "cycles/element"},
        cycles);
    best = std::min(best, cycles);
  }
  bench->Figure({.name = StrCat(kernel.name, ", ", core.cpu, ", the best of these"),
                 .rival_name = "clang-19 -O3",
                 .target_ratio = 1.1,
                 .unit = "cycles/element"},
                best, rival);
  return OkStatus();
}

void SveRows(Bench* bench) {
  for (const native::McaCore& core : native::kMcaCores) {
    const testing::ScratchFolder folder;
    const std::string path = folder.Path("rivals.s");
    const auto made = testing::RunCommand(
        StrCat("clang-19 -O3 --target=aarch64-linux-gnu -ffp-contract=off -mcpu=", core.cpu,
               " -S tools/bench/loops/rivals.c -o ", path));
    if (made.exit_code != 0) return Report("SVE", NotFound("clang-19: ", made.output));
    for (const Kernel& kernel : kComparedKernels) {
      const Status status = SveRow(kernel, core, ReadFile(path), bench);
      if (!status.ok()) Report(StrCat(kernel.name, ", ", core.cpu), status);
    }
  }
}

}  // namespace
}  // namespace tern::bench

int main(int argc, char** argv) {
  using namespace tern;
  bench::Bench bench("loops", argc, argv);
  bench::CallableRows(&bench);
  const bench::Rivals rivals;
  for (const bench::Kernel& kernel : bench::kComparedKernels) {
    Status status = rivals.ok() ? bench::HostRow(kernel, rivals, &bench)
                                : NotFound("clang-19 makes no shared library here");
    if (status.ok()) status = bench::InterpreterRow(kernel, &bench);
    if (!status.ok()) bench::Report(kernel.name, status);
  }
  bench::SveRows(&bench);
  bench::InstructionRows(&bench);
  if (const Status status = bench::KernelRows(&bench); !status.ok())
    bench::Report("kernels of programs", status);
  bench::WebRows(&bench);
  bench::FusedRows(&bench);
  return bench.Finish();
}
