// SPDX-License-Identifier: Apache-2.0
// Records of runs, read back.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/object/graph/serialize_json.h"
#include "core/vm/debug/trace_diff.h"
#include "core/vm/debug/trace_reader.h"

namespace tern::api {
namespace {

// E0304 is the code of all debug commands.
Status UnknownPart(std::string_view what) {
  return InvalidArgument("a trace has no '", what, "': there are summary, list and state")
      .SetErrorCode("E0304");
}

// The record is read anew for each question: callers ask seldom, and a handle would be one more
// thing to free.
Result<std::string> TraceText(ByteSpan bytes, std::string_view what, uint64_t from, uint64_t to) {
  TERN_TRY_ASSIGN(const vm::SavedTrace trace, vm::SavedTrace::Read(bytes));
  if (what == "summary") return trace.SummaryText();
  if (what == "list") return trace.ListText(from, to);
  if (what == "state") return trace.StateText(from);
  return UnknownPart(what);
}

Result<std::string> TraceJson(ByteSpan bytes, std::string_view what, uint64_t from, uint64_t to) {
  TERN_TRY_ASSIGN(const vm::SavedTrace trace, vm::SavedTrace::Read(bytes));
  JsonWriter json;
  if (what == "summary") {
    WriteSummaryJson(trace, &json);
  } else if (what == "list") {
    WriteListJson(trace, from, to, &json);
  } else if (what == "state") {
    TERN_TRY(WriteStateJson(trace, from, &json));
  } else {
    return UnknownPart(what);
  }
  return json.Take();
}

// Records come from files: SavedTrace checks what it reads.
ByteSpan RecordBytes(const void* bytes, size_t size) {
  return {static_cast<const uint8_t*>(bytes), size};
}

Result<Any> TraceArguments(ByteSpan bytes) {
  TERN_TRY_ASSIGN(const vm::SavedTrace::Call call, vm::SavedTrace::ReadCallOf(bytes));
  // Records of a run whose arguments were too large do not hold them.
  if (!call.function.empty()) return DeserializeJson(call.arguments);
  return InvalidArgument("the record does not say what its run began with").SetErrorCode("E0305");
}

Result<std::string> TraceDifferences(ByteSpan bytes_a, ByteSpan bytes_b, uint64_t most) {
  TERN_TRY_ASSIGN(const vm::SavedTrace a, vm::SavedTrace::Read(bytes_a));
  TERN_TRY_ASSIGN(const vm::SavedTrace b, vm::SavedTrace::Read(bytes_b));
  return vm::DivergencesJson(a, b, static_cast<size_t>(most));
}

}  // namespace
}  // namespace tern::api

tern_status* tern_trace_text(const void* bytes, size_t size, const char* what, uint64_t from,
                             uint64_t to, tern_buffer** text) {
  const tern::Result<std::string> made =
      tern::api::TraceText(tern::api::RecordBytes(bytes, size), what, from, to);
  if (!made.ok()) return tern::api::ToHandle(made.status().Clone());
  *text = tern::api::NewBuffer(*made);
  return nullptr;
}

tern_status* tern_trace_json(const void* bytes, size_t size, const char* what, uint64_t from,
                             uint64_t to, tern_buffer** json) {
  return tern::api::Give(tern::api::TraceJson(tern::api::RecordBytes(bytes, size), what, from, to),
                         json);
}

tern_status* tern_trace_arguments(const void* bytes, size_t size, TernAny* arguments) {
  using tern::api::RecordBytes;
  return tern::api::Give(tern::api::TraceArguments(RecordBytes(bytes, size)), arguments);
}

tern_status* tern_trace_compare(const void* a, size_t a_size, const void* b, size_t b_size,
                                uint64_t most, tern_buffer** json) {
  using tern::api::RecordBytes;
  return tern::api::Give(
      tern::api::TraceDifferences(RecordBytes(a, a_size), RecordBytes(b, b_size), most), json);
}
