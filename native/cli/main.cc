// SPDX-License-Identifier: Apache-2.0
// `tern`: the command line, which is described in tool.cc.
#include <sys/resource.h>

#include <chrono>

#include "core/base/strings.h"
#include "native/cli/command.h"
#include "native/cli/report.h"
#include "native/cli/tool.h"

namespace tern::cli {
namespace {

// What a verb took, for -v.
void ReportCost(std::string_view verb, std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  // Linux counts in KiB.
  PrintError(StrCat("tern ", verb, ": ", FormatDoubleDigits(time.count(), 4), " ms, at most ",
                    FormatBytes(static_cast<uint64_t>(usage.ru_maxrss) << 10), " of memory\n"));
}

int Main(int argc, char** argv) {
  Tool tool;
  const std::vector<std::string> words(argv + 1, argv + argc);
  ReportBugs(words, &tool.globals());
  const Result<Request> request = tool.Read(words);
  if (!request.ok()) return Report(request.status(), tool.globals());
  if (request->action == nullptr) {
    Print(request->text);
    return Report(CheckOutput(), tool.globals());
  }
  if (tool.globals().quiet) HoldBackPrint();
  const auto begin = std::chrono::steady_clock::now();
  Status status = (*request->action)();
  if (tool.globals().verbose) ReportCost(request->verb, begin);
  if (!status.ok()) PrintHeldBack();
  // A command that succeeded may still have failed to print.
  if (status.ok()) status = CheckOutput();
  return Report(status, tool.globals());
}

}  // namespace
}  // namespace tern::cli

int main(int argc, char** argv) { return tern::cli::Main(argc, argv); }
