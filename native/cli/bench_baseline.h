// SPDX-License-Identifier: Apache-2.0
// The figures of a benchmark, and how they compare with those of an earlier one.
#ifndef TERN_NATIVE_CLI_BENCH_BASELINE_H_
#define TERN_NATIVE_CLI_BENCH_BASELINE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/json_reader.h"
#include "core/base/result.h"

namespace tern::cli {

// Of the calls of one function at one size; times in ms.
struct BenchFigures {
  std::string dims;  // "n=8 m=2", the sizes of a sweep; empty without one
  double cold = 0, min = 0, p50 = 0, p90 = 0, p99 = 0;
  double mad = 0;  // median of the distances from the median
  uint64_t runs = 0;
};

// warm: seconds, in any order; at least one.
BenchFigures FiguresOf(std::string dims, double cold, std::vector<double> warm);
void WriteFigures(const BenchFigures& figures, JsonWriter* json);

// A change of the median counts where chance hardly makes it (three standard errors of the
// difference, from the two median absolute deviations) and it is at least 2 %, below which two runs
// of one program on a quiet machine differ too.
struct BenchChange {
  double ratio = 1;   // of the medians, new by old
  double errors = 0;  // standard errors between them
  bool is_significant = false;
};
BenchChange Compare(const BenchFigures& now, const BenchFigures& before);

// What `tern bench --format json` wrote: one size or a sweep. E0502 for anything else.
Result<std::vector<BenchFigures>> ReadBaseline(const JsonValue& json, const std::string& path);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_BENCH_BASELINE_H_
