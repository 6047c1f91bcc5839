// SPDX-License-Identifier: Apache-2.0
// unary and binary: every function at every length, special values, accuracy in units of the last
// place.

#include <initializer_list>

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr const char* kUnaryNames[] = {
#define TERN_UNARY(name, ...) #name,
#include "core/kernels/unary.def"
};

TernUnaryArgs UnaryArgs(int op, const Buffer<float>& x) {
  TernUnaryArgs args{};
  args.op = op;
  args.alpha = op == TERN_UNARY_clamp ? -0.5f : op == TERN_UNARY_hard_sigmoid ? 0.2f : 0.75f;
  args.beta = 0.5f;
  args.size = x.size();
  args.x = x.data();
  return args;
}

// Sums that cancel have no small relative error by construction; the others stay within a few
// units of the last place wherever the result is a normal number.
bool HasSmallRelativeError(int op) {
  return op != TERN_UNARY_gelu && op != TERN_UNARY_gelu_tanh && op != TERN_UNARY_hard_sigmoid &&
         op != TERN_UNARY_hard_swish && op != TERN_UNARY_shrink;
}

// These take e^x for zero where it would be denormal; silu multiplies it by x.
bool HasNoDenormals(int op) { return op == TERN_UNARY_sigmoid || op == TERN_UNARY_silu; }

float ToleranceOf(int op, float expected) {
  constexpr float kLeastNormal = 0x1p-126f, kMostFactor = 104;
  const float size = std::fabs(expected);
  if (HasNoDenormals(op) && size < kMostFactor * kLeastNormal) return kMostFactor * kLeastNormal;
  // x times a factor that underflows carries the factor's last bit up to 104 times.
  return size < kLeastNormal ? 0x1p-141f : size * 0x1p-23f * 8;
}

void ExpectUnits(int op, const Buffer<float>& x, const Buffer<float>& expected,
                 const Buffer<float>& actual) {
  for (int64_t i = 0; i < x.size(); ++i) {
    const float e = expected[i], a = actual[i];
    if (std::isnan(e) ? std::isnan(a) : e == a) continue;
    ASSERT_LE(std::fabs(e - a), ToleranceOf(op, e))
        << kUnaryNames[op] << "(" << x[i] << ") is " << a << ", not " << e;
  }
}

void CheckUnits(const KernelPair<TernUnaryArgs>& pair, int op, Buffer<float>& x) {
  Buffer<float> expected(x.size()), actual(x.size(), 1);
  TernUnaryArgs args = UnaryArgs(op, x);
  TestContext context;
  args.y = expected.data();
  pair.expected(&args, context.get());
  args.y = actual.data();
  pair.actual(&args, context.get());
  if (HasSmallRelativeError(op)) ExpectUnits(op, x, expected, actual);
}

// Every magnitude from denormals to the largest number, both signs, and what is not finite.
Buffer<float> AllMagnitudes() {
  Buffer<float> x(4096);
  Random random(5);
  for (int64_t i = 0; i < x.size(); ++i) {
    const uint32_t bits = static_cast<uint32_t>(random.Next() >> 13);
    memcpy(&x[i], &bits, sizeof(bits));
    if (std::isnan(x[i])) x[i] = std::nanf("");
  }
  const float specials[] = {0.0f,  -0.0f,  kInf,    -kInf,   1.0f, -1.0f,  0.5f, -0.5f, 88.7f,
                            89.5f, -87.5f, -104.0f, 8192.0f, 1e9f, 1e-45f, 1.5f, 2.5f};
  for (size_t i = 0; i < std::size(specials); ++i) x[static_cast<int64_t>(i)] = specials[i];
  return x;
}

}  // namespace

void Test_unary(const KernelPair<TernUnaryArgs>& pair) {
  Random random(1);
  Buffer<float> everything = AllMagnitudes();
  Buffer<float> ordinary(1024, 3);
  ordinary.FillRandom(random, -6.0f, 6.0f);
  for (int op = 0; op < TERN_UNARY_COUNT; ++op) {
    for (int64_t size = 0; size <= 4 * TestLanes() + 1; ++size) {
      Buffer<float> x(size, 1), y(size, 2);
      x.FillRandom(random, -3.0f, 3.0f);
      // The bound is relative to the largest result: sums that cancel need one that does not.
      if (size > 0 && !HasSmallRelativeError(op)) x[0] = 3.0f;
      ExpectSame(pair, UnaryArgs(op, x), &TernUnaryArgs::y, y.Fill(9.0f), kUnaryNames[op]);
    }
    CheckUnits(pair, op, ordinary);
    CheckUnits(pair, op, everything);
  }
  Buffer<float> large(300000), y(300000);
  large.FillRandom(random, -3.0f, 3.0f);
  ExpectSame(pair, UnaryArgs(TERN_UNARY_tanh, large), &TernUnaryArgs::y, y, "parallel tanh", 3);
  ExpectSame(pair, UnaryArgs(TERN_UNARY_relu, large), &TernUnaryArgs::y, y, "parallel relu", 4);
}

