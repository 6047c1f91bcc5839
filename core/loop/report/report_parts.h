// SPDX-License-Identifier: Apache-2.0
// What reports on loop programs share: what callers ask for as text, and counters as JSON. The
// reports on lowering and on lanes use it.
#ifndef TERN_CORE_LOOP_REPORT_REPORT_PARTS_H_
#define TERN_CORE_LOOP_REPORT_REPORT_PARTS_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/loop/passes/pass.h"
#include "core/loop/report/lowering_report.h"
#include "core/loop/run/interpreter.h"
#include "core/loop/source_file.h"

namespace tern::loop {

using NamedSize = std::pair<std::string, int64_t>;

// Parses a file, which must have at least one function. Errors are diagnostics of the text.
Result<SourceFile> ParseReported(const LoweringRequest& request);
Result<std::vector<Strategy>> ParseStrategies(std::string_view text);
Result<const LoopFunction*> ChooseFunction(const Program& program, std::string_view name);

// The values of the size parameters, and n as it is reported.
struct RunSizes {
  std::vector<int64_t> values;
  int64_t n = 0;
};
// n: the value of every size that is not given by name; -1: each must be given.
Result<RunSizes> ChooseRunSizes(const LoopFunction& function,
                                std::span<const NamedSize> given_sizes, int64_t n);

// Fields of the object that is open: "vector_iterations" to "bytes_stored".
void WriteCounters(const Counters& counters, JsonWriter* json);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_REPORT_REPORT_PARTS_H_
