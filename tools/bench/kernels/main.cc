// SPDX-License-Identifier: Apache-2.0
// Kernel benchmark: GFLOP/s of products and convolutions on one thread, their share of the
// multiply-add limit and, where rivals are linked, their ratio to the best of them, all measured in
// turns.
//   bench_kernels [--target NAME] [--filter TEXT] [--json FILE]
//   bench_kernels --peak    only the multiply-add limit, as JSON

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "core/kernels/cpu_features.h"
#include "tests/kernels/cpu.h"
#include "tools/bench/kernels/cases.h"
#include "tools/bench/kernels/report.h"
#include "tools/bench/kernels/rivals.h"
#include "tools/bench/kernels/tern_sides.h"

namespace tern::kernels {
namespace {

struct Options {
  const char* target = nullptr;
  const char* filter = "";
  const char* json = nullptr;
  bool peak = false;
};

bool ParseOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--peak") == 0) {
      options.peak = true;
      continue;
    }
    if (i + 1 == argc) return false;
    if (strcmp(argv[i], "--target") == 0) {
      options.target = argv[++i];
    } else if (strcmp(argv[i], "--filter") == 0) {
      options.filter = argv[++i];
    } else if (strcmp(argv[i], "--json") == 0) {
      options.json = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

template <class Problem>
bool MeasureSides(const KernelTable& table, const std::string& name, double multiplications,
                  double target, const Problem& problem, Report& report) {
  std::vector<Side> sides = RivalSides(problem);
  sides.insert(sides.begin(), TernSide(table, problem));
  if constexpr (std::is_same_v<Problem, Convolution>) {
    if (problem.kind == ConvKind::kWinograd) {
      Convolution by_taps = problem;
      by_taps.kind = ConvKind::kFull;
      sides.push_back(TernSide(table, by_taps));
      sides.back().name = "by taps";
    }
  }
  return report.Measure({name, 2.0 * multiplications, target, problem.outputs()}, sides);
}

bool MeasureProduct(const KernelTable& table, const char* prefix, const int64_t (&shape)[3],
                    ProductKind kind, Report& report) {
  const auto [m, n, k] = shape;
  const std::string name = std::string(prefix) + " " + std::to_string(m) + "x" + std::to_string(n) +
                           "x" + std::to_string(k);
  if (!report.Wanted(name)) return true;
  const double target = kind != ProductKind::kPacked || m == 1 ? 0.0 : m < 100 ? 0.90 : 0.95;
  return MeasureSides(table, name, static_cast<double>(m * n * k), target,
                      MakeProduct({m, n, k, kind}), report);
}

bool MeasureConvolution(const KernelTable& table, const ConvCase& shape, ConvKind kind,
                        Report& report) {
  if (!report.Wanted(shape.name)) return true;
  const Convolution c = MakeConvolution(shape, kind);
  // Each pixel of the image, for a transposed convolution, or of the output meets every tap.
  const int64_t pixels =
      kind == ConvKind::kTransposed ? c.height * c.width : c.out_height * c.out_width;
  const int64_t channels = kind == ConvKind::kDepthwise ? c.in_c : c.in_c * c.out_c;
  return MeasureSides(table, shape.name,
                      static_cast<double>(pixels * c.kernel * c.kernel * channels),
                      kind == ConvKind::kFull ? 0.95 : 0.0, c, report);
}

bool MeasureTable(const KernelTable& table, Report& report) {
  bool ok = true;
  for (const auto& s : kProductShapes)
    ok &= MeasureProduct(table, "gemm", s, ProductKind::kPacked, report);
  for (const auto& s : kProductShapes)
    ok &= MeasureProduct(table, "matmul", s, ProductKind::kPlain, report);
  for (const auto& s : kTransposedProductShapes)
    ok &= MeasureProduct(table, "matmul transposed", s, ProductKind::kTransposed, report);
  for (const ConvCase& c : kConvCases) ok &= MeasureConvolution(table, c, ConvKind::kFull, report);
  for (const ConvCase& c : kWinogradCases)
    ok &= MeasureConvolution(table, c, ConvKind::kWinograd, report);
  for (const ConvCase& c : kTransposedCases)
    ok &= MeasureConvolution(table, c, ConvKind::kTransposed, report);
  for (const ConvCase& c : kDepthwiseCases)
    ok &= MeasureConvolution(table, c, ConvKind::kDepthwise, report);
  return ok;
}

int Main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, options)) {
    fprintf(stderr,
            "usage: bench_kernels [--target NAME] [--filter TEXT] [--json FILE] [--peak]\n");
    return 2;
  }
  const CpuFeatures features = DetectCpuFeatures();
  const KernelTable* table =
      options.target == nullptr ? &ChooseTable(features) : FindTable(options.target, features);
  if (table == nullptr) {
    fprintf(stderr, "bench_kernels: no target '%s' that this machine can run\n", options.target);
    return 2;
  }
  if (options.peak) {
    printf("{\"target\": \"%s\", \"gflops\": %.3f}\n", table->name, MeasureLimit(*table));
    return 0;
  }
  Report report(*table, options.filter);
  const bool agreed = MeasureTable(*table, report);
  if (options.json != nullptr && !report.WriteJson(options.json)) {
    fprintf(stderr, "bench_kernels: cannot write %s\n", options.json);
    return 1;
  }
  return agreed ? 0 : 1;
}

}  // namespace
}  // namespace tern::kernels

int main(int argc, char** argv) { return tern::kernels::Main(argc, argv); }
