// SPDX-License-Identifier: Apache-2.0
// One step of a search as text to text, for callers that measure where this code does not run (the
// page, with emitted WebAssembly): all that was measured is in the log, so nothing is kept between
// two steps.
#ifndef TERN_CORE_LOOP_TUNE_STEP_H_
#define TERN_CORE_LOOP_TUNE_STEP_H_

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tern::loop::tune {

struct StepRequest {
  std::string_view file_name, text;  // a .tloop file
  std::string_view log = {};         // "" at first; then what was measured, line by line
  std::string function = {};         // empty: the file's only one
  std::string target = "wasm32";
  uint64_t seed = 1;
  int64_t trials = 64;
  double min_gain = 0.02;
};

// JSON. {"done": false, "text": the file with what is to be measured, "entry": {…}}: measure it and
// the file as it is written, set "cost", "default" and "unit" of the entry (or "error") and add it
// to the log as a line. {"done": true, "text": the file with the best schedule, "choice",
// "schedule", "ratio", "measured"}.
Result<std::string> TuneStep(const StepRequest& request);

}  // namespace tern::loop::tune

#endif  // TERN_CORE_LOOP_TUNE_STEP_H_
