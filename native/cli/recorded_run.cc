// SPDX-License-Identifier: Apache-2.0
#include "native/cli/recorded_run.h"

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {

Result<RecordedRun> RecordRun(const Program& program, const std::string& function,
                              const std::vector<TernAny>& arguments,
                              const tern_debug_options& limits) {
  tern_debugger* raw = nullptr;
  TERN_TRY(FromApi(tern_debugger_create(program.get(), &limits, &raw)));
  // From here on the debugger is owned here, so that each failure below releases it.
  Debugger debugger(raw);
  TERN_TRY(FromApi(tern_debugger_begin(raw, function.c_str(), arguments.data(),
                                       static_cast<int32_t>(arguments.size()))));
  // To the end of the run in one go: a limit or an error of the program is a reason to stop and no
  // failure of the call.
  tern_buffer* raw_stop = nullptr;
  TERN_TRY(FromApi(tern_debugger_run(raw, TERN_DEBUG_CONTINUE, 0, 0, &raw_stop)));
  const Buffer stop(raw_stop);
  const JsonValue answer = ParseAnswer(Text(stop));
  tern_buffer* raw_bytes = nullptr;
  TERN_TRY(FromApi(tern_debugger_trace(raw, "binary", &raw_bytes)));
  const Buffer bytes(raw_bytes);
  // Read from its file's form, which is the one that the checks of SavedTrace hold for.
  TERN_TRY_ASSIGN(vm::SavedTrace trace, vm::SavedTrace::Read(AsBytes(Text(bytes))));
  return RecordedRun{std::move(debugger), std::move(trace), TextOf(answer, "reason"),
                     OptionalTextOf(answer, "text")};
}

Result<vm::SavedTrace> ReadTrace(const std::string& path, ByteSpan bytes) {
  Result<vm::SavedTrace> trace = vm::SavedTrace::Read(bytes);
  if (trace.ok()) return trace;
  const Status& why = trace.status();
  Status status = Status(why.code(), StrCat("'", path, "': ", why.message()));
  status.SetErrorCode(why.error_code());
  // A damaged record needs no advice; a file of another kind does.
  if (!vm::SavedTrace::HasMark(bytes))
    status.AddNote("help: `tern run FILE --trace run.terntrace` writes the record of a run");
  return status;
}

Result<vm::SavedTrace> ReadTrace(const std::string& path) {
  TERN_TRY_ASSIGN(const native::MappedFile file, OpenData(path));
  return ReadTrace(path, file.bytes());
}

bool IsLimit(const Status& ended) { return ExitCodeOf(ended) == kExitBudget; }

// The code of the limit stays, so that `tern explain` tells of it.
Status NothingCompared(std::string_view what, const Status& ended) {
  Status status = Stopped(what);
  return std::move(status.SetErrorCode(ended.error_code())
                       .AddNote(ended.message())
                       .AddNote("help: raise the limit and compare again"));
}

}  // namespace tern::cli
