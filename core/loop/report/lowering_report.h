// SPDX-License-Identifier: Apache-2.0
// What `tern lower` and the page show of a .tloop file, text to text: its stages, or how often each
// kind of instruction runs under each strategy and vscale.
#ifndef TERN_CORE_LOOP_REPORT_LOWERING_REPORT_H_
#define TERN_CORE_LOOP_REPORT_LOWERING_REPORT_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tern::loop {

struct LoweringRequest {
  std::string_view file_name, text;
  std::string strategies = "schedule";  // names, separated by commas
  std::string stage;                    // names, separated by commas; empty: the last; "all"
  std::string target = "reference";
  bool vl_form = false;  // VL in place of vscale * 4
  bool json = false;
};

// The text after the stages asked for. Stages are "te" (as it was written), "loops" (the schedule
// applied) and the passes.
Result<std::string> ReportStages(const LoweringRequest& request);

struct CountRequest {
  std::string function;  // empty: the file's first
  std::vector<int64_t> vscales = {1};
  std::vector<int64_t> n = {-1};  // every size that has no other value, a run each; -1: none
  std::vector<std::pair<std::string, int64_t>> sizes;  // by name
  int64_t max_steps = int64_t{1} << 34;                // of the interpreter, each run
};

// Runs the program in the reference interpreter on made-up data, once per strategy, n and vscale;
// before that the stages, where the request names some. JSON:
// {"counts": [{"strategy", "n", "vscale", "vector_iterations", "scalar_iterations", "last_active",
// "utilisation", "instructions": {"load", "store", "arith", "predicate", "control"},
// "bytes_loaded", "bytes_stored"}]}.
Result<std::string> ReportCounts(const LoweringRequest& request, const CountRequest& counts);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_REPORT_LOWERING_REPORT_H_
