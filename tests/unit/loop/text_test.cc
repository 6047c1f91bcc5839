// SPDX-License-Identifier: Apache-2.0
// Text of loop programs: what is printed reads back as the same, and mistakes are told.
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::text_test {
namespace {

void ExpectRoundTrip(std::string_view text) {
  const std::string once = ToText(MustParse(text));
  EXPECT_EQ(ToText(MustParse(once)), once);
}

TEST(LoopTextTest, EveryNodeRoundTrips) {
  ExpectRoundTrip(R"(
primfn all<n, m>(A: in float32[n, m], I: in int32[n], C: out float32[n, m], D: inout uint64[4],
                 W: workspace float64[n * 2 + 1], s: float64, b: bool) relaxed {
  allocate T: float16[4, 2]
  let x: float64 = s * 0.1 - float64(inf)
  var acc: float32xvscalex4 = broadcast(-0.0, vscale * 4)
  for (i, 0, n; i += vscale * 4) vector {
    let p = whilelt(i, n, vscale * 4)
    acc = acc + A[ramp(i, 1, vscale * 4) where p]
    C[ramp(i, 2, 4 * vscale) where p & !p] = select(p, acc, sqrt(acc))
  }
  for (i, 0, 4) unrolled { D[i] = D[i] + 18446744073709551615 }
  for (i, 0, n) vectorized(8) { C[i, 0] = cast(float32, I[i]) % 3.0 }
  for (i, 0, n) vectorize_scalable { C[i, 0] = mad(A[i, 0], -2.0, 1e-30) }
  for (i, 0, n) parallel { C[i, 1] = max(A[i, 1], float32(-inf)) }
  for (i, 4, n - 4) epilogue { C[i, 1] = reinterpret(float32, I[i] << 2 >> 1 ^ 5) }
  var i: int64 = 0
  while (i < n & (b | i >= m)) { i = i + 1; T[0, 0] = cast(float16, -s) }
  if (reduce_max(acc) > 0.0) { C[0, 0] = reduce_sum(acc) } else if (b) { W[0] = -1.5 } else { }
})");
}

TEST(LoopTextTest, E06KindsRoundTrip) {
  const std::string text = ToText(
      MustParse("primfn f<n>(A: inout int8[n]) { for (i, 0, n) vectorize_scalable { A[i] = 1 } }"));
  EXPECT_NE(text.find("for (i, 0, n) vectorize_scalable {"), std::string::npos);
  ExpectRoundTrip(text);
}

TEST(LoopTextTest, SchedulesRoundTrip) {
  ExpectRoundTrip(R"(
te f<n>(A: float32[n, 8], s: float32) -> (C: float32[n]) relaxed {
  compute T[i, j]: float32[n, 8] = A[i, j] * s
  compute C[i] = sum(j < 8, T[i, j])
  schedule {
    compute_inline(T)
    split(C, i, factor = 4)
    split(C, j, vscale * 4)
    reorder(C, i.outer, j.outer, i.inner, j.inner)
    vectorize(C, j.inner)
    parallel(C, i.outer)
    unroll(C, i.inner)
  }
})");
}

TEST(LoopTextTest, E05SpellingsAreOne) {
  const std::string head = "te f<n>(A: int8[n]) -> (C: int8[n]) { compute C[i] = A[i] schedule {";
  const auto lowered = [&](std::string_view schedule) {
    return LoweredText(StrCat(head, schedule, "} }"), Strategy::kSchedule);
  };
  const std::string first = lowered("vectorize_scalable(C, i)");
  EXPECT_NE(first.find("whilelt"), std::string::npos) << first;
  EXPECT_EQ(lowered("vectorize(C, i, scalable = true)"), first);
  EXPECT_EQ(lowered("split(C, i, 16 * vscale) vectorize(C, i.inner)"), first);
}

TEST(LoopTextTest, NamesThatMeetAreToldApart) {
  const BufferPtr a = MakeBuffer("x", kF32, {MakeInt(4)}, Access::kOut);
  const VarPtr i = MakeVar("x"), j = MakeVar("vscale");
  LoopFunction function;
  function.name = "f";
  function.buffers = {a};
  function.body = MakeFor(
      {}, i, {MakeInt(0), MakeInt(2), MakeInt(1)},
      MakeFor({}, j, {MakeInt(0), MakeInt(2), MakeInt(1)},
              MakeStore(a, {MakeBinary(BinaryOp::kAdd, i, j)}, MakeFloat(DataType(kF32), 1))));
  const std::string text = ToText(function);
  EXPECT_NE(text.find("x[x_1 + vscale_] = 1.0"), std::string::npos) << text;
  ExpectRoundTrip(text);
}

struct BadText {
  const char* text;
  const char* message;  // a part of what is said
};

class BadTextTest : public ::testing::TestWithParam<BadText> {};

TEST_P(BadTextTest, IsToldWithAPlace) {
  const std::string error = ParseError(GetParam().text);
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
  EXPECT_NE(error.find("test.tloop:1:"), std::string::npos) << error;
}

constexpr BadText kBadTexts[] = {
    {"primfn", "expected the function's name, got the end"},
    {"prim f() {}", "expected 'te' or 'primfn'"},
    {"primfn f() { x = 1 }", "'x' is not declared"},
    {"primfn f(a: float32) { a = 1.0 }", "cannot be assigned"},
    {"primfn f(A: in float32[4]) { A[0] = 1.0 }", "is an input and cannot be written"},
    {"primfn f(A: out float32[4]) { A[0, 0] = 1.0 }", "has 1 dimension, got 2 indices"},
    {"primfn f(A: out float32[4]) { A[4] = 1.0 }", "the index 4 is outside 'A'"},
    {"primfn f(A: out float32[4]) { A[-1] = 1.0 }", "the index -1 is outside 'A'"},
    {"primfn f(A: out float32[4]) { A[ramp(0, 2, 4)] = broadcast(1.0, 4) }", "the index 6"},
    {"primfn f(A: out int8[4]) { A[0] = 128 }", "does not fit into int8"},
    {"primfn f(A: out int8[4]) { A[0] = 0.5 }", "a number with a point where int8"},
    {"primfn f(A: out int8[4], s: float32) { A[0] = s }", "needs a value of type int8"},
    {"primfn f(A: out float32[-1]) { }", "has a dimension of -1"},
    {"primfn f(A: out float32[4611686018427387904, 2]) { }", "more bytes than 64 bits"},
    {"primfn f(A: out float32[vscale]) { }", "a shape cannot depend on vscale"},
    {"primfn f(A: out complex64[4]) { }", "is not a type of the loop IR"},
    {"primfn f(A: out float32x4[4]) { }", "expected an element type"},
    {"primfn f() { for (i, 0, -1) { } }", "has the extent -1"},
    {"primfn f() { for (i, 0, 4; i += 0) { } }", "needs a positive step, got 0"},
    {"primfn f() { for (i, 0, 4; j += 1) { } }", "expected the loop variable 'i'"},
    {"primfn f() { for (i, 9223372036854775807, 2) { } }", "overflows 64 bits"},
    {"primfn f() { for (i, 0, 1.5) { } }", "a number with a point"},
    {"primfn f() { for (i, 0, 4) vectorized(0) { } }", "lanes must be from 1"},
    {"primfn f() { for (i, 0, 4) { for (i, 0, 4) { } } }", "already declared"},
    {"primfn f() { let p = whilelt(0, 4, 1) }", "at least 2 lanes"},
    {"primfn f() { let r = ramp(0.5, 1, 4) }", "a number with a point"},
    {"primfn f() { let x = 1 + true }", "operands of '+' must have one type"},
    {"primfn f() { let x = 1.0 << 2.0 }", "'<<' does not take operands"},
    {"primfn f() { let x = sqrt(4, 5) }", "'sqrt' takes 1 operand, got 2"},
    {"primfn f() { let x = sqrt(4) }", "does not take operands of type int64"},
    {"primfn f() { let x = select(1, 2, 3) }", "select needs a condition of type bool"},
    {"primfn f() { let x = select(true, 2, 0.5) }", "the arms of select must have one type"},
    {"primfn f() { let x = reinterpret(int64, 1.0) }", "reinterpret needs element types"},
    {"primfn f() { let x = reduce_sum(1.0) }", "a reduction needs a vector"},
    {"primfn f() { let x = reduce_avg(1.0) }", "reductions of vectors are"},
    {"primfn f() { let x: int8 = 1.0 }", "a number with a point where int8"},
    {"primfn f() { let x = !1 }", "'!' needs a bool"},
    {"primfn f() { let x = 1.2.3 }", "is not a number"},
    {"primfn f() { let x = 99999999999999999999 + true }", "operands of '+'"},
    {"primfn f() { let min = 1 }", "is a word of the language"},
    {"primfn f() { let x = 1 $ 2 }", "expected a statement, got '$'"},
    {"primfn f() { if (1) { } }", "a condition must be bool"},
    {"primfn f() { while (true) vectorized { } }", "expected '{'"},
    {"primfn f<n>() { allocate T: float32[n] }", "needs a constant shape"},
    {"primfn f() { allocate T: float32[1000000] }", "bytes, at most"},
    {"primfn f() { } primfn f() { }", "two functions 'f'"},
    {"primfn f() { let x = sum(k < 4, k) }", "belong to tensor expressions"},
    {"te f(A: float32[n]) -> (C: float32[n]) { }", "the result 'C' is never computed"},
    {"te f(A: float32[n]) -> (C: float32) { }", "a result must be a tensor"},
    {"te f(A: float32[n]) -> (C: float32[n]) { compute C[i, j] = 1.0 }", "has 1 dimensions, got 2"},
    {"te f(A: float32[n]) -> (C: float32[n]) { compute D[i] = A[i] }", "'D' is not a result"},
    {"te f(A: float32[n]) -> (C: float32[n]) { compute C[i] = C[i] }",
     "read before it is computed"},
    {"te f(A: float32[n]) -> (C: float32[n]) { compute C[i] = 1.0 + sum(k < n, A[k]) }",
     "must be the whole value"},
    {"te f(A: float32[n]) -> (C: float32[n]) { compute C[i] = cast(float32, vscale) }",
     "tensor expressions are of scalars"},
    {"te f(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] schedule { fold(C, i) } }",
     "there is no schedule primitive 'fold'"},
    {"te f(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] schedule { split(C, i) } }",
     "wrong arguments of split"},
};
INSTANTIATE_TEST_SUITE_P(All, BadTextTest, ::testing::ValuesIn(kBadTexts));

TEST(LoopTextTest, DeepAndLongTextIsRefused) {
  const std::string deep(100000, '('), minus(100000, '-');
  EXPECT_NE(ParseError("primfn f() { let x = " + deep).find("levels deep"), std::string::npos);
  EXPECT_NE(ParseError("primfn f() { let x = " + minus + "1 }").find("levels deep"),
            std::string::npos);
  EXPECT_NE(ParseError("primfn f() " + std::string(100000, '{')).find("levels deep"),
            std::string::npos);
  std::string sum = "primfn f() { let x = 1";
  for (int i = 0; i < 100000; ++i) sum += " + 1";
  EXPECT_NE(ParseError(sum + " }").find("operators in a row"), std::string::npos);
  std::string ladder = "primfn f(b: bool) { if (b) { }";
  for (int i = 0; i < 100000; ++i) ladder += " else if (b) { }";
  EXPECT_NE(ParseError(ladder + " }").find("levels deep"), std::string::npos);
}

TEST(LoopTextTest, EveryPrefixIsAnError) {
  const std::string text =
      "te f<n>(A: int8[n], s: int8) -> (C: int8[n]) { compute C[i] = A[i] + s * 2 "
      "schedule { split(C, i, vscale * 4) vectorize(C, i.inner, scalable = true) } }";
  for (size_t size = 1; size < text.size(); ++size)
    EXPECT_NE(ParseError(text.substr(0, size)), "") << text.substr(0, size);
  EXPECT_EQ(ParseError(text), "");
}

}  // namespace
}  // namespace tern::loop::text_test
