// SPDX-License-Identifier: Apache-2.0
// Whatever a search may choose computes what the program as written does.
#include "core/loop/tune/space.h"

#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::tune::space_test {
namespace {

bool Offers(const Knob& knob, std::string_view value) {
  return std::find(knob.values.begin(), knob.values.end(), value) != knob.values.end();
}

constexpr std::string_view kAdd =
    "te add<n>(A: float32[n], B: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + B[i] }";

TEST(TuneSpaceTest, E20EveryStrategyThatTheTargetHasIsOffered) {
  const SourceFile file = MustParse(kAdd);
  const Subject subject = FindSubject(file, "").value();
  const Knob sve = MakeSpace(subject, *FindTarget("aarch64+sve")).knobs[0];
  for (std::string_view name : {"scalar", "fixed", "fixed_predicated", "cleanup", "predicated"})
    EXPECT_TRUE(Offers(sve, name)) << name;
  const Knob neon = MakeSpace(subject, *FindTarget("aarch64")).knobs[0];
  EXPECT_TRUE(Offers(neon, "fixed"));
  EXPECT_FALSE(Offers(neon, "fixed_predicated"));
  EXPECT_FALSE(Offers(neon, "cleanup"));
  const Knob wasm = MakeSpace(subject, *FindTarget("wasm32")).knobs[0];
  EXPECT_TRUE(Offers(wasm, "fixed_predicated"));
  EXPECT_FALSE(Offers(wasm, "predicated"));
  for (std::string_view factor : {"1", "2", "4", "8"})
    EXPECT_TRUE(Offers(MakeSpace(subject, *FindTarget("wasm32")).knobs[1], factor));
}

TEST(TuneSpaceTest, E20TensorsOfTwoAxesMayBeTiled) {
  const SourceFile file = MustParse(
      "te f<m, n>(A: float32[m, n]) -> (C: float32[m, n], S: float32[m]) {\n"
      "compute C[i, j] = A[i, j] + 1.0\n compute S[i] = sum(k < n, A[i, k]) }");
  const Space space = MakeSpace(FindSubject(file, "f").value(), *FindTarget("wasm32"));
  ASSERT_EQ(space.knobs.size(), 5u);
  EXPECT_EQ(space.knobs[2].name, "C.axis");
  EXPECT_EQ(space.knobs[3].name, "C.tile");
  EXPECT_EQ(space.knobs[4].name, "S.axis");
  EXPECT_EQ(space.ToText({0, 2, 0, 1, 0}), "interleave=2 C.tile=2 rows");
  EXPECT_EQ(space.ToText(space.origin()), "as written");
}

TEST(TuneSpaceTest, FunctionsAreFoundByName) {
  const SourceFile two = MustParse(StrCat(kAdd, "primfn g<n>(A: inout int8[n]) { A[0] = 1 }"));
  EXPECT_EQ(FindSubject(two, "g").value().function->name, "g");
  EXPECT_EQ(FindSubject(two, "h").status().message(),
            "there is no loop function 'h'; there are add, g");
  EXPECT_EQ(FindSubject(two, "").status().message(),
            "the file has several functions; name one of add, g");
  EXPECT_EQ(FindSubject(SourceFile(), "").status().error_code(), "E0528");
}

// The made-up numbers are multiples of 1/8, so that sums are exact in any order.
constexpr const char* kPrograms[] = {
    "te add2<m, n>(A: int16[m, n], B: int16[m, n]) -> (C: int16[m, n]) {"
    " compute C[i, j] = A[i, j] + B[i, j] schedule { parallel(C, i) vectorize(C, j) } }",
    "te mm<m, n>(A: float32[m, 3], B: float32[3, n]) -> (C: float32[m, n]) {"
    " compute C[i, j] = sum(k < 3, A[i, k] * B[k, j]) }",
    "te two<m, n>(X: float32[m, n]) -> (Y: float32[m, n]) {"
    " compute S[i]: float32[m] = sum(j < n, X[i, j])"
    " compute Y[i, j] = X[i, j] - S[i]"
    " schedule { vectorize(S, j, scalable = true) compute_at(S, Y, i) vectorize(Y, j) } }",
    "primfn sum<m, n>(A: in int32[n], S: inout int32[1]) {"
    " for (i, 0, n) { S[0] = S[0] + A[i] } }",
};

TEST(TuneSpaceTest, E20EveryPointComputesTheSame) {
  for (const char* text : kPrograms) {
    const SourceFile file = MustParse(text);
    const Subject subject = FindSubject(file, "").value();
    const Target& target = *FindTarget("aarch64+sve");
    const Space space = MakeSpace(subject, target);
    int refused = 0, ran = 0;
    const auto run = [&](const Point& point) -> std::optional<RunResult> {
      const SourceFile made = Apply(file, subject, target, point);
      const SourceFile again = MustParse(ToText(made));  // as it would be written to a file
      const Result<Program> program = LowerFile(again, DefaultLowering(target));
      ++(program.ok() ? ran : refused);
      if (!program.ok()) {
        EXPECT_EQ(program.status().error_code(), "E0512") << ToText(made);  // a dependence
        return std::nullopt;
      }
      const int64_t sizes[] = {5, 19};
      RunOptions options;
      options.vscale = 2;
      return RunOn(Interpreter::Make(program->functions.at(0)).value(), sizes, options).value();
    };
    const RunResult expected = *run(space.origin());
    Point point = space.origin();
    for (int64_t i = 0; i < space.size(); i += 1 + space.size() / 400) {
      int64_t rest = i;
      for (size_t knob = 0; knob < point.size(); ++knob) {
        const auto values = static_cast<int64_t>(space.knobs[knob].values.size());
        point[knob] = static_cast<int32_t>(rest % values);
        rest /= values;
      }
      const std::optional<RunResult> got = run(point);
      if (!got.has_value()) continue;
      EXPECT_EQ(got->outputs, expected.outputs) << text << "\n" << space.ToText(point);
      EXPECT_EQ(got->broken_canary, -1);
    }
    EXPECT_GT(ran, 4 * refused) << text;
  }
}

}  // namespace
}  // namespace tern::loop::tune::space_test
