// SPDX-License-Identifier: Apache-2.0
// From the names on the command line to lowering options, an emitter and a code target.
#include "native/cli/emit_loops.h"

#include <vector>

#include "core/base/bytes.h"
#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/parser.h"
#include "core/loop/passes/pipeline.h"
#include "native/cli/report.h"
#include "native/jit/llvm_compiler.h"

namespace tern::cli {
namespace {

struct EmitTarget {
  std::string_view loops;  // of core/loop/targets.def
  std::string_view code;  // of native/jit/code_target.h; empty: none
};
constexpr EmitTarget kTargets[] = {
    {"reference", ""},
    {"aarch64", "aarch64-neon"},
    {"aarch64+sve", "aarch64-sve"},
    {"aarch64+sve2", "aarch64-sve2"},
    {"x86_64", "x86-64"},
    {"x86_64+avx2", "x86-64-avx2"},
    {"x86_64+avx512", "x86-64-avx512"},
    {"riscv64+v", "riscv64-v"},
    {"wasm32", ""},
};

Result<const EmitTarget*> FindEmitTarget(std::string_view name) {
  std::vector<std::string> known;
  for (const EmitTarget& target : kTargets) {
    if (target.loops == name) return &target;
    known.emplace_back(target.loops);
  }
  return UsageError(
      "E0003", StrCat("there is no loop target '", name, "'; there are ", StrJoin(known, ", ")));
}

Result<loop::Program> LowerFor(const EmitRequest& request, std::string_view target) {
  TERN_TRY_ASSIGN(const loop::SourceFile source, loop::ParseLoops(request.file_name, request.text));
  loop::LoweringOptions options;
  options.target = loop::FindTarget(target);
  if (!request.strategy.empty()) {
    const loop::Strategy* strategy = loop::FindStrategy(request.strategy);
    if (strategy == nullptr)
      return UsageError("E0003", StrCat("there is no strategy '", request.strategy, "'; there are ",
                                        StrJoin(loop::StrategyNames(), ", ")));
    options.strategy = *strategy;
  }
  return LowerFile(source, options);
}

Result<std::string> EmitNative(const std::string& ir, const EmitTarget& target, bool object) {
  if (target.code.empty())
    return UsageError("E0003", StrCat("the target ", target.loops,
                                      " has no machine code; name a "
                                      "processor, as in --target aarch64+sve"));
  TERN_TRY_ASSIGN(const native::CodeTarget code, native::FindCodeTarget(target.code));
  return native::CompileLlvmIr(ir, code,
                               object ? native::CodeForm::kObject : native::CodeForm::kAssembly);
}

}  // namespace

Result<std::string> EmitLoops(const EmitRequest& request) {
  const bool wasm = request.form == "wasm";
  const std::string_view name = !request.target.empty() ? request.target
                                : wasm                  ? "wasm32"
                                                        : "reference";
  TERN_TRY_ASSIGN(const EmitTarget* target, FindEmitTarget(name));
  TERN_TRY_ASSIGN(const loop::Program program, LowerFor(request, name));
  if (wasm) {
    TERN_TRY_ASSIGN(const loop::WasmModule module, loop::EmitWasm(program, {}));
    return std::string(AsText(module.bytes));
  }
  TERN_TRY_ASSIGN(std::string ir, loop::LlvmText(program, loop::FlavorOf(*loop::FindTarget(name))));
  if (request.form == "llvm") return ir;
  return EmitNative(ir, *target, request.form == "object");
}

}  // namespace tern::cli
