// SPDX-License-Identifier: Apache-2.0
// The part of `tern lower` that is about loop programs (.tloop): their stages, the code they
// become, and counts of a run on the interpreter. lower.cc calls it; other commands use it to
// refuse such files.
#ifndef TERN_NATIVE_CLI_LOWER_LOOPS_H_
#define TERN_NATIVE_CLI_LOWER_LOOPS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/cli/command.h"

namespace tern::cli {

struct LoopOptions {
  std::string strategy, emit;
  std::string function, vscales = "1";
  std::vector<std::string> dims;
  std::string n;
  bool count = false, vl_form = false;
};
void AddLoopOptions(CLI::App* app, LoopOptions* options);
// An error if one of these options was given, for files that are no loop programs.
Status RefuseLoopOptions(const CLI::App& app);

// Reads --dim NAME=SIZE, given several times; each name once.
Result<std::vector<std::pair<std::string, int64_t>>> ParseLoopDims(
    const std::vector<std::string>& dims);

bool IsLoopProgram(const std::string& path);
// "'add.tloop' is a loop program; …", for commands that take programs of operators.
Status LoopProgramRefused(std::string_view path);
// Prints the named stages (the last if none is named), or counts, or both.
Status LowerLoops(const std::string& path, const std::vector<std::string>& stages,
                  const LoopOptions& options, const GlobalOptions& globals);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_LOWER_LOOPS_H_