// ---- binary ------------------------------------------------------------------------------------

namespace {

// An operand of extents that are the result's or 1.
struct Operand {
  std::vector<int64_t> extents;

  int64_t size() const {
    int64_t size = 1;
    for (int64_t extent : extents) size *= extent;
    return size;
  }
  void Strides(int64_t* strides) const {
    int64_t step = 1;
    for (size_t i = extents.size(); i-- > 0;) {
      strides[i] = extents[i] == 1 ? 0 : step;
      step *= extents[i];
    }
  }
};

void CheckBinary(const KernelPair<TernBinaryArgs>& pair, int op, const Operand& a, const Operand& b,
                 int32_t activation = TERN_ACT_NONE, int workers = 0) {
  TernBinaryArgs args{};
  args.op = op;
  args.activation = activation;
  args.alpha = 0.1f;
  args.beta = 0.6f;
  args.rank = static_cast<int32_t>(a.extents.size());
  int64_t size = 1;
  for (size_t i = 0; i < a.extents.size(); ++i) {
    args.shape[i] = a.extents[i] == 1 ? b.extents[i] : a.extents[i];
    size *= args.shape[i];
  }
  a.Strides(args.a_strides);
  b.Strides(args.b_strides);
  Random random(static_cast<uint64_t>(size + op));
  Buffer<float> left(a.size(), 1), right(b.size(), 2), c(size, 3);
  left.FillRandom(random, 0.2f, 3.0f);
  right.FillRandom(random, 0.5f, 3.0f);
  args.a = left.data();
  args.b = right.data();
  ExpectSame(pair, args, &TernBinaryArgs::c, c.Fill(7.0f),
             "binary " + std::to_string(op) + ", " + std::to_string(size) + " elements", workers);
}

// Every pair of special values.
void CheckBinarySpecials(const KernelPair<TernBinaryArgs>& pair, int op) {
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f,          -2.0f, 0.5f,
                          3.0f, -3.0f, kInf, -kInf, std::nanf(""), 1e-40f};
  const int64_t count = static_cast<int64_t>(std::size(values));
  Buffer<float> a(count), b(count), c(count * count);
  for (int64_t i = 0; i < count; ++i) a[i] = b[i] = values[i];
  TernBinaryArgs args{};
  args.op = op;
  args.rank = 2;
  args.shape[0] = args.shape[1] = count;
  args.a_strides[0] = args.b_strides[1] = 1;
  args.a = a.data();
  args.b = b.data();
  ExpectSame(pair, args, &TernBinaryArgs::c, c, "specials of binary " + std::to_string(op));
}

}  // namespace

void Test_binary(const KernelPair<TernBinaryArgs>& pair) {
  for (int op = 0; op < TERN_BINARY_COUNT; ++op) {
    for (int64_t size = 1; size <= 2 * TestLanes() + 1; ++size) {
      CheckBinary(pair, op, {{size}}, {{size}});
      CheckBinary(pair, op, {{size}}, {{1}});
      CheckBinary(pair, op, {{1}}, {{size}});
      CheckBinary(pair, op, {{5, size}}, {{1, size}});
      CheckBinary(pair, op, {{5, 1}}, {{5, size}});
    }
    CheckBinary(pair, op, {{3, 1, 4}}, {{1, 5, 4}});
    CheckBinary(pair, op, {{2, 3, 1, 5}}, {{1, 3, 4, 1}});
    CheckBinary(pair, op, {{0}}, {{1}});
    CheckBinarySpecials(pair, op);
  }
  for (int32_t activation = 0; activation <= TERN_ACT_ELU; ++activation) {
    CheckBinary(pair, TERN_BINARY_sub, {{37}}, {{37}}, activation);
  }
  CheckBinary(pair, TERN_BINARY_add, {{70000, 3}}, {{1, 3}}, TERN_ACT_RELU, 3);
  CheckBinary(pair, TERN_BINARY_add, {{200000}}, {{200000}}, TERN_ACT_NONE, 3);
  CheckBinary(pair, TERN_BINARY_mul, {{300, 700}}, {{300, 1}}, TERN_ACT_NONE, 4);
}

}  // namespace tern::kernels
