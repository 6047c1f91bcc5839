// SPDX-License-Identifier: Apache-2.0
// The polynomials against the C library, in units in the last place.
#include <math.h>
#include <string.h>

#include "tests/support/rounds.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::expand_intrinsics_test {
namespace {

template <class T>
std::vector<T> Apply(std::string_view function, std::string_view type, std::vector<T> x) {
  const std::string text = StrCat("primfn f<n>(X: in ", type, "[n], Y: out ", type,
                                  "[n]) {"
                                  " for (i, 0, n) vectorized { Y[i] = ",
                                  function, "(X[i]) } }");
  const Interpreter interpreter =
      Interpreter::Make(Lowered(text, Strategy::kSchedule).value()).value();
  std::vector<T> y(x.size());
  const int64_t n = static_cast<int64_t>(x.size());
  const BufferArgument buffers[] = {{x.data(), n * static_cast<int64_t>(sizeof(T))},
                                    {y.data(), n * static_cast<int64_t>(sizeof(T))}};
  EXPECT_TRUE(interpreter.Run({buffers, {&n, 1}, {}}).ok());
  return y;
}

// The distance in representable numbers of T to a value of higher precision.
template <class T>
double UlpError(T got, long double wanted) {
  const T rounded = static_cast<T>(wanted);
  if (rounded != rounded) return got != got ? 0 : 1e9;
  if (got == rounded) return 0;
  if (isinf(got) || isinf(rounded)) return 1e9;
  const long double next = nextafter(rounded, static_cast<T>(INFINITY));
  const long double ulp = next - rounded;
  return static_cast<double>(fabsl((static_cast<long double>(got) - wanted) / ulp));
}

struct Bound {
  const char* name;
  long double (*exact)(long double);
  double low, high, ulps32, ulps64;
};

long double ExactSigmoid(long double x) { return 1 / (1 + expl(-x)); }
long double ExactRSqrt(long double x) { return 1 / sqrtl(x); }

constexpr Bound kBounds[] = {
    {"exp", expl, -87, 88, 2, 3},
    {"log", logl, 1e-30, 1e30, 2, 2},
    {"tanh", tanhl, -20, 20, 3, 3},
    {"erf", erfl, -8, 8, 5, 3},
    {"sigmoid", ExactSigmoid, -80, 80, 4, 4},
    {"rsqrt", ExactRSqrt, 1e-20, 1e20, 1.5, 1.5},
    {"sin", sinl, -1000, 1000, 2, 2},
    {"cos", cosl, -1000, 1000, 2, 2},
    {"tan", tanl, -1000, 1000, 4, 3},
    {"sin", sinl, 1e-30, 1e6, 2, 2},
    {"asin", asinl, -1, 1, 3, 3},
    {"acos", acosl, -1, 1, 2, 3},
    {"atan", atanl, -30, 30, 3, 2},
    {"atan", atanl, 1e-30, 1e30, 3, 2},
    {"sinh", sinhl, -88, 88, 3, 4},
    {"cosh", coshl, -88, 88, 3, 4},
    {"asinh", asinhl, -30, 30, 3, 3},
    {"asinh", asinhl, 1e-30, 1e30, 3, 3},
    {"acosh", acoshl, 1, 1e30, 3, 4},
    {"acosh", acoshl, 1, 2, 3, 4},
    {"atanh", atanhl, -1, 1, 3, 3},
};

template <class T>
double WorstError(const Bound& bound, std::string_view type) {
  std::vector<T> x;
  uint64_t state = 7;
  for (int i = 0; i < support::Rounds(20000); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double u = static_cast<double>(state >> 11) / 9007199254740992.0;
    // Ranges over many powers of ten are sampled by exponent; half of the others near 0.
    const bool wide = bound.low > 0;
    const double value = wide ? exp(log(bound.low) + u * (log(bound.high) - log(bound.low)))
                              : (bound.low + u * (bound.high - bound.low)) * (i % 2 == 0 ? 1 : .01);
    x.push_back(static_cast<T>(value));
  }
  const std::vector<T> y = Apply(bound.name, type, x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) worst = fmax(worst, UlpError(y[i], bound.exact(x[i])));
  return worst;
}

TEST(ExpandIntrinsicsTest, ErrorsAreAsDocumented) {
  for (const Bound& bound : kBounds) {
    EXPECT_LE(WorstError<float>(bound, "float32"), bound.ulps32) << bound.name;
    EXPECT_LE(WorstError<double>(bound, "float64"), bound.ulps64) << bound.name;
  }
}

TEST(ExpandIntrinsicsTest, SpecialValues) {
  const float inf = INFINITY, nan = NAN;
  const std::vector<float> x = {0.0f, -0.0f, inf, -inf, nan, 1e-45f, 1000.0f, -1000.0f, -1.0f};
  const std::vector<float> e = Apply("exp", "float32", x), l = Apply("log", "float32", x),
                           t = Apply("tanh", "float32", x), f = Apply("erf", "float32", x);
  EXPECT_EQ(e[0], 1.0f);
  EXPECT_EQ(e[2], inf);
  EXPECT_EQ(e[3], 0.0f);
  EXPECT_EQ(e[6], inf);
  EXPECT_EQ(e[7], 0.0f);
  EXPECT_EQ(l[0], -inf);
  EXPECT_EQ(l[2], inf);
  EXPECT_TRUE(isnan(l[3]) && isnan(l[8]));
  EXPECT_NEAR(l[5], -103.2789, 1e-4);
  EXPECT_TRUE(t[1] == 0 && signbit(t[1]));
  EXPECT_EQ(t[2], 1.0f);
  EXPECT_EQ(t[7], -1.0f);
  EXPECT_EQ(f[2], 1.0f);
  EXPECT_EQ(f[3], -1.0f);
  EXPECT_TRUE(isnan(e[4]) && isnan(l[4]) && isnan(t[4]) && isnan(f[4]));
}

// The nearest that floats of 32 bits come to a quarter turn, and others far out.
TEST(ExpandIntrinsicsTest, AnglesOfAnySize) {
  std::vector<float> x = {16367173.0f * 0x1p72f, 0x1.fffffep127f, 21999384576.0f, 1e20f, 3e10f};
  for (int i = 0; i < 4000; ++i)
    x.push_back(ldexpf(static_cast<float>(8388608 + i * 2097 % 8388608), i % 104));
  const std::vector<float> sine = Apply("sin", "float32", x), cosine = Apply("cos", "float32", x);
  // The C library is right to less than a unit of float64, however large the angle.
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(UlpError(sine[i], sin(static_cast<double>(x[i]))), 3) << x[i];
    EXPECT_LE(UlpError(cosine[i], cos(static_cast<double>(x[i]))), 3) << x[i];
  }
  const std::vector<double> far = {1e9, 1e300, -1e18};
  for (double y : Apply("sin", "float64", far)) EXPECT_LE(fabs(y), 1);
}

