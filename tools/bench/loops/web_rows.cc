// SPDX-License-Identifier: Apache-2.0
// Node does the timing; what it prints are rows of numbers.
#include "tools/bench/loops/web_rows.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"
#include "tests/support/commands.h"
#include "tests/support/read_file.h"

namespace tern::bench {
namespace {

constexpr int64_t kWebCount = 2048;
constexpr char kPackage[] = "wasm/package/dist/index.js";

struct WebLoop {
  const char* name;
  const char* signature;  // for the package, which compiles loops as kernels of functions
};
constexpr WebLoop kWebLoops[] = {
    {"add", "(A: f32[n], B: f32[n]) -> f32[n]"},
    {"daxpy", "(X: f64[n], Y: f64[n], a: f64[]) -> f64[n]"},
    {"relu", "(X: f32[n]) -> f32[n]"},
    {"dot", "(A: f32[n], B: f32[n]) -> f32[]"},
};

std::string SourceOf(const WebLoop& loop) {
  return StrCat("tests/loop/programs/", loop.name, ".tloop");
}

// A compiler of rivals.c, as the command that writes the module named last.
struct RivalCompiler {
  std::string name;
  std::string command;
};

std::vector<RivalCompiler> RivalCompilers() {
  std::vector<RivalCompiler> compilers;
  // tools/setup has written down which Emscripten it is.
  const auto root =
      testing::RunCommand(". tools/setup/lib.sh && cat \"$tern_prefix/emscripten_root\"");
  if (root.exit_code == 0) {
    compilers.push_back(
        {"em++ -O3 -msimd128",
         StrCat(StrTrim(root.output),
                "/em++ -O3 -msimd128 -ffp-contract=off --no-entry -sIMPORTED_MEMORY "
                "-sEXPORTED_FUNCTIONS=_add,_daxpy,_relu,_dot "
                "-x c++ tools/bench/loops/rivals.c -o ")});
  }
  compilers.push_back(
      {"clang-19 -O3 -msimd128",
       "clang-19 -O3 --target=wasm32 -msimd128 -ffp-contract=off -nostdlib -Wl,--no-entry "
       "-Wl,--import-memory -Wl,--export-dynamic tools/bench/loops/rivals.c -o "});
  return compilers;
}

// The first `count` words of what a script printed.
Result<std::vector<double>> Numbers(const testing::CommandResult& run, size_t count) {
  std::vector<double> numbers;
  for (const std::string_view word : StrSplit(StrTrim(run.output), ' ')) {
    const std::optional<double> number = ParseDouble(word);
    if (number) numbers.push_back(*number);
  }
  if (run.exit_code != 0 || numbers.size() != count) return Failed(run.output);
  return numbers;
}

Result<std::vector<uint8_t>> Emit(const WebLoop& loop) {
  const std::string path = SourceOf(loop);
  TERN_TRY_ASSIGN(const loop::SourceFile source, loop::ParseLoops(path, ReadFile(path)));
  TERN_TRY_ASSIGN(const loop::Program program,
                  LowerFile(source, loop::DefaultLowering(*loop::FindTarget("wasm32"))));
  TERN_TRY_ASSIGN(loop::WasmModule module, EmitWasm(program, {}));
  return std::move(module.bytes);
}

// Nanoseconds per element of both modules, in turns.
Status RivalRows(const RivalCompiler& compiler, Bench* bench) {
  const testing::ScratchFolder folder;
  const std::string rivals = folder.Path("rivals.wasm");
  const auto made = testing::RunCommand(StrCat(compiler.command, rivals));
  if (made.exit_code != 0) return NotFound(compiler.name, ": ", made.output);
  for (const WebLoop& loop : kWebLoops) {
    const std::string name = StrCat(loop.name, ", WebAssembly");
    if (!bench->Wanted(name)) continue;
    TERN_TRY_ASSIGN(const std::vector<uint8_t> module, Emit(loop));
    const auto run = testing::RunNode(
        "tools/bench/loops/time_wasm.mjs",
        StrCat(folder.Write("ours.wasm", module), " ", rivals, " ", loop.name, " ", kWebCount));
    TERN_TRY_ASSIGN(const std::vector<double> times, Numbers(run, 2));
    bench->Figure(
        {.name = name, .rival_name = compiler.name, .target_ratio = 1.1, .unit = "ns/element"},
        times[0], times[1]);
  }
  return OkStatus();
}

// By the package, as a program's kernels are.
Status PackageRows(const WebLoop& loop, Bench* bench) {
  const std::string interpreter = StrCat(loop.name, ", WebAssembly, against the interpreter");
  const std::string callable = StrCat(loop.name, ", WebAssembly, text to callable");
  if (!bench->Wanted(interpreter) && !bench->Wanted(callable)) return OkStatus();
  const auto run = testing::RunNode(
      "tools/bench/loops/time_package.mjs",
      StrCat(SourceOf(loop), " ", loop.name, " '", loop.signature, "' ", kWebCount));
  TERN_TRY_ASSIGN(const std::vector<double> times, Numbers(run, 3));
  bench->Figure({.name = interpreter,
                 .rival_name = "reference interpreter, in WebAssembly too",
                 .target_ratio = 0.2,
                 .unit = "ns/element"},
                times[1], times[2]);
  bench->Figure({.name = callable, .target = 2, .unit = "ms"}, times[0]);
  return OkStatus();
}

void ReportLeftOut(std::string_view what, const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s left out: %s\n", std::string(what).c_str(), status.ToString().c_str());
}

}  // namespace

void WebRows(Bench* bench) {
  for (const RivalCompiler& compiler : RivalCompilers())
    ReportLeftOut(compiler.name, RivalRows(compiler, bench));
  if (testing::RunCommand(StrCat("test -f ", kPackage)).exit_code != 0)
    return ReportLeftOut("the package's rows", NotFound(kPackage, "; run tools/build_web.sh"));
  for (const WebLoop& loop : kWebLoops) ReportLeftOut(loop.name, PackageRows(loop, bench));
}

}  // namespace tern::bench
