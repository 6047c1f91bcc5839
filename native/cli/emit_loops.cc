// SPDX-License-Identifier: Apache-2.0
// tern lower --emit: from the names on the command line to lowering options, an emitter and a code
// target.
#include "native/cli/emit_loops.h"

#include <vector>

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/emit/wasm_text.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"
#include "native/cli/report.h"
#include "native/jit/llvm_compiler.h"

namespace tern::cli {
namespace {

Result<loop::Program> LowerFor(const EmitRequest& request, const loop::Target& target) {
  TERN_TRY_ASSIGN(const loop::SourceFile source, loop::ParseLoops(request.file_name, request.text));
  loop::LoweringOptions options;
  options.target = &target;
  if (!request.strategy.empty()) {
    TERN_TRY_ASSIGN(options.strategy, loop::NamedStrategy(request.strategy));
  }
  return LowerFile(source, options);
}

Result<std::string> EmitNative(const std::string& ir, const loop::Target& target,
                               native::CodeForm form) {
  // Loop targets without a processor of their own, such as the reference, have no machine code.
  for (const native::CodeTarget& code : native::KnownCodeTargets()) {
    if (code.loops == target.name) return native::CompileLlvmIr(ir, code, {form});
  }
  return UsageError("E0003", StrCat("the target ", target.name,
                                    " has no machine code; name a "
                                    "processor, as in --target aarch64+sve"));
}

}  // namespace

Result<std::string> EmitLoops(const EmitRequest& request) {
  const bool is_text = request.form == "wat", is_wasm = request.form == "wasm" || is_text;
  // WebAssembly has one target, and text has the reference, if none is named.
  const std::string_view name = !request.target.empty() ? request.target
                                : is_wasm               ? "wasm32"
                                                        : "reference";
  TERN_TRY_ASSIGN(const loop::Target* target, loop::NamedTarget(name));
  TERN_TRY_ASSIGN(const loop::Program program, LowerFor(request, *target));
  if (is_wasm) {
    TERN_TRY_ASSIGN(const loop::WasmModule module, loop::EmitWasm(program, {}));
    if (is_text) return loop::WasmText(module.bytes);
    return std::string(AsText(module.bytes));
  }
  TERN_TRY_ASSIGN(std::string ir, loop::LlvmText(program, loop::FlavorOf(*target)));
  if (request.form == "llvm") return ir;
  return EmitNative(
      ir, *target,
      request.form == "object" ? native::CodeForm::kObject : native::CodeForm::kAssembly);
}

bool CanListLoops() { return native::LlvmDescription().ok(); }

std::string ListLoopsForPage(std::string_view file_name, std::string_view text) {
  JsonWriter json;
  json.BeginArray().BeginObject().Field("text", text).Key("listings").BeginObject();
  // The page says what is wrong with a program that cannot be lowered.
  for (const char* strategy : {"fixed", "cleanup", "predicated"}) {
    const Result<std::string> listing =
        EmitLoops({file_name, text, "asm", strategy, "aarch64+sve"});
    if (listing.ok()) json.Field(strategy, *listing);
  }
  json.EndObject().EndObject().EndArray();
  return json.text();
}

}  // namespace tern::cli
