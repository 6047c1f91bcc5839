// SPDX-License-Identifier: Apache-2.0
// What is built is what is parsed, and what does not fit is said.
#include "core/loop/te/builder.h"

#include "tests/unit/loop/loop_text.h"

namespace tern::loop::te::builder_test {
namespace {

std::string Parsed(std::string_view text) {
  const SourceFile file = MustParse(text);
  return file.definitions.empty() ? "" : ToText(file.definitions[0]);
}

std::string Built(Builder* b) {
  const tern::Result<Definition> built = b->Build();
  return built.ok() ? ToText(*built) : text::RenderText(built.status());
}

TEST(BuilderTest, DotIsTheTextsDot) {
  Builder b("dot");
  const Value n = b.Size("n"), k = b.ReduceAxis("k", n);
  const Tensor A = b.Placeholder("A", kF32, {n}), B = b.Placeholder("B", kF32, {n});
  const Tensor C = b.Result("C", kF32, {});
  b.Compute(C, {}, Sum({k}, A(k) * B(k)));
  b.Schedule(C).Vectorize("k", {.lanes = 8, .scalable = true, .interleave = 4});
  EXPECT_EQ(Built(&b),
            Parsed("te dot<n>(A: float32[n], B: float32[n]) -> (C: float32[]) {"
                   " compute C[] = sum(k < n, A[k] * B[k])"
                   " schedule { vectorize(C, k, 8, scalable = true, interleave = 4) } }"));
}

// E05: both spellings of scalable vectors are one line.
TEST(BuilderTest, E05EveryPrimitiveHasAMethod) {
  Builder b("all");
  const Value m = b.Size("m"), n = b.Size("n");
  const Value i = b.Axis("i"), j = b.Axis("j"), y = b.Axis("y"), x = b.Axis("x");
  const Tensor A = b.Placeholder("A", kF32, {m, n * 2 + 1});
  const Tensor C = b.Result("C", kI8, {m, n});
  const Tensor S = b.Between("S", kF32, {m}), T = b.Between("T", kF32, {m, n});
  const Value r = b.ReduceAxis("r", 16);
  b.Compute(T, {i, j}, Select(A(i, j) > 0, A(i, 2 * j + 1), 1.5));
  b.Compute(S, {b.Axis("i")}, Sum({r}, Cast(kF32, r)));
  b.Compute(C, {y, x}, Cast(kI8, Max(T(y, x) - S(y), Apply(Intrinsic::kExp, {S(y)}))));
  const auto [outer, inner] = b.Schedule(S).Split("r", 4);
  b.Schedule(S).Reorder({"i", outer, inner}).Unroll(inner).ComputeAt(C, "y");
  b.Schedule(T).ComputeInline();
  b.Schedule(C).Parallel("y").VectorizeScalable("x");
  EXPECT_EQ(Built(&b),
            Parsed("te all<m, n>(A: float32[m, n * 2 + 1]) -> (C: int8[m, n]) {\n"
                   "compute T[i, j]: float32[m, n] = select(A[i, j] > 0.0, A[i, 2 * j + 1], 1.5)\n"
                   "compute S[i]: float32[m] = sum(r < 16, cast(float32, r))\n"
                   "compute C[y, x] = cast(int8, max(T[y, x] - S[y], exp(S[y])))\n"
                   "schedule { split(S, r, 4) reorder(S, i, r.outer, r.inner) unroll(S, r.inner)\n"
                   "compute_at(S, C, y) compute_inline(T) parallel(C, y)\n"
                   "vectorize_scalable(C, x) } }"));
}

TEST(BuilderTest, TilesAndFusedAxes) {
  Builder b("two");
  const Value n = b.Size("n"), i = b.Axis("i"), j = b.Axis("j"), s = b.Scalar("s", kI32);
  const Tensor A = b.Placeholder("A", kI32, {n, 8});
  const Tensor C = b.Result("C", kI32, {n, 8}), D = b.Result("D", kI32, {n, 8});
  b.Compute(C, {i, j}, A(i, j) % 3 + s);
  b.Compute(D, {i, j}, Cast(kI32, Not(Equal(A(i, j), 7))) & 1);
  b.Schedule(C).Tile("i", "j", {2, 4}).Vectorize("j.inner", {.tail = LoopTail::kPredicated});
  EXPECT_EQ(b.Schedule(D).Fuse("i", "j"), "i.j.fused");
  EXPECT_EQ(Built(&b),
            Parsed("te two<n>(A: int32[n, 8], s: int32) -> (C: int32[n, 8], D: int32[n, 8]) {\n"
                   "compute C[i, j] = A[i, j] % 3 + s\n"
                   "compute D[i, j] = cast(int32, !(A[i, j] == 7)) & 1\n"
                   "schedule { tile(C, i, j, 2, 4) vectorize(C, j.inner, predicated = true)\n"
                   "fuse(D, i, j) } }"));
}

// Every misuse is a diagnostic of Build, and none is followed by others that it causes.
struct Misuse {
  const char* message;
  void (*make)(Builder* b, const Value& n, const Tensor& A, const Tensor& C);
};
const Misuse kMisuses[] = {
    {"'C' is float32, but its value is int64",
     [](Builder* b, const Value& n, const Tensor&, const Tensor& C) {
       b->Compute(C, {b->Axis("i")}, n + 1);
     }},
    {"the number 1.5 is no int64",
     [](Builder* b, const Value& n, const Tensor& A, const Tensor& C) {
       const Value i = b->Axis("i");
       b->Compute(C, {i}, A(i + n * 1.5));
     }},
    {"float32 and int64",
     [](Builder* b, const Value& n, const Tensor& A, const Tensor& C) {
       const Value i = b->Axis("i");
       b->Compute(C, {i}, A(i) + n);
     }},
    {"'A' has 1 dimensions, got 2 indices",
     [](Builder* b, const Value&, const Tensor& A, const Tensor& C) {
       const Value i = b->Axis("i");
       b->Compute(C, {i}, A(i, i) * 2);
     }},
    {"'C' has 1 dimensions, got 0 axes",
     [](Builder* b, const Value&, const Tensor&, const Tensor& C) { b->Compute(C, {}, 1.0); }},
    {"'C' is computed over what Axis made",
     [](Builder* b, const Value& n, const Tensor&, const Tensor& C) { b->Compute(C, {n}, 1.0); }},
    {"'A' is not computed here", [](Builder* b, const Value&, const Tensor& A,
                                    const Tensor&) { b->Compute(A, {b->Axis("i")}, 1.0); }},
    {"a reduction goes over what ReduceAxis made",
     [](Builder* b, const Value&, const Tensor& A, const Tensor& C) {
       const Value i = b->Axis("i");
       b->Compute(C, {i}, Sum({i}, A(i)));
     }},
    {"a reduction must be the whole value",
     [](Builder* b, const Value& n, const Tensor& A, const Tensor& C) {
       const Value k = b->ReduceAxis("k", n);
       b->Compute(C, {b->Axis("i")}, Sum({k}, A(k)) + 1);
     }},
    {"the result 'C' is never computed",
     [](Builder*, const Value&, const Tensor&, const Tensor&) {}},
    {"of plain numbers",
     [](Builder* b, const Value&, const Tensor&, const Tensor& C) {
       b->Compute(C, {b->Axis("i")}, Apply(BinaryOp::kAdd, 1, 2));
     }},
    {"no axis 'j'",
     [](Builder* b, const Value&, const Tensor& A, const Tensor& C) {
       const Value i = b->Axis("i");
       b->Compute(C, {i}, A(i));
       b->Schedule(C).Vectorize("j");
     }},
    {"a factor must be from 1 to 1024, got 0",
     [](Builder* b, const Value&, const Tensor& A, const Tensor& C) {
       const Value i = b->Axis("i");
       b->Compute(C, {i}, A(i));
       b->Schedule(C).Split("i", 0);
     }},
    {"interleave must be from 1 to 16, got 99",
     [](Builder* b, const Value&, const Tensor& A, const Tensor& C) {
       const Value i = b->Axis("i");
       b->Compute(C, {i}, A(i));
       b->Schedule(C).Vectorize("i", {.interleave = 99});
     }},
    {"'2 x' cannot be the name of a size",
     [](Builder* b, const Value&, const Tensor& A, const Tensor& C) {
       b->Size("2 x");
       const Value i = b->Axis("i");
       b->Compute(C, {i}, A(i));
     }},
    {"'j' is used where it is not declared",
     [](Builder* b, const Value&, const Tensor& A, const Tensor& C) {
       b->Compute(C, {b->Axis("i")}, A(b->Axis("j")));
     }},
};

TEST(BuilderTest, MisuseIsADiagnostic) {
  for (const Misuse& misuse : kMisuses) {
    Builder b("f");
    const Value n = b.Size("n");
    const Tensor A = b.Placeholder("A", kF32, {n}), C = b.Result("C", kF32, {n});
    misuse.make(&b, n, A, C);
    const std::string error = Built(&b);
    EXPECT_NE(error.find(misuse.message), std::string::npos) << misuse.message << "\n" << error;
    EXPECT_EQ(error.find("error["), error.rfind("error[")) << error;
  }
}

TEST(BuilderTest, ValuesOfAnotherBuilderAreRefused) {
  Builder a("a"), b("b");
  const Value n = a.Size("n"), i = a.Axis("i");
  const Tensor C = b.Result("C", kF32, {b.Size("n")});
  const Tensor D = b.Result("D", kF32, {n});
  b.Compute(C, {b.Axis("i")}, Cast(kF32, i));
  b.Compute(D, {b.Axis("i")}, 1.0);
  const std::string error = Built(&b);
  EXPECT_NE(error.find("the value of 'C' is another builder's"), std::string::npos) << error;
  EXPECT_NE(error.find("an extent of 'D' must be an int64 of this builder"), std::string::npos);
}

}  // namespace
}  // namespace tern::loop::te::builder_test
