// SPDX-License-Identifier: Apache-2.0
// Every program of tests/loop/programs: its text round trips, and every strategy computes what the
// scalar loops do, at every vscale and every length up to four vectors and a rest, inside its
// buffers. E10, E18, E19, E22, E24.
#include <math.h>
#include <string.h>

#include <fstream>
#include <sstream>

#include "core/loop/run/lane_math.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::kernels_test {
namespace {

struct Kernel {
  const char* name;
  double tolerance;  // relative to the largest output; 0: the same bits
};
// Sums in another order differ by rounding: n additions of float32 by at most n * 2^-24 of the sum
// of magnitudes.
constexpr Kernel kKernels[] = {
    {"add", 0},           {"daxpy", 0},       {"relu", 0},         {"gelu", 0},
    {"clamp_mixed", 0},   {"dot", 2e-5},      {"max", 0},          {"softmax", 2e-5},
    {"layer_norm", 2e-4}, {"transpose", 0},   {"strided_copy", 0}, {"gather", 0},
    {"scatter", 0},       {"add_2d", 0},      {"triangle", 0},     {"matmul", 0},
    {"dot_int8", 0},      {"add_f16", 0},     {"conditional", 0},  {"masked_sum", 0},
    {"blur", 0},          {"add_i8", 0},      {"column_sums", 0},  {"sigmoid_inline", 0},
    {"angles", 0},        {"hyperbolics", 0},
};

std::string ReadProgram(const std::string& name) {
  std::ifstream file(StrCat(TERN_SOURCE_DIR, "/tests/loop/programs/", name, ".tloop"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class KernelsTest : public ::testing::TestWithParam<Kernel> {
 protected:
  // Sizes: n is the length that varies, m a number of rows.
  static std::vector<int64_t> Sizes(const LoopFunction& function, int64_t n) {
    std::vector<int64_t> sizes;
    for (const VarPtr& size : function.sizes) sizes.push_back(size->name == "m" ? 3 : n);
    return sizes;
  }

  static void ExpectNear(const LoopFunction& function, const RunResult& got,
                         const RunResult& wanted, const std::string& where) {
    const double tolerance = GetParam().tolerance;
    ASSERT_EQ(got.outputs.size(), wanted.outputs.size());
    if (tolerance == 0) {
      ASSERT_EQ(got.outputs, wanted.outputs) << where << "\n" << ToText(function);
      return;
    }
    for (size_t i = 0; i < got.outputs.size(); ++i) {
      const size_t count = wanted.outputs[i].size() / sizeof(float);
      std::vector<float> a(count), b(count);
      if (count == 0) continue;
      memcpy(a.data(), got.outputs[i].data(), count * sizeof(float));
      memcpy(b.data(), wanted.outputs[i].data(), count * sizeof(float));
      double scale = 1;
      for (float value : b) scale = fmax(scale, fabs(value));
      for (size_t k = 0; k < count; ++k) {
        const bool both_nan = a[k] != a[k] && b[k] != b[k];
        ASSERT_TRUE(both_nan || fabs(a[k] - b[k]) <= tolerance * scale)
            << where << " element " << k << ": " << a[k] << " for " << b[k];
      }
    }
  }
};

TEST_P(KernelsTest, TextRoundTrips) {
  const std::string text = ReadProgram(GetParam().name);
  ASSERT_NE(text, "") << GetParam().name;
  const std::string once = ToText(MustParse(text));
  EXPECT_EQ(ToText(MustParse(once)), once);
  for (Strategy strategy : {Strategy::kFixed, Strategy::kPredicated}) {
    const std::string lowered = LoweredText(text, strategy);
    EXPECT_EQ(ToText(MustParse(lowered)), lowered);
  }
}

TEST_P(KernelsTest, StrategiesAgreeAtEveryLengthAndVScale) {
  const std::string text = ReadProgram(GetParam().name);
  const Interpreter scalar = Interpreter::Make(Lowered(text, Strategy::kScalar).value()).value();
  for (Strategy strategy : {Strategy::kSchedule, Strategy::kFixed, Strategy::kFixedPredicated,
                            Strategy::kCleanup, Strategy::kPredicated}) {
    const Result<LoopFunction> function = Lowered(text, strategy);
    ASSERT_TRUE(function.ok()) << text::RenderText(function.status());
    const Interpreter vectors = Interpreter::Make(*function).value();
    const bool scalable = strategy == Strategy::kCleanup || strategy == Strategy::kPredicated;
    for (int64_t vscale : {1, 2, 3, 4, 16}) {
      if (!scalable && vscale > 1) break;
      // All lengths up to four vectors and three more; of the longest vectors, those near whole
      // numbers of them.
      const int64_t lanes = 4 * vscale;
      for (int64_t n = 0; n <= 4 * lanes + 3; ++n) {
        if (vscale > 2 && n % lanes > 1 && n % lanes < lanes - 1) continue;
        const std::vector<int64_t> sizes = Sizes(*function, n);
        RunOptions options;
        options.vscale = vscale;
        const Result<RunResult> got = RunOn(vectors, sizes, options);
        const std::string where =
            StrCat(GetParam().name, " ", StrategyName(strategy), " vscale ", vscale, " n ", n);
        ASSERT_TRUE(got.ok()) << where << got.status().ToString() << ToText(*function);
        ASSERT_EQ(got->broken_canary, -1) << where;
        ExpectNear(*function, *got, RunOn(scalar, sizes).value(), where);
        if (HasFatalFailure()) return;
      }
    }
  }
}

std::string NameOf(const ::testing::TestParamInfo<Kernel>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, KernelsTest, ::testing::ValuesIn(kKernels), NameOf);

}  // namespace
}  // namespace tern::loop::kernels_test
