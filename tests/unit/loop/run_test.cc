// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: operators by type, bounds, wrong calls, what an observer sees.
#include <string.h>

#include "core/loop/run/lane_math.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::run_test {
namespace {

Interpreter MustMake(std::string_view text, Strategy strategy = Strategy::kSchedule) {
  return Interpreter::Make(Lowered(text, strategy).value()).value();
}

int64_t IntOf(BinaryOp op, DType type, int64_t a, int64_t b) {
  Lane x, y;
  x.i = WrapInt(type, a);
  y.i = WrapInt(type, b);
  return LaneBinary(op, type, x, y).i;
}

TEST(RunTest, E23IntegerOperatorsAreTotal) {
  EXPECT_EQ(IntOf(BinaryOp::kAdd, kI8, 127, 1), -128);
  EXPECT_EQ(IntOf(BinaryOp::kSub, kU8, 0, 1), 255);
  EXPECT_EQ(IntOf(BinaryOp::kMul, kI16, 300, 300), 24464);
  EXPECT_EQ(IntOf(BinaryOp::kDiv, kI32, -7, 2), -4);
  EXPECT_EQ(IntOf(BinaryOp::kMod, kI32, -7, 2), 1);
  EXPECT_EQ(IntOf(BinaryOp::kMod, kI32, 7, -2), -1);
  EXPECT_EQ(IntOf(BinaryOp::kDiv, kI32, 7, 0), 0);
  EXPECT_EQ(IntOf(BinaryOp::kMod, kI32, 7, 0), 0);
  EXPECT_EQ(IntOf(BinaryOp::kDiv, kI64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(IntOf(BinaryOp::kDiv, kI8, -128, -1), -128);
  EXPECT_EQ(IntOf(BinaryOp::kDiv, kU64, -1, 2), INT64_MAX);
  EXPECT_EQ(IntOf(BinaryOp::kLt, kU64, -1, 2), 0);
  EXPECT_EQ(IntOf(BinaryOp::kMax, kU8, 200, 100), 200);
  EXPECT_EQ(IntOf(BinaryOp::kShl, kI8, 1, 9), 2);
  EXPECT_EQ(IntOf(BinaryOp::kShr, kI8, -128, 7), -1);
  EXPECT_EQ(IntOf(BinaryOp::kShr, kU8, 128, 7), 1);
}

double FloatOf(BinaryOp op, DType type, double a, double b) {
  Lane x, y;
  x.f = RoundFloat(type, a);
  y.f = RoundFloat(type, b);
  return LaneBinary(op, type, x, y).f;
}

TEST(RunTest, E23FloatOperatorsRoundToTheirType) {
  EXPECT_EQ(FloatOf(BinaryOp::kAdd, kF32, 16777216, 1), 16777216);
  EXPECT_EQ(FloatOf(BinaryOp::kAdd, kF16, 2048, 1), 2048);
  EXPECT_EQ(FloatOf(BinaryOp::kAdd, kBf16, 256, 1), 256);
  EXPECT_EQ(FloatOf(BinaryOp::kAdd, kF64, 16777216, 1), 16777217);
  EXPECT_EQ(FloatOf(BinaryOp::kMod, kF32, -7, 2), 1);
  EXPECT_TRUE(__builtin_isnan(FloatOf(BinaryOp::kMax, kF32, __builtin_nan(""), 1)));
  EXPECT_TRUE(__builtin_isnan(FloatOf(BinaryOp::kMin, kF32, 1, __builtin_nan(""))));
  EXPECT_TRUE(__builtin_signbit(FloatOf(BinaryOp::kMin, kF32, 0.0, -0.0)));
  EXPECT_FALSE(__builtin_signbit(FloatOf(BinaryOp::kMax, kF32, -0.0, 0.0)));
}

int64_t CastToInt(DType to, double value) {
  Lane lane;
  lane.f = value;
  return LaneCast(kF64, to, lane).i;
}

TEST(RunTest, CastsSaturate) {
  EXPECT_EQ(CastToInt(kI8, 127.9), 127);
  EXPECT_EQ(CastToInt(kI8, 128), 127);
  EXPECT_EQ(CastToInt(kI8, -1e30), -128);
  EXPECT_EQ(CastToInt(kU8, -3), 0);
  EXPECT_EQ(CastToInt(kU8, 300), 255);
  EXPECT_EQ(CastToInt(kI64, __builtin_nan("")), 0);
  EXPECT_EQ(CastToInt(kI64, __builtin_inf()), INT64_MAX);
  EXPECT_EQ(CastToInt(kI64, -__builtin_inf()), INT64_MIN);
  EXPECT_EQ(static_cast<uint64_t>(CastToInt(kU64, 1e19)), 10000000000000000000u);
}

double CastToFloat(DType from, DType to, Lane value) { return LaneCast(from, to, value).f; }

// The nearest float32 would be between two halves, and rounding that would go to the even one.
TEST(RunTest, CastsToSixteenBitsRoundOnce) {
  EXPECT_EQ(CastToFloat(kF64, kF16, {.f = 0x1.002p0}), 1);
  EXPECT_EQ(CastToFloat(kF64, kF16, {.f = 0x1.0020000000001p0}), 0x1.004p0);
  EXPECT_EQ(CastToFloat(kF64, kBf16, {.f = -0x1.0100000000001p0}), -0x1.02p0);
  EXPECT_EQ(CastToFloat(kI32, kBf16, {.i = 0x40400000}), 0x1p30);
  EXPECT_EQ(CastToFloat(kI32, kBf16, {.i = 0x40400001}), 0x1.02p30);
  EXPECT_EQ(CastToFloat(kU64, kBf16, {.i = INT64_MIN}), 0x1p63);
  EXPECT_EQ(CastToFloat(kF64, kF16, {.f = 65520}), __builtin_inf());
  EXPECT_TRUE(__builtin_isnan(CastToFloat(kF64, kF16, {.f = __builtin_nan("")})));
}

std::string RunError(const Interpreter& interpreter, const RunArguments& arguments,
                     int64_t vscale = 1) {
  RunOptions options;
  options.vscale = vscale;
  const Result<Counters> counters = interpreter.Run(arguments, options);
  return counters.ok() ? "" : counters.status().ToString();
}

TEST(RunTest, WrongCallsAreRefused) {
  const Interpreter add = MustMake(
      "primfn f<n>(A: in float32[n], C: out float32[n], s: float32) {"
      " for (i, 0, n) { C[i] = A[i] * s } }");
  float data[4] = {};
  const BufferArgument good[] = {{data, 16}, {data, 16}}, small[] = {{data, 16}, {data, 15}};
  const int64_t four = 4, minus = -1, huge = INT64_MAX;
  const uint64_t scalar = 0;
  EXPECT_EQ(RunError(add, {good, {&four, 1}, {&scalar, 1}}), "");
  EXPECT_NE(RunError(add, {small, {&four, 1}, {&scalar, 1}}).find("needs 16 bytes, got 15"),
            std::string::npos);
  EXPECT_NE(RunError(add, {{good, 1}, {&four, 1}, {&scalar, 1}}).find("takes 2 buffers, got 1"),
            std::string::npos);
  EXPECT_NE(RunError(add, {good, {}, {&scalar, 1}}).find("takes 1 sizes, got 0"),
            std::string::npos);
  EXPECT_NE(RunError(add, {good, {&four, 1}, {}}).find("takes 1 scalars"), std::string::npos);
  EXPECT_NE(RunError(add, {good, {&minus, 1}, {&scalar, 1}}).find("is -1"), std::string::npos);
  EXPECT_NE(RunError(add, {good, {&huge, 1}, {&scalar, 1}}).find("more than 2^63"),
            std::string::npos);
  for (int64_t vscale : {0, 17, -1}) {
    EXPECT_NE(RunError(add, {good, {&four, 1}, {&scalar, 1}}, vscale).find("vscale must be"),
              std::string::npos);
  }
}

TEST(RunTest, OutOfBoundsIsAnErrorAndTouchesNothing) {
  for (const char* body : {"C[I[i]] = 1.0", "C[i] = C[I[i]]", "C[i + 1] = 0.0", "C[i - 9] = 0.0"}) {
    const std::string text = StrCat(
        "primfn f<n>(I: in int64[n], C: inout float32[n]) {"
        " for (i, 0, n) { ",
        body, " } }");
    const Interpreter interpreter = MustMake(text);
    const int64_t n = 3;
    Workspace workspace = Workspace::Make(interpreter.function(), {&n, 1}).value();
    const int64_t wild[] = {0, 3, -1};
    memcpy(workspace.bytes(0).data(), wild, sizeof(wild));
    const Result<Counters> counters = interpreter.Run(workspace.arguments());
    ASSERT_FALSE(counters.ok()) << body;
    EXPECT_NE(counters.status().message().find("which has 3 elements"), std::string::npos);
    EXPECT_EQ(workspace.FirstBrokenCanary(), -1);
  }
}

// What a gather and a scatter under a condition leave in C, with indices that would leave the
// buffers where the condition is off.
std::vector<float> RunWild(std::string_view body, Strategy strategy, int64_t vscale) {
  const Interpreter interpreter =
      MustMake(StrCat("primfn f<n>(X: in float32[4], I: in int64[n], C: inout float32[n]) {"
                      " for (i, 0, n) vectorize_scalable { if (I[i] >= 0 & I[i] < 4) { ",
                      body, " } } }"),
               strategy);
  constexpr int64_t kWild[] = {2, 1 << 20, -5, 0, INT64_MIN, INT64_MAX, 1};
  constexpr float kX[] = {10, 11, 12, 13};
  const int64_t n = std::size(kWild);
  Workspace workspace = Workspace::Make(interpreter.function(), {&n, 1}).value();
  memcpy(workspace.bytes(0).data(), kX, sizeof(kX));
  memcpy(workspace.bytes(1).data(), kWild, sizeof(kWild));
  std::vector<float> c = {-1, -2, -3, -4, -5, -6, -7};
  memcpy(workspace.bytes(2).data(), c.data(), c.size() * sizeof(float));
  RunOptions options;
  options.vscale = vscale;
  const Result<Counters> counters = interpreter.Run(workspace.arguments(), options);
  EXPECT_TRUE(counters.ok()) << counters.status().ToString();
  EXPECT_EQ(workspace.FirstBrokenCanary(), -1);
  memcpy(c.data(), workspace.bytes(2).data(), c.size() * sizeof(float));
  return c;
}

// E19: an index that would leave the buffer does no harm where its lane is off.
TEST(RunTest, E19InactiveLanesTouchNothing) {
  for (const Strategy strategy :
       {Strategy::kScalar, Strategy::kFixedPredicated, Strategy::kPredicated}) {
    for (const int64_t vscale : {1, 2, 3, 16}) {
      SCOPED_TRACE(StrCat(StrategyName(strategy), " vscale ", vscale));
      EXPECT_EQ(RunWild("C[i] = X[I[i]]", strategy, vscale),
                (std::vector<float>{12, -2, -3, 10, -5, -6, 11}));
      EXPECT_EQ(RunWild("C[I[i]] = X[3] - 1.0", strategy, vscale),
                (std::vector<float>{12, 12, 12, -4, -5, -6, -7}));
    }
  }
}

TEST(RunTest, EndlessLoopsMeetTheLimit) {
  const Interpreter interpreter =
      MustMake("primfn f() { var i: int64 = 0 while (i < 1) { i = i * 1 } }");
  RunOptions options;
  options.max_steps = 1000;
  const Result<Counters> counters = interpreter.Run({}, options);
  ASSERT_FALSE(counters.ok());
  EXPECT_EQ(counters.status().error_code(), "S0301");
}

TEST(RunTest, BadStepsAreRefused) {
  const Interpreter interpreter = MustMake("primfn f<n>() { for (i, 0, 5; i += n) { let x = i } }");
  const int64_t zero = 0;
  EXPECT_NE(RunError(interpreter, {{}, {&zero, 1}, {}}).find("must be positive"),
            std::string::npos);
}

TEST(RunTest, UnloweredFunctionsAreRefused) {
  const SourceFile file = MustParse(
      "primfn f<n>(A: inout float32[n, n]) { for (i, 0, n) vectorized { A[i, 0] = exp(A[i, 1]) } "
      "}");
  const Result<Interpreter> interpreter = Interpreter::Make(file.program.functions[0]);
  ASSERT_FALSE(interpreter.ok());
  EXPECT_NE(text::RenderText(interpreter.status()).find("is still vectorized"), std::string::npos);
}

}  // namespace
}  // namespace tern::loop::run_test
