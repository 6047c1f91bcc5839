// SPDX-License-Identifier: Apache-2.0
// Kernel benchmark: GFLOP/s of products and convolutions on one thread, and their share of the
// multiply-add limit measured beside them.
//   bench_kernels [--target NAME] [--filter TEXT] [--json FILE]

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "core/kernels/cpu_features.h"
#include "tests/kernels/cpu.h"
#include "tools/bench/kernels/fma_peak.h"

namespace tern::kernels {
namespace {

struct Options {
  const char* target = nullptr;
  const char* filter = "";
  const char* json = nullptr;
  bool peak = false;  // only the multiply-add limit, as JSON
};

struct Row {
  std::string bench, name;
  double tern, limit, target;
};

// Memory with random contents that lives as long as the program: cases are few.
float* RandomFloats(int64_t count) {
  auto* data =
      static_cast<float*>(aligned_alloc(64, (static_cast<size_t>(count) * 4 + 127) / 64 * 64));
  uint32_t state = 12345;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
  }
  return data;
}

void* Scratch(void*, size_t bytes) {
  static void* block = nullptr;
  static size_t size = 0;
  if (bytes > size) {
    free(block);
    size = (bytes + 63) / 64 * 64;
    block = aligned_alloc(64, size);
  }
  return block;
}

const TernKernelContext kContext = {nullptr, nullptr, &Scratch, nullptr};

// Processor time of this process: other programs on a busy machine do not count.
double Seconds() {
#ifdef __EMSCRIPTEN__
  return EM_ASM_DOUBLE({
    if (typeof process == 'undefined') return performance.now() * 1e-3;
    var usage = process.cpuUsage();
    return (usage.user + usage.system) * 1e-6;
  });
#else
  return static_cast<double>(clock()) / CLOCKS_PER_SEC;
#endif
}

// The best rate of several samples of at least 10 ms each.
double BestRate(const std::function<double()>& run) {
  double best = 0.0;
  for (int sample = 0; sample < 9; ++sample) {
    double work = 0.0, elapsed = 0.0;
    const double start = Seconds();
    do {
      work += run();
      elapsed = Seconds() - start;
    } while (elapsed < 0.01);
    if (work / elapsed > best) best = work / elapsed;
  }
  return best * 1e-9;
}

double MeasureLimit(const KernelTable& table) {
  FmaPeak* peak = FindFmaPeak(table.name);
  if (peak == nullptr) return 0.0;
  static float sink[16] = {0.001f};
  return BestRate([&] { return static_cast<double>(peak(10000, sink)); });
}

int64_t Panels(int64_t n) { return (n + 15) / 16 * 16; }

double GemmRate(const KernelTable& table, int64_t m, int64_t n, int64_t k) {
  TernGemmArgs args{};
  args.m = m, args.n = n, args.k = k;
  args.a = RandomFloats(m * k), args.a_stride = k;
  args.b = RandomFloats(Panels(n) * k);
  args.c = RandomFloats(m * n), args.c_stride = n;
  const double work =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return BestRate([&] {
    table.gemm(&args, &kContext);
    return work;
  });
}

double MatMulRate(const KernelTable& table, int64_t m, int64_t n, int64_t k, bool transposed) {
  static const int64_t kZero = 0;
  TernMatMulArgs args{};
  args.batches = 1, args.m = m, args.n = n, args.k = k;
  args.a = RandomFloats(m * k), args.a_row_stride = k, args.a_col_stride = 1;
  args.b = RandomFloats(n * k);
  args.b_row_stride = transposed ? 1 : n, args.b_col_stride = transposed ? k : 1;
  args.c = RandomFloats(m * n), args.c_row_stride = n;
  args.a_offsets = args.b_offsets = args.c_offsets = &kZero;
  const double work =
      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return BestRate([&] {
    table.matmul(&args, &kContext);
    return work;
  });
}

struct ConvCase {
  const char* name;
  int64_t size, in_c, out_c, kernel, stride, pad;  // square images
  int32_t activation = TERN_ACT_RELU;
};

// Layers of MobileNetV2, ResNet-18, a small digit classifier and a detector with SiLU.
const ConvCase kConvCases[] = {
    {"mobilenet first 3x3 s2 224 3->32", 224, 3, 32, 3, 2, 1},
    {"mobilenet 1x1 112 32->16", 112, 32, 16, 1, 1, 0},
    {"mobilenet 1x1 112 16->96", 112, 16, 96, 1, 1, 0},
    {"mobilenet 1x1 56 96->24", 56, 96, 24, 1, 1, 0},
    {"mobilenet 1x1 28 32->192", 28, 32, 192, 1, 1, 0},
    {"mobilenet 1x1 14 384->64", 14, 384, 64, 1, 1, 0},
    {"mobilenet 1x1 7 960->320", 7, 960, 320, 1, 1, 0},
    {"mobilenet 1x1 7 320->1280", 7, 320, 1280, 1, 1, 0},
    {"resnet first 7x7 s2 224 3->64", 224, 3, 64, 7, 2, 3},
    {"resnet 3x3 56 64->64", 56, 64, 64, 3, 1, 1},
    {"resnet 3x3 s2 56 64->128", 56, 64, 128, 3, 2, 1},
    {"resnet 3x3 28 128->128", 28, 128, 128, 3, 1, 1},
    {"resnet 3x3 14 256->256", 14, 256, 256, 3, 1, 1},
    {"resnet 3x3 7 512->512", 7, 512, 512, 3, 1, 1},
    {"mnist 5x5 28 1->8", 28, 1, 8, 5, 1, 2},
    {"mnist 5x5 14 8->16", 14, 8, 16, 5, 1, 2},
    {"3x3 80 96->24", 80, 96, 24, 3, 1, 1},
    {"1x1 52 64->64", 52, 64, 64, 1, 1, 0},
    {"1x1 52 64->64 silu", 52, 64, 64, 1, 1, 0, TERN_ACT_SILU},
    {"1x1 52 64->64 sigmoid", 52, 64, 64, 1, 1, 0, TERN_ACT_SIGMOID},
    {"1x1 52 64->64 gelu", 52, 64, 64, 1, 1, 0, TERN_ACT_GELU},
    {"1x1 52 64->64 hard swish", 52, 64, 64, 1, 1, 0, TERN_ACT_HARD_SWISH},
    {"1x1 26 24->24 silu", 26, 24, 24, 1, 1, 0, TERN_ACT_SILU},
};

const ConvCase kDepthwiseCases[] = {
    {"depthwise 3x3 112 32", 112, 32, 32, 3, 1, 1},
    {"depthwise 3x3 s2 112 96", 112, 96, 96, 3, 2, 1},
    {"depthwise 3x3 56 144", 56, 144, 144, 3, 1, 1},
    {"depthwise 3x3 28 192", 28, 192, 192, 3, 1, 1},
    {"depthwise 3x3 14 384", 14, 384, 384, 3, 1, 1},
    {"depthwise 3x3 7 960", 7, 960, 960, 3, 1, 1},
    {"depthwise 5x5 28 120", 28, 120, 120, 5, 1, 2},
    {"depthwise 5x5 s2 28 120", 28, 120, 120, 5, 2, 2},
    {"depthwise 3x3 52 64 silu", 52, 64, 64, 3, 1, 1, TERN_ACT_SILU},
};

// Decoders and generators.
const ConvCase kTransposedCases[] = {
    {"transposed 2x2 s2 160 24->1", 160, 24, 1, 2, 2, 0},
    {"transposed 2x2 s2 80 24->24", 80, 24, 24, 2, 2, 0},
    {"transposed 4x4 s2 32 64->32", 32, 64, 32, 4, 2, 1},
};

double TransposedRate(const KernelTable& table, const ConvCase& c) {
  const int64_t out = (c.size - 1) * c.stride - 2 * c.pad + c.kernel;
  TernConvTranspose2dArgs args{};
  args.batch = 1;
  args.in_h = args.in_w = c.size, args.in_c = c.in_c;
  args.out_h = args.out_w = out, args.out_c = c.out_c;
  args.kernel_h = args.kernel_w = c.kernel, args.stride_h = args.stride_w = c.stride;
  args.dilation_h = args.dilation_w = 1, args.pad_top = args.pad_left = c.pad;
  args.groups = 1;
  args.input = RandomFloats(c.size * c.size * c.in_c);
  args.weights = RandomFloats(c.in_c * c.kernel * c.kernel * c.out_c);
  args.output = RandomFloats(out * out * c.out_c);
  args.epilogue.bias = RandomFloats(c.out_c);
  args.epilogue.activation = c.activation;
  const double work = 2.0 * static_cast<double>(c.size * c.size * c.in_c) *
                      static_cast<double>(c.kernel * c.kernel * c.out_c);
  return BestRate([&] {
    table.conv_transpose2d(&args, &kContext);
    return work;
  });
}

double ConvRate(const KernelTable& table, const ConvCase& c, bool depthwise) {
  const int64_t out = (c.size + 2 * c.pad - c.kernel) / c.stride + 1;
  const int64_t taps = c.kernel * c.kernel, ic = depthwise ? 1 : c.in_c;
  TernConv2dArgs args{};
  args.batch = 1;
  args.in_h = args.in_w = c.size, args.in_c = args.in_pixel_stride = c.in_c;
  args.out_h = args.out_w = out, args.out_c = args.out_pixel_stride = c.out_c;
  args.kernel_h = args.kernel_w = c.kernel, args.stride_h = args.stride_w = c.stride;
  args.dilation_h = args.dilation_w = 1, args.pad_top = args.pad_left = c.pad;
  args.groups = depthwise ? c.in_c : 1;
  args.input = RandomFloats(c.size * c.size * c.in_c);
  args.weights = RandomFloats(taps * ic * Panels(c.out_c));
  args.output = RandomFloats(out * out * c.out_c);
  args.epilogue.bias = RandomFloats(c.out_c);
  args.epilogue.activation = c.activation;
  const double work =
      2.0 * static_cast<double>(out * out) * static_cast<double>(taps * ic * c.out_c);
  Kernel<TernConv2dArgs>* kernel = depthwise ? table.conv2d_depthwise : table.conv2d;
  return BestRate([&] {
    kernel(&args, &kContext);
    return work;
  });
}

class Report {
 public:
  Report(const Options& options, const KernelTable& table)
      : options_(options), table_(table), limit_(MeasureLimit(table)) {
    printf("%s: multiply-add limit %.1f GFLOP/s\n", table.name, limit_);
  }
  // `target` is a share of the limit, 0 where the specification names none.
  void Case(const std::string& name, double target, const std::function<double()>& rate) {
    if (name.find(options_.filter) == std::string::npos) return;
    const double tern = rate();
    limit_ = std::max(limit_, MeasureLimit(table_));
    rows_.push_back({std::string("kernels/") + table_.name, name, tern, limit_, target * limit_});
    printf("  %-40s %8.1f GFLOP/s", name.c_str(), tern);
    if (limit_ > 0.0) printf(" %6.1f %%", 100.0 * tern / limit_);
    if (limit_ > 0.0 && target > 0.0) printf("  %s", tern >= target * limit_ ? "met" : "below");
    printf("\n");
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  const Options& options_;
  const KernelTable& table_;
  double limit_;
  std::vector<Row> rows_;
};

std::string Shape(int64_t m, int64_t n, int64_t k) {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

std::vector<Row> MeasureTable(const Options& options, const KernelTable& table) {
  Report report(options, table);
  const int64_t shapes[][3] = {
      {64, 64, 64},   {128, 128, 128}, {256, 256, 256},  {512, 512, 512},  {1024, 1024, 1024},
      {8, 768, 3072}, {128, 384, 384}, {128, 1536, 384}, {128, 384, 1536}, {100, 100, 100},
      {1, 512, 128},  {1, 1000, 1280}, {1, 4096, 4096}};
  for (const auto& s : shapes) {
    const double target = s[0] == 1 ? 0.0 : s[0] < 100 ? 0.90 : 0.95;
    report.Case("gemm " + Shape(s[0], s[1], s[2]), target,
                [&] { return GemmRate(table, s[0], s[1], s[2]); });
  }
  for (const auto& s : shapes) {
    report.Case("matmul " + Shape(s[0], s[1], s[2]), 0.0,
                [&] { return MatMulRate(table, s[0], s[1], s[2], false); });
  }
  report.Case("matmul transposed " + Shape(128, 128, 64), 0.0,
              [&] { return MatMulRate(table, 128, 128, 64, true); });
  report.Case("matmul transposed " + Shape(1, 4096, 4096), 0.0,
              [&] { return MatMulRate(table, 1, 4096, 4096, true); });
  for (const ConvCase& c : kConvCases) {
    report.Case(c.name, 0.95, [&] { return ConvRate(table, c, false); });
  }
  for (const ConvCase& c : kTransposedCases) {
    report.Case(c.name, 0.0, [&] { return TransposedRate(table, c); });
  }
  for (const ConvCase& c : kDepthwiseCases) {
    report.Case(c.name, 0.0, [&] { return ConvRate(table, c, true); });
  }
  return report.rows();
}

bool WriteJson(const char* path, const std::vector<Row>& rows) {
  FILE* file = fopen(path, "w");
  if (file == nullptr) return false;
  const char* separator = "[\n";
  for (const Row& row : rows) {
    fprintf(file,
            "%s  {\"bench\": \"%s\", \"case\": \"%s\", \"unit\": \"GFLOP/s\", \"tern\": %.2f, ",
            separator, row.bench.c_str(), row.name.c_str(), row.tern);
    fprintf(file, "\"rival\": null, \"limit\": %.2f, \"ratio\": null, \"target\": ", row.limit);
    if (row.target > 0.0) {
      fprintf(file, "%.2f, \"met\": %s}", row.target, row.tern >= row.target ? "true" : "false");
    } else {
      fprintf(file, "null, \"met\": null}");
    }
    separator = ",\n";
  }
  fprintf(file, rows.empty() ? "[]\n" : "\n]\n");
  return fclose(file) == 0;
}

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
  const std::vector<Row> rows = MeasureTable(options, *table);
  if (options.json != nullptr && !WriteJson(options.json, rows)) {
    fprintf(stderr, "bench_kernels: cannot write %s\n", options.json);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tern::kernels

int main(int argc, char** argv) { return tern::kernels::Main(argc, argv); }
