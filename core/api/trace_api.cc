// SPDX-License-Identifier: Apache-2.0
// Records of runs, read back.
#include "core/api/handles.h"
#include "core/vm/trace_reader.h"

namespace tern::api {
namespace {

Result<std::string> TraceText(ByteSpan bytes, std::string_view what, uint64_t from, uint64_t to) {
  TERN_TRY_ASSIGN(const vm::SavedTrace trace, vm::SavedTrace::Read(bytes));
  if (what == "summary") return trace.SummaryText();
  if (what == "list") return trace.ListText(from, to);
  if (what == "state") return trace.StateText(from);
  return InvalidArgument("a trace has no '", what, "': there are summary, list and state")
      .SetErrorCode("E0304");
}

}  // namespace
}  // namespace tern::api

tern_status* tern_trace_text(const void* bytes, size_t size, const char* what, uint64_t from,
                             uint64_t to, tern_buffer** text) {
  const tern::Result<std::string> made =
      tern::api::TraceText({static_cast<const uint8_t*>(bytes), size}, what, from, to);
  if (!made.ok()) return tern::api::ToHandle(made.status().Clone());
  *text = tern::api::NewBuffer(*made);
  return nullptr;
}
