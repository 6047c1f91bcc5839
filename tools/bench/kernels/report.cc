// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernels/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/bench/kernels/fma_peak.h"
#include "tools/bench/kernels/rates.h"

namespace tern::kernels {
namespace {

constexpr int64_t kPeakRounds = 2000;

// Work of one run of the limit, and the run.
std::pair<double, std::function<void()>> PeakOf(const KernelTable& table) {
  FmaPeak* peak = FindFmaPeak(table.name);
  if (peak == nullptr) return {0.0, nullptr};
  static float sink[16] = {0.001f};
  return {static_cast<double>(peak(kPeakRounds, sink)), [peak] { peak(kPeakRounds, sink); }};
}

// Whether a rival has computed what Tern has, but for roundings of its own.
bool Agree(const Work& work, const Side& tern, const Side& rival) {
  const Floats our_result = tern.result(), their_result = rival.result();
  const float *ours = our_result.get(), *theirs = their_result.get();
  float largest = 0.0f;
  for (int64_t i = 0; i < work.outputs; ++i) largest = std::max(largest, std::fabs(ours[i]));
  for (int64_t i = 0; i < work.outputs; ++i) {
    if (std::fabs(ours[i] - theirs[i]) <= 1e-4f * largest) continue;
    fprintf(stderr, "bench_kernels: %s: element %lld is %g with %s, but %g with Tern\n",
            work.name.c_str(), static_cast<long long>(i), static_cast<double>(theirs[i]),
            rival.name.c_str(), static_cast<double>(ours[i]));
    return false;
  }
  return true;
}

// The fastest one's rate, 0 without rivals.
double Best(const std::vector<std::pair<std::string, double>>& rivals) {
  double best = 0.0;
  for (const auto& rival : rivals) best = std::max(best, rival.second);
  return best;
}

// A number, or null where it is 0.
std::string Json(double value) {
  if (value <= 0.0) return "null";
  char text[32];
  snprintf(text, sizeof(text), "%.2f", value);
  return text;
}

}  // namespace

double MeasureLimit(const KernelTable& table) {
  const auto [work, run] = PeakOf(table);
  return run == nullptr ? 0.0 : BestRates({run}, work)[0];
}

Report::Report(const KernelTable& table, std::string filter)
    : table_(table), filter_(std::move(filter)), limit_(MeasureLimit(table)) {
  printf("%s: multiply-add limit %.1f GFLOP/s\n", table.name, limit_);
}

bool Report::Measure(const Work& work, const std::vector<Side>& sides) {
  std::vector<std::function<void()>> runs;
  for (const Side& side : sides) runs.push_back(side.run);
  const auto [peak_work, peak] = PeakOf(table_);
  if (peak != nullptr) runs.push_back(peak);
  const std::vector<double> rates = BestRates(runs, work.flops);
  if (peak != nullptr) limit_ = std::max(limit_, rates.back() * peak_work / work.flops);
  Row row = {work.name, rates[0], limit_, work.target * limit_, {}};
  for (size_t i = 1; i < sides.size(); ++i) {
    if (!Agree(work, sides[0], sides[i])) return false;
    row.rivals.emplace_back(sides[i].name, rates[i]);
  }
  Print(row);
  rows_.push_back(std::move(row));
  return true;
}

void Report::Print(const Row& row) const {
  printf("  %-36s %8.1f GFLOP/s", row.name.c_str(), row.tern);
  if (row.limit > 0.0) printf(" %6.1f %%", 100.0 * row.tern / row.limit);
  if (row.limit > 0.0 && row.target > 0.0)
    printf("  %-5s", row.tern >= row.target ? "met" : "below");
  if (!row.rivals.empty()) {
    printf("  %5.2f of the best rival:", row.tern / Best(row.rivals));
    for (const auto& [name, rate] : row.rivals) printf(" %s %.1f;", name.c_str(), rate);
  }
  printf("\n");
  fflush(stdout);
}

bool Report::WriteJson(const char* path) const {
  FILE* file = fopen(path, "w");
  if (file == nullptr) return false;
  const char* separator = "[\n";
  for (const Row& row : rows_) {
    const double best = Best(row.rivals);
    fprintf(file, "%s  {\"bench\": \"kernels/%s\", \"case\": \"%s\", \"unit\": \"GFLOP/s\", ",
            separator, table_.name, row.name.c_str());
    fprintf(file, "\"tern\": %.2f, \"rival\": %s, \"rivals\": {", row.tern, Json(best).c_str());
    const char* comma = "";
    for (const auto& [name, rate] : row.rivals) {
      fprintf(file, "%s\"%s\": %.2f", comma, name.c_str(), rate);
      comma = ", ";
    }
    fprintf(file, "}, \"limit\": %.2f, \"ratio\": %s, \"target\": %s, \"met\": %s}", row.limit,
            Json(best > 0.0 ? row.tern / best : 0.0).c_str(), Json(row.target).c_str(),
            row.target <= 0.0        ? "null"
            : row.tern >= row.target ? "true"
                                     : "false");
    separator = ",\n";
  }
  fprintf(file, rows_.empty() ? "[]\n" : "\n]\n");
  return fclose(file) == 0;
}

}  // namespace tern::kernels
