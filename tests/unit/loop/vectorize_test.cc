// SPDX-License-Identifier: Apache-2.0
// What vectorizing makes of loops, by the rows of the feature list.
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::vectorize_test {
namespace {

constexpr std::string_view kAdd =
    "te add<n>(A: float32[n], B: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + B[i] "
    "schedule { vectorize(C, i, scalable = true) } }";
constexpr std::string_view kSeed =
    "te seed(A: int8[17], B: int8[17]) -> (C: int8[17]) { compute C[i] = A[i] + B[i] "
    "schedule { vectorize_scalable(C, i) } }";

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Counters Count(std::string_view text, Strategy strategy, int64_t n, int64_t vscale = 1) {
  const LoopFunction function = Lowered(text, strategy).value();
  RunOptions options;
  options.vscale = vscale;
  const std::vector<int64_t> sizes(function.sizes.size(), n);
  return RunOn(Interpreter::Make(function).value(), sizes, options).value().counters;
}

TEST(VectorizeTest, E02E03RampsAndBroadcastsAreScalable) {
  const std::string text = LoweredText(
      "primfn f<n>(A: in float32[2 * n], C: out float32[n], s: float32) {"
      " for (i, 0, n) vectorize_scalable { C[i] = A[2 * i + 1] * s } }",
      Strategy::kPredicated);
  EXPECT_TRUE(Has(text, "ramp(i * 2 + 1, 2, vscale * 4)")) << text;
  EXPECT_TRUE(Has(text, "broadcast(s, vscale * 4)")) << text;
  const std::string variable = LoweredText(
      "primfn f<n, m>(A: in float32[n * m], C: out float32[n]) {"
      " for (i, 0, n) vectorize_scalable { C[i] = A[i * m] } }",
      Strategy::kPredicated);
  EXPECT_TRUE(Has(variable, "ramp(i * m, m, vscale * 4)")) << variable;
}

TEST(VectorizeTest, E04SeedForm) {
  const LoopFunction function = Lowered(kSeed, Strategy::kCleanup).value();
  const std::string text = ToText(function, PrintForm::kVL);
  EXPECT_TRUE(Has(text, "i+=VL)")) << text;
  EXPECT_TRUE(Has(text,
                  "C[ramp(i, 1, VL)] = ((int8xVL*)A[ramp(i, 1, VL)] + "
                  "(int8xVL*)B[ramp(i, 1, VL)])"))
      << text;
}

TEST(VectorizeTest, E06TargetWithoutScalableVectorsIsNamed) {
  for (std::string_view name : {"aarch64", "x86_64+avx512", "wasm32"}) {
    const Result<LoopFunction> function = Lowered(kAdd, Strategy::kSchedule, *FindTarget(name));
    ASSERT_FALSE(function.ok());
    const std::string error = text::RenderText(function.status());
    EXPECT_TRUE(Has(error, "E0513")) << error;
    EXPECT_TRUE(Has(error, StrCat("the loop over 'i' of 'add' cannot be vectorized for ", name)))
        << error;
  }
  EXPECT_TRUE(Lowered(kAdd, Strategy::kSchedule, *FindTarget("aarch64+sve")).ok());
  EXPECT_TRUE(Lowered(kAdd, Strategy::kFixed, *FindTarget("aarch64")).ok());
  EXPECT_FALSE(Lowered(kAdd, Strategy::kFixedPredicated, *FindTarget("aarch64")).ok());
  EXPECT_TRUE(Lowered(kAdd, Strategy::kFixedPredicated, *FindTarget("wasm32")).ok());
}

TEST(VectorizeTest, E07E09E10SeedAddUnderWhilelt) {
  const std::string text = LoweredText(kSeed, Strategy::kPredicated);
  EXPECT_EQ(text,
            "primfn seed(A: in int8[17], B: in int8[17], C: out int8[17]) {\n"
            "  var i: int64 = 0\n"
            "  while (i < 17) vector {\n"
            "    let p: boolxvscalex16 = whilelt(i, 17, vscale * 16)\n"
            "    C[ramp(i, 1, vscale * 16) where p] = A[ramp(i, 1, vscale * 16) where p] + "
            "B[ramp(i, 1, vscale * 16) where p]\n"
            "    i = i + vscale * 16\n"
            "  }\n"
            "}\n");
}

TEST(VectorizeTest, E08WhileAndForFormsAgree) {
  const LoopFunction loops = Lowered(kAdd, Strategy::kPredicated).value();
  const PassContext context;
  const LoopFunction for_form = FindPass("while_to_for")->function(loops, context);
  const LoopFunction back = FindPass("for_to_while")->function(for_form, context);
  EXPECT_TRUE(Has(ToText(for_form), "for (i, 0, n; i += vscale * 4) vector {")) << ToText(for_form);
  EXPECT_EQ(ToText(back), ToText(loops));
  const Interpreter first = Interpreter::Make(loops).value(),
                    second = Interpreter::Make(for_form).value();
  for (int64_t n = 0; n < 40; ++n) {
    for (int64_t vscale : {1, 2, 5}) {
      RunOptions options;
      options.vscale = vscale;
      const RunResult a = RunOn(first, {&n, 1}, options).value();
      const RunResult b = RunOn(second, {&n, 1}, options).value();
      EXPECT_EQ(a.outputs, b.outputs);
      EXPECT_EQ(a.counters.vector_iterations, b.counters.vector_iterations);
      EXPECT_EQ(a.counters.Of(InstructionClass::kControl),
                b.counters.Of(InstructionClass::kControl));
    }
  }
}

// The stores of a run in their order: where each begins and which of its lanes are on.
class Stores : public Observer {
 public:
  void OnAccess(const AccessEvent& event) override {
    if (event.instruction_class != InstructionClass::kStore) return;
    std::string store = StrCat(event.indices[0], ":");
    for (uint8_t on : event.active) store += on != 0 ? '1' : '0';
    seen.push_back(store);
  }
  std::vector<std::string> seen;
};

std::vector<std::string> StoresOf(Strategy strategy, int64_t n) {
  Stores stores;
  RunOptions options;
  options.observer = &stores;
  const Interpreter interpreter = Interpreter::Make(Lowered(kAdd, strategy).value()).value();
  EXPECT_TRUE(RunOn(interpreter, {&n, 1}, options).ok());
  return stores.seen;
}

TEST(VectorizeTest, E15FixedWithScalarEpilogue) {
  const Counters counters = Count(kAdd, Strategy::kFixed, 18);
  EXPECT_EQ(counters.vector_iterations, 4);
  EXPECT_EQ(counters.scalar_iterations, 2);
  EXPECT_EQ(StoresOf(Strategy::kFixed, 18),
            (std::vector<std::string>{"0:1111", "4:1111", "8:1111", "12:1111", "16:1", "17:1"}));
  EXPECT_EQ(StoresOf(Strategy::kFixed, 17),
            (std::vector<std::string>{"0:1111", "4:1111", "8:1111", "12:1111", "16:1"}));
}

TEST(VectorizeTest, E16FixedWithPredicatedTail) {
  const Counters counters = Count(kAdd, Strategy::kFixedPredicated, 18);
  EXPECT_EQ(counters.vector_iterations, 5);
  EXPECT_EQ(counters.scalar_iterations, 0);
  EXPECT_EQ(StoresOf(Strategy::kFixedPredicated, 18),
            (std::vector<std::string>{"0:1111", "4:1111", "8:1111", "12:1111", "16:1100"}));
  EXPECT_EQ(StoresOf(Strategy::kFixedPredicated, 17),
            (std::vector<std::string>{"0:1111", "4:1111", "8:1111", "12:1111", "16:1000"}));
}

// The table of the founding document's example, 18 floats.
TEST(VectorizeTest, CountsOfEighteenFloats) {
  const struct {
    int64_t vscale, vectors, scalars, predicated, last;
    double utilisation;
  } kRows[] = {{1, 4, 2, 5, 2, 0.9},    {2, 2, 2, 3, 2, 0.75},     {3, 1, 6, 2, 6, 0.75},
               {4, 1, 2, 2, 2, 0.5625}, {8, 0, 18, 1, 18, 0.5625}, {16, 0, 18, 1, 18, 0.28125}};
  for (const auto& row : kRows) {
    const Counters fixed = Count(kAdd, Strategy::kFixed, 18, row.vscale);
    EXPECT_EQ(fixed.vector_iterations, 4);
    EXPECT_EQ(fixed.scalar_iterations, 2);
    const Counters cleanup = Count(kAdd, Strategy::kCleanup, 18, row.vscale);
    EXPECT_EQ(cleanup.vector_iterations, row.vectors);
    EXPECT_EQ(cleanup.scalar_iterations, row.scalars);
    const Counters predicated = Count(kAdd, Strategy::kPredicated, 18, row.vscale);
    EXPECT_EQ(predicated.vector_iterations, row.predicated);
    EXPECT_EQ(predicated.scalar_iterations, 0);
    EXPECT_EQ(predicated.last_active, row.last);
    EXPECT_EQ(predicated.utilisation(), row.utilisation);
    EXPECT_EQ(predicated.bytes_loaded, 2 * 18 * 4);
    EXPECT_EQ(predicated.bytes_stored, 18 * 4);
  }
}

TEST(VectorizeTest, E24ReductionsKeepOnePartialPerLane) {
  const std::string text = LoweredText(
      "te s<n>(A: float32[n]) -> (S: float32[]) { compute S[] = sum(k < n, A[k]) "
      "schedule { vectorize(S, k, scalable = true) } }",
      Strategy::kPredicated);
  EXPECT_TRUE(Has(text, "select(p, S_acc.lanes + A[")) << text;
  EXPECT_TRUE(Has(text, "S_acc = S_acc + reduce_sum(S_acc.lanes)")) << text;
}

struct Dependence {
  const char *body, *why;  // why: "" where it may be vectorized
};

// Fused axes are one run of memory where every tensor has the axes' extents, and only there.
TEST(VectorizeTest, FusedAxesAreReadInOneRun) {
  const auto fused = [](std::string_view b) {
    return LoweredText(
        StrCat("te f<n, m>(A: float32[n, m, 4], B: float32", b,
               "]) -> (C: float32[n, m, 4]) { compute C[i, j, k] = A[i, j, k] + B[",
               b == "[4" ? "k" : "i, j, k",
               "] schedule { fuse(C, i, j) fuse(C, i.j.fused, k) vectorize(C, i.j.fused.k.fused, "
               "scalable = true) } }"),
        Strategy::kPredicated);
  };
  const std::string same = fused("[n, m, 4"), narrower = fused("[4");
  EXPECT_TRUE(Has(same, "B[ramp(i.j.fused.k.fused, 1, vscale * 4) where p]")) << same;
  EXPECT_FALSE(Has(same, "/")) << same;
  EXPECT_TRUE(Has(narrower, "A[ramp(i.j.fused.k.fused, 1, vscale * 4) where p]")) << narrower;
  EXPECT_TRUE(Has(narrower, "% broadcast(4, vscale * 4)")) << narrower;
}

TEST(VectorizeTest, DependencesAreRefused) {
  const Dependence kCases[] = {
      {"A[i] = A[i + 1]", ""},
      {"A[i + 1] = A[i]", "iteration i meets iteration i + 1 in 'A'"},
      {"A[i + 8] = A[i]", "iteration i meets iteration i + 8"},
      {"A[i] = B[i] B[i] = A[i]", ""},
      {"A[i + 1] = B[i] B[i] = A[i]", ""},
      {"A[i] = 1.0 B[i] = A[i + 1]", "in another order"},
      {"A[2 * i] = A[2 * i + 1]", ""},
      {"A[I[i]] = A[i]", "not linear"},
      {"A[I[i]] = B[i]", ""},
      {"A[I[i]] = A[I[i]] + 1.0", "not linear"},
      {"A[0] = B[i]", "every iteration writes the same element"},
      {"A[0] = A[0] + B[i]", ""},
      {"A[0] = A[0] + A[i]", "is used beside the reduction"},
      {"A[0] = B[i] - A[0]", "not as a reduction"},
      {"x = x * B[i] + 1.0", "through 'x', and not as a reduction"},
      {"x = max(B[i], x)", ""},
      {"x = x + B[i] A[i] = x", "through 'x'"},
      {"x = mad(B[i], B[i], x)", ""},
      {"for (k, 0, 3) { A[i + k] = B[i] }", "may write the same element"},
      {"for (k, 0, 3) { A[i * 3 + k] = B[i] }", ""},
      {"for (k, 0, 3) { A[k * n + i] = B[i] }", ""},
      {"for (k, 0, i) { A[i] = A[i] + B[k] }", "differ from iteration to iteration"},
      {"for (k, 0, 3) { A[i] = A[i] + B[k] }", ""},
      {"for (k, 0, 3) { A[i] = A[i + 1] }", "iteration i meets iteration i - 1"},
      {"while (x < 1.0) { x = 2.0 }", "it holds a while loop"},
      {"allocate T: float32[4] T[0] = B[i] A[i] = T[0]", "the local buffer 'T'"},
      {"for (j, 0, n) vectorized { A[j] = 0.0 }", "is vectorized too"},
      {"A[ramp(i, 1, 4)] = broadcast(0.0, 4)", "already holds vectors"},
  };
  for (const Dependence& each : kCases) {
    const std::string text = StrCat(
        "primfn f<n>(A: inout float32[4 * n + 9], B: inout float32[n], I: in int32[n]) {"
        " var x: float32 = 0.0 for (i, 0, n) vectorize_scalable { ",
        each.body, " } A[0] = x }");
    const Result<LoopFunction> function = Lowered(text, Strategy::kPredicated);
    const std::string error = function.ok() ? "" : text::RenderText(function.status());
    if (*each.why == '\0') {
      EXPECT_EQ(error, "") << each.body;
    } else {
      EXPECT_TRUE(Has(error, each.why)) << each.body << "\n" << error;
      EXPECT_TRUE(Has(error, "the loop over 'i' of 'f' cannot be vectorized for reference"))
          << error;
    }
  }
}

// Farther apart than a fixed vector is long, iterations may depend on each other.
TEST(VectorizeTest, DistantDependencesSuitFixedVectors) {
  const std::string_view text =
      "primfn f<n>(A: inout float32[n + 8]) {"
      " for (i, 0, n) vectorized { A[i + 8] = A[i] + 1.0 } }";
  EXPECT_TRUE(Lowered(text, Strategy::kFixed).ok());
  EXPECT_FALSE(Lowered(text, Strategy::kPredicated).ok());
}

TEST(VectorizeTest, MixedWidthsGoByTheWidest) {
  const std::string text = LoweredText(
      "primfn f<n>(A: in int8[n], C: out int32[n]) {"
      " for (i, 0, n) vectorize_scalable { C[i] = cast(int32, A[i]) * 2 } }",
      Strategy::kPredicated);
  EXPECT_TRUE(Has(text, "whilelt(i, n, vscale * 4)")) << text;
}

TEST(VectorizeTest, ExactVectorsNeedNoLoop) {
  const std::string text = LoweredText(
      "primfn f(A: in float32[8], C: out float32[8]) {"
      " for (i, 0, 8) vectorized(8) { C[i] = A[i] } }",
      Strategy::kSchedule);
  EXPECT_TRUE(Has(text, "C[ramp(0, 1, 8)] = A[ramp(0, 1, 8)]")) << text;
  EXPECT_FALSE(Has(text, "for")) << text;
}

// Blocks of four vectors without masks, then what the strategy does with the rest.
TEST(VectorizeTest, E20E24InterleavedLoopsComputeTheSame) {
  const std::string_view kMarks[] = {"vectorized interleave(4)", "vectorized(8) interleave(3)",
                                     "vectorized interleave(2) predicated",
                                     "vectorize_scalable interleave(4)",
                                     "vectorize_scalable(2) interleave(16) cleanup"};
  const std::string_view kBody = " { S[0] = S[0] + A[i] * 2 C[i] = A[i] - B[i] } }";
  const std::string_view kHead =
      "primfn f<n>(A: in int32[n], B: in int32[n], C: out int32[n], S: inout int32[1]) {"
      " for (i, 0, n) ";
  const Interpreter plain =
      Interpreter::Make(Lowered(StrCat(kHead, kBody), Strategy::kSchedule).value()).value();
  for (const std::string_view mark : kMarks) {
    const LoopFunction function = Lowered(StrCat(kHead, mark, kBody), Strategy::kSchedule).value();
    const Interpreter vectors = Interpreter::Make(function).value();
    for (int64_t n = 0; n < 90; n += n < 40 ? 1 : 7) {
      for (int64_t vscale : {1, 2, 16}) {
        RunOptions options;
        options.vscale = vscale;
        const RunResult got = RunOn(vectors, {&n, 1}, options).value();
        EXPECT_EQ(got.outputs, RunOn(plain, {&n, 1}).value().outputs) << mark << " n " << n;
        EXPECT_EQ(got.broken_canary, -1);
      }
    }
  }
}

// What is added to an element after the loop must not be, where no iteration touches it.
TEST(VectorizeTest, E24ElementsThatAreNotThereAreNotFoldedInto) {
  const std::string_view text =
      "primfn f<n, m>(A: in int32[n], C: inout int32[m]) { for (k, 0, 4) {"
      " for (i, 0, n) vectorized { if (k < m) { C[k] = C[k] + A[i] } } } }";
  const Interpreter vectors = Interpreter::Make(*Lowered(text, Strategy::kSchedule)).value();
  const Interpreter scalar = Interpreter::Make(*Lowered(text, Strategy::kScalar)).value();
  for (const int64_t m : {0, 1, 3, 4, 6}) {
    const int64_t sizes[] = {9, m};
    const Result<RunResult> got = RunOn(vectors, sizes);
    ASSERT_TRUE(got.ok()) << m << got.status().ToString() << ToText(vectors.function());
    EXPECT_EQ(got->outputs, RunOn(scalar, sizes).value().outputs) << m;
  }
  const std::string by_lane = LoweredText(
      "primfn f<n, m>(A: in int32[n], C: inout int32[m]) { for (k, 0, 4) {"
      " for (i, 0, n) vectorized { if (A[i] < 3) { C[k] = C[k] + A[i] } } } }",
      Strategy::kSchedule);
  EXPECT_TRUE(Has(by_lane, "is there under a condition that is not the same")) << by_lane;
  const std::string there = LoweredText(
      "primfn f<n, m>(A: in int32[n], C: inout int32[m]) { for (k, 0, m) {"
      " for (i, 0, n) vectorized { if (A[i] < 3) { C[k] = C[k] + A[i] } } } }",
      Strategy::kSchedule);
  EXPECT_FALSE(Has(there, "E0512")) << there;
}

// The rest of a division that rounds down would be steps before the first.
TEST(VectorizeTest, LoopsOfNegativeExtentDoNothing) {
  const std::string_view text =
      "primfn f<n>(A: in int32[n], C: inout int32[n]) {"
      " for (i, 5, n - 7) vectorized { C[i] = A[i] + 1 } }";
  const Interpreter scalar = Interpreter::Make(*Lowered(text, Strategy::kScalar)).value();
  for (const Strategy strategy :
       {Strategy::kFixed, Strategy::kFixedPredicated, Strategy::kCleanup, Strategy::kPredicated}) {
    const Interpreter vectors = Interpreter::Make(*Lowered(text, strategy)).value();
    for (const int64_t n : {0, 1, 3, 6, 7, 9, 20}) {
      const Result<RunResult> got = RunOn(vectors, {&n, 1});
      ASSERT_TRUE(got.ok()) << n << got.status().ToString() << ToText(vectors.function());
      EXPECT_EQ(got->outputs, RunOn(scalar, {&n, 1}).value().outputs) << StrategyName(strategy);
    }
  }
  // Nothing is added where the extent is at least 0 for sure.
  const std::string tail = LoweredText(
      "te f<n>(A: int32[n]) -> (C: int32[n]) { compute C[i] = A[i] + 1"
      " schedule { split(C, i, 12) parallel(C, i.outer) vectorize(C, i.inner) } }",
      Strategy::kFixed);
  EXPECT_FALSE(Has(tail, "max(")) << tail;
}

TEST(VectorizeTest, E06E20MarksAreTakenAsNearlyAsTheTargetCan) {
  const auto text = [](std::string_view mark, std::string_view target) {
    const SourceFile file = MustParse(
        StrCat("primfn f<n>(A: inout float32[n]) { for (i, 0, n) ", mark, " { A[i] = 1.0 } }"));
    const Result<Program> program = LowerFile(file, DefaultLowering(*FindTarget(target)));
    return program.ok() ? ToText(*program) : text::RenderText(program.status());
  };
  EXPECT_TRUE(
      Has(text("vectorize_scalable interleave(1)", "aarch64+sve"), "whilelt(i, n, vscale * 4)"));
  EXPECT_TRUE(
      Has(text("vectorize_scalable interleave(1) predicated", "aarch64"), "i += 4) vector"));
  EXPECT_TRUE(Has(text("vectorized interleave(1)", "aarch64+sve"), "i += 4) vector"));
  EXPECT_TRUE(Has(text("vectorized(8) predicated", "x86_64+avx512"), "whilelt"));
  EXPECT_FALSE(Has(text("vectorized(8) predicated", "x86_64"), "whilelt"));
}

TEST(VectorizeTest, LanesThatNoProcessorHasAreFewer) {
  const SourceFile file = MustParse(
      "te f<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + 1.0"
      " schedule { split(C, i, 6) parallel(C, i.outer) vectorize(C, i.inner, 3) } }");
  const Program program = LowerFile(file, DefaultLowering(*FindTarget("wasm32"))).value();
  const std::string text = ToText(program);
  EXPECT_TRUE(Has(text, "ramp(i.outer * 6 + i.inner, 1, 2)")) << text;
}

TEST(VectorizeTest, E20InterleaveOfATargetIsForSmallLoopsThatDoNotSay) {
  const auto vectors = [](std::string_view value) {
    const std::string text =
        StrCat("te f<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = ", value,
               " schedule { vectorize(C, i) } }");
    const SourceFile file = MustParse(text);
    const Program program = LowerFile(file, DefaultLowering(*FindTarget("x86_64+avx2"))).value();
    return ToText(program);
  };
  EXPECT_TRUE(Has(vectors("A[i] + 1.0"), "i += 32) vector")) << vectors("A[i] + 1.0");
  EXPECT_FALSE(Has(vectors("erf(A[i])"), "i += 32) vector")) << vectors("erf(A[i])");
}

}  // namespace
}  // namespace tern::loop::vectorize_test
