// SPDX-License-Identifier: Apache-2.0
// The rows of the kernel benchmark: measured, printed, and written as JSON.

#ifndef TERN_TOOLS_BENCH_KERNELS_REPORT_H_
#define TERN_TOOLS_BENCH_KERNELS_REPORT_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/kernel_table.h"
#include "tools/bench/kernels/problem.h"

namespace tern::kernels {

// GFLOP/s of multiplications and additions in registers, by the table's own vectors; 0 for plain
// loops.
double MeasureLimit(const KernelTable& table);

// What all sides do.
struct Work {
  std::string name;
  double flops;     // of one run
  double target;    // a share of the limit, 0 where the specification names none
  int64_t outputs;  // elements of the result
};

class Report {
 public:
  Report(const KernelTable& table, std::string filter);

  bool Wanted(const std::string& name) const { return name.find(filter_) != std::string::npos; }
  // sides[0] is Tern's. False, and said on standard error, if the sides do not agree.
  bool Measure(const Work& work, const std::vector<Side>& sides);
  // False if the file cannot be written.
  bool WriteJson(const char* path) const;

 private:
  struct Row {
    std::string name;
    double tern, limit, target;
    std::vector<std::pair<std::string, double>> rivals;
  };
  void Print(const Row& row) const;

  const KernelTable& table_;
  std::string filter_;
  double limit_;
  std::vector<Row> rows_;
};

}  // namespace tern::kernels

#endif  // TERN_TOOLS_BENCH_KERNELS_REPORT_H_