TEST(ExpandIntrinsicsTest, SpecialValuesOfAnglesAndHyperbolics) {
  const float inf = INFINITY;
  const std::vector<float> x = {0.0f,  -0.0f, inf,   -inf,   NAN,  2.0f,
                                -2.0f, 1.0f,  -1.0f, 1e-45f, 89.2f};
  for (const char* name : {"sin", "tan", "asin", "atan", "sinh", "asinh", "atanh"}) {
    const std::vector<float> y = Apply(name, "float32", x);
    EXPECT_TRUE(y[0] == 0 && !signbit(y[0])) << name;
    EXPECT_TRUE(y[1] == 0 && signbit(y[1])) << name;
    EXPECT_TRUE(isnan(y[4])) << name;
    EXPECT_EQ(y[9], 1e-45f) << name;
  }
  for (const char* name : {"sin", "cos", "tan"}) {
    const std::vector<float> y = Apply(name, "float32", x);
    EXPECT_TRUE(isnan(y[2]) && isnan(y[3]) && isnan(y[4])) << name;
  }
  for (const char* name : {"asin", "acos", "atanh"}) {
    const std::vector<float> y = Apply(name, "float32", x);
    EXPECT_TRUE(isnan(y[2]) && isnan(y[3]) && isnan(y[5]) && isnan(y[6])) << name;
  }
  const std::vector<float> sinh_x = Apply("sinh", "float32", x),
                           cosh_x = Apply("cosh", "float32", x),
                           asinh_x = Apply("asinh", "float32", x),
                           acosh_x = Apply("acosh", "float32", x),
                           atanh_x = Apply("atanh", "float32", x),
                           atan_x = Apply("atan", "float32", x);
  EXPECT_TRUE(sinh_x[2] == inf && sinh_x[3] == -inf && asinh_x[2] == inf && asinh_x[3] == -inf);
  EXPECT_TRUE(cosh_x[2] == inf && cosh_x[3] == inf && isnan(cosh_x[4]));
  EXPECT_TRUE(isfinite(sinh_x[10]) && isfinite(cosh_x[10]));  // where e^x is infinite
  EXPECT_TRUE(acosh_x[2] == inf && isnan(acosh_x[3]) && isnan(acosh_x[0]) && acosh_x[7] == 0);
  EXPECT_TRUE(atanh_x[7] == inf && atanh_x[8] == -inf);
  EXPECT_TRUE(atan_x[2] == 1.57079637f && atan_x[3] == -1.57079637f);
}

