// SPDX-License-Identifier: Apache-2.0
// `tern tune`: runs the search for a schedule, chooses what it measures with, and keeps its log in
// a file.
#ifndef TERN_NATIVE_TUNE_TUNE_LOOPS_H_
#define TERN_NATIVE_TUNE_TUNE_LOOPS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tern::native {

struct TuneRequest {
  std::string_view file_name, text;  // a .tloop file
  std::string function;              // empty: the file's only one
  std::string target = "host";       // or a processor of kMcaCores
  std::string log_path;              // empty: none. Read first, then added to
  uint64_t seed = 1;
  int64_t trials = 64;
  int64_t n = -1;                                     // every size without a value; -1: chosen
  std::vector<std::pair<std::string, int64_t>> dims;  // by name
  void (*progress)(void* context, std::string_view line) = nullptr;
  void* progress_context = nullptr;
};

struct TuneOutcome {
  std::string text;  // of the file with the best schedule
  std::string function, choice, schedule;
  double ratio = 1;  // of its cost to that of the program as written
  int64_t measured = 0, resumed = 0;
};

// Measures up to `trials` choices, which can take minutes. Errors: mistakes in the file, an unknown
// target, a log that cannot be read or written.
Result<TuneOutcome> TuneLoops(const TuneRequest& request);

}  // namespace tern::native

#endif  // TERN_NATIVE_TUNE_TUNE_LOOPS_H_
