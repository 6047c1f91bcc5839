// SPDX-License-Identifier: Apache-2.0
// Loop programs looked at: stages, counts, what they are emitted as.
#include <optional>

#include "core/api/handles.h"
#include "core/api/loop_api.h"
#include "core/api/loop_request.h"
#include "core/base/strings.h"
#include "core/loop/emit/llvm_hints.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/emit/wasm_module.h"
#include "core/loop/emit/wasm_text.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/report/lane_report.h"
#include "core/loop/report/lowering_report.h"
#include "core/loop/text/parser.h"

namespace tern::api {
namespace {

// The text stays the caller's: requests live for the time of one call.
Result<loop::LoweringRequest> ReadRequest(const char* text, size_t size,
                                          const tern_loop_request& from) {
  if (text == nullptr && size > 0)
    return InvalidArgument("the program's text is NULL, of ", size, " bytes");
  loop::LoweringRequest request;
  request.file_name = TextOr(from.source_name, "program.tloop");
  request.text = {text, size};
  request.strategies = TextOr(from.strategies, "schedule");
  request.stage = TextOr(from.stages, "");
  request.target = TextOr(from.target, "reference");
  request.vl_form = from.vl_form != 0;
  // Pages and packages read it; text is what the command line asks the same functions for.
  request.json = true;
  return request;
}

Result<std::vector<int64_t>> ReadVScales(std::string_view text) {
  std::vector<int64_t> vscales;
  for (std::string_view part : StrSplit(text, ',')) {
    const std::optional<int64_t> value = ParseInt64(StrTrim(part));
    // 16 is kMaxVScale; the interpreter checks again.
    if (!value.has_value() || *value < 1 || *value > 16)
      return InvalidArgument("vscales are numbers from 1 to 16, as in 1,2,4; got '", part, "'")
          .SetErrorCode("E0003");
    vscales.push_back(*value);
  }
  return vscales;
}

Result<std::string> Stages(const char* text, size_t size, const tern_loop_request& from) {
  TERN_TRY_ASSIGN(const loop::LoweringRequest request, ReadRequest(text, size, from));
  return loop::ReportStages(request);
}

Result<std::string> Counts(const char* text, size_t size, const tern_loop_request& from) {
  TERN_TRY_ASSIGN(const loop::LoweringRequest request, ReadRequest(text, size, from));
  loop::CountRequest counts;
  counts.function = TextOr(from.function, "");
  // A page must not be blocked for ever by one request, so the default is a number and not "no
  // limit".
  counts.max_steps = from.max_steps > 0 ? from.max_steps : kDefaultLoopSteps;
  TERN_TRY_ASSIGN(counts.vscales, ReadVScales(TextOr(from.vscales, "1")));
  TERN_TRY_ASSIGN(counts.sizes, ReadSizes(TextOr(from.sizes, "")));
  return loop::ReportCounts(request, counts);
}

Result<std::string> LanesOf(const char* text, size_t size, const tern_loop_request& from,
                            const tern_loop_lanes_options& options) {
  TERN_TRY_ASSIGN(const loop::LoweringRequest request, ReadRequest(text, size, from));
  loop::LaneRequest lanes;
  lanes.function = TextOr(from.function, "");
  lanes.max_steps = from.max_steps > 0 ? from.max_steps : kDefaultLoopSteps;
  TERN_TRY_ASSIGN(lanes.vscales, ReadVScales(TextOr(from.vscales, "1")));
  TERN_TRY_ASSIGN(lanes.sizes, ReadSizes(TextOr(from.sizes, "")));
  lanes.head = options.head;
  lanes.tail = options.tail;
  lanes.first = options.first;
  lanes.count = options.count;
  lanes.n = options.n;
  lanes.check_lanes = options.check_lanes;
  return loop::ReportLanes(request, lanes);
}

// Lowered once more and not taken from a report: a report holds texts.
Result<loop::Program> LowerFor(const loop::LoweringRequest& request) {
  TERN_TRY_ASSIGN(const loop::SourceFile file, loop::ParseLoops(request.file_name, request.text));
  loop::LoweringOptions options;
  // Only the first strategy: one program is emitted.
  TERN_TRY_ASSIGN(options.strategy, loop::NamedStrategy(StrSplit(request.strategies, ',')[0]));
  TERN_TRY_ASSIGN(options.target, loop::NamedTarget(request.target));
  return loop::LowerFile(file, options);
}

Result<tern_buffer*> Emit(const char* text, size_t size, const tern_loop_request& from,
                          std::string_view form) {
  TERN_TRY_ASSIGN(loop::LoweringRequest request, ReadRequest(text, size, from));
  const bool is_text = form == "wat", is_wasm = form == "wasm" || is_text;
  if (form != "llvm" && !is_wasm)
    return InvalidArgument("form '", form, "': expected llvm, wasm or wat").SetErrorCode("E0003");
  // Its vectors are of 128 bits: a target that is not said is this one.
  if (is_wasm) request.target = TextOr(from.target, "wasm32");
  TERN_TRY_ASSIGN(const loop::Program program, LowerFor(request));
  if (is_wasm) {
    TERN_TRY_ASSIGN(loop::WasmModule module, loop::EmitWasm(program, {}));
    if (!is_text) return NewBuffer(std::move(module.bytes));
    TERN_TRY_ASSIGN(const std::string text_form, loop::WasmText(module.bytes));
    return NewBuffer(text_form);
  }
  const loop::LlvmFlavor flavor = loop::FlavorOf(*loop::FindTarget(request.target));
  TERN_TRY_ASSIGN(const std::string ir, loop::LlvmText(program, flavor));
  const std::string_view vscales = TextOr(from.vscales, "");
  if (vscales.empty()) return NewBuffer(ir);
  TERN_TRY_ASSIGN(const std::vector<int64_t> shown, ReadVScales(vscales));
  // Hints are for one length; the first one of the list.
  return NewBuffer(loop::WithVScaleHints(ir, shown[0]));
}

}  // namespace
}  // namespace tern::api

using namespace tern::api;  // NOLINT: the functions below give those above to C

tern_status* tern_loop_stages(const char* text, size_t size, const tern_loop_request* request,
                              tern_buffer** json) {
  TERN_CHECK_OPTIONS(tern_loop_request, request);
  return Give(Stages(text, size, ReadOptions(request)), json);
}

tern_status* tern_loop_counts(const char* text, size_t size, const tern_loop_request* request,
                              tern_buffer** json) {
  TERN_CHECK_OPTIONS(tern_loop_request, request);
  return Give(Counts(text, size, ReadOptions(request)), json);
}

tern_status* tern_loop_lanes(const char* text, size_t size, const tern_loop_request* request,
                             const tern_loop_lanes_options* options, tern_buffer** json) {
  TERN_CHECK_OPTIONS(tern_loop_request, request);
  TERN_CHECK_OPTIONS(tern_loop_lanes_options, options);
  return Give(LanesOf(text, size, ReadOptions(request), ReadOptions(options)), json);
}

tern_status* tern_loop_emit(const char* text, size_t size, const tern_loop_request* request,
                            const char* form, tern_buffer** out) {
  TERN_CHECK_OPTIONS(tern_loop_request, request);
  tern::Result<tern_buffer*> made = Emit(text, size, ReadOptions(request), TextOr(form, ""));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *out = *made;
  return nullptr;
}