// Denormal results have an error of half a unit of theirs besides what normal ones have.
TEST(ExpandIntrinsicsTest, ExponentialsToBothEnds) {
  std::vector<float> x;
  for (float at = -110; at < -87; at += 0.01f) x.push_back(at);
  const std::vector<float> tiny = Apply("exp", "float32", x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(fabsl(tiny[i] - expl(x[i])), 1.01L * 0x1p-149L + 2 * 0x1p-150L) << x[i];
  const std::vector<float> ends = Apply<float>("exp", "float32", {88.72f, 88.73f, 89.5f, -200.0f});
  EXPECT_LE(UlpError(ends[0], expl(88.72f)), 2);
  EXPECT_TRUE(isinf(ends[1]) && isinf(ends[2]) && ends[3] == 0);
  const std::vector<double> wide =
      Apply<double>("exp", "float64", {709.7, 709.8, -708.0, -745.0, -800.0, -0.0, NAN});
  EXPECT_LE(UlpError(wide[0], expl(709.7)), 3);
  EXPECT_TRUE(isinf(wide[1]) && wide[3] == 0x1p-1074 && wide[4] == 0 && wide[5] == 1);
  EXPECT_LE(UlpError(wide[2], expl(-708.0)), 3);
  EXPECT_TRUE(isnan(wide[6]));
}

TEST(ExpandIntrinsicsTest, TanhKeepsSmallNumbersAndSigns) {
  const std::vector<float> x = {1e-45f, -1e-45f, 1e-38f, 1e-20f, -1e-9f, -0.0f, -INFINITY, 9.2f};
  const std::vector<float> y = Apply("tanh", "float32", x);
  for (size_t i = 0; i + 2 < x.size(); ++i) EXPECT_EQ(y[i], x[i]);
  EXPECT_TRUE(signbit(y[5]));
  EXPECT_EQ(y[6], -1.0f);
  EXPECT_EQ(y[7], 1.0f);
}

size_t CountOf(std::string_view what, std::string_view text) {
  size_t count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// What is inlined where it is read twice is computed once all the same, also in a chain of such.
TEST(ExpandIntrinsicsTest, EqualCallsAreOneValue) {
  std::string value = "X[i]";
  for (int i = 0; i < 3; ++i) value = StrCat("(", value, " * erf(", value, "))");
  const std::string text =
      LoweredText(StrCat("primfn f(X: in float32[8], Y: out float32[8]) {"
                         " for (i, 0, 8) vectorized { Y[i] = ",
                         value, " + exp(X[i]) } for (i, 0, 8) { Y[i] = erf(Y[i]) } }"),
                  Strategy::kSchedule);
  EXPECT_EQ(CountOf("let erf_", text), 4u) << text;  // three and one in the other statement
  EXPECT_EQ(CountOf("let exp_", text), 1u) << text;
}

TEST(ExpandIntrinsicsTest, NotInConditionsOfWhile) {
  const std::string error =
      LoweredText("primfn f() { var x: float32 = 0.0 while (exp(x) < 2.0) { x = x + 1.0 } }",
                  Strategy::kSchedule);
  EXPECT_NE(error.find("cannot stand in the condition of a while loop"), std::string::npos);
}

}  // namespace
}  // namespace tern::loop::expand_intrinsics_test
