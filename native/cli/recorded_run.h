// SPDX-License-Identifier: Apache-2.0
// A run under the debugger, with its record read back: what `tern diff` and `tern replay` compare.
#ifndef TERN_NATIVE_CLI_RECORDED_RUN_H_
#define TERN_NATIVE_CLI_RECORDED_RUN_H_

#include <string>
#include <vector>

#include "core/vm/debug/trace_reader.h"
#include "native/cli/command.h"

namespace tern::cli {

struct RecordedRun {
  Debugger debugger;  // stands at the end of the run
  vm::SavedTrace trace;
  std::string stop;  // why it ended, as tern_debugger_run names it
  std::string text;  // the same for people
};

// Runs the function to its end, or for max_steps instructions (0: without that limit). A run that
// fails is a result: `stop` says so. The program must outlive it.
Result<RecordedRun> RecordRun(const Program& program, const std::string& function,
                              const std::vector<TernAny>& arguments,
                              const tern_debug_options& limits);

// Reads the record that a file holds; E0305 names the file.
Result<vm::SavedTrace> ReadTrace(const std::string& path, ByteSpan bytes);
Result<vm::SavedTrace> ReadTrace(const std::string& path);

// Whether it says that a limit ended a run, of which then nothing is known.
bool IsLimit(const Status& ended);
// The error of a comparison that such an end left without an answer.
Status NothingCompared(std::string_view what, const Status& ended);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_RECORDED_RUN_H_
