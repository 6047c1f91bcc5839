// SPDX-License-Identifier: Apache-2.0
// What every lane of a vector loop does, iteration by iteration: the page's view of vectors whose
// length the reader chooses.
#ifndef TERN_CORE_LOOP_REPORT_LANE_REPORT_H_
#define TERN_CORE_LOOP_REPORT_LANE_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "core/loop/report/lowering_report.h"

namespace tern::loop {

struct LaneRequest {
  std::string function;  // empty: the file's first
  std::vector<int64_t> vscales = {1};
  int64_t n = -1;                                      // of every size without a value; -1: none
  std::vector<std::pair<std::string, int64_t>> sizes;  // by name
  // Of iterations whose lanes are alike, so many of the first and of the last are told; and those
  // from `first` on, whatever they are like. With none of these, counters only.
  int64_t head = 3, tail = 2;
  int64_t first = 0, count = 0;
  int64_t max_steps = int64_t{1} << 28;
  // Up to so many lanes in all iterations, the program is also run in full, and what was counted
  // without is compared.
  int64_t check_lanes = 0;
};

// One strategy of the request after the other, with each vscale. JSON, where "counters" stands for
// the fields of ReportCounts, from "vector_iterations" to "bytes_stored":
// {"lanes": [{"strategy", "n", "vscale", "function", "sizes": {NAME: VALUE}, counters,
// "active_lanes", "issued_lanes", "method": "control" (what decides was computed, and no data) or
// "run", "checked": whether a full run counted the same, null where there was none, "buffers":
// [{"name", "dtype", "access", "element_bytes", "elements", "bytes_touched", "lines": of 64 bytes,
// null where unknown}], "iterations": [{"k": number, "folded": iterations that it stands for,
// "part": LoopRoleName, "vector", "lanes", "active", "accesses": [{"buffer": number, "op": "load"
// or "store", "index" and "step" or "indices", "mask": bits or null, "bytes", "masked_bytes",
// "lines": [numbers]}]}], "left_out": iterations beyond the rows that are kept}]}.
Result<std::string> ReportLanes(const LoweringRequest& request, const LaneRequest& lanes);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_REPORT_LANE_REPORT_H_
