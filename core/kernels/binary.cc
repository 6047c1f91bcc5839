// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of two f32 arguments with broadcasting. The caller has merged dimensions,
// so what is left is an odometer over rows; rows are vector-vector, vector-scalar or scalar-vector
// loops. Short rows against a repeated row (a bias of few channels) are run as long ones against
// copies of it.

#include <math.h>

#include "core/kernels/offsets.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = FloatTag;
using V = FloatVector;
using D64 = hn::Repartition<double, D>;
using V64 = hn::Vec<D64>;

// About 20 us of work of one core: additions wait for memory, powers compute.
constexpr int64_t kBinaryGrain = 48 * 1024, kSlowGrain = 2 * 1024;

// --- pow

// ln x for normal positive x, to 1e-12. x = 2^e m with m in [sqrt(1/2), sqrt(2)), so that ln m = 2
// atanh(s) with |s| < 0.172, a series in odd powers of s. The constant 0x3fe6a09e667f3bcd is
// sqrt(1/2) as bits: subtracting it before the shift puts the split there instead of at 1.
HWY_INLINE V64 LogDouble(V64 x) {
  const D64 d;
  const hn::RebindToSigned<D64> di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(di, 0x3fe6a09e667f3bcdLL)));
  const V64 m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(exponent)));
  const V64 one = hn::Set(d, 1.0);
  const V64 s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const V64 z = hn::Mul(s, s);
  V64 q = hn::Set(d, 0.11095700415152886);
  q = hn::MulAdd(q, z, hn::Set(d, 0.14285877267957275));
  q = hn::MulAdd(q, z, hn::Set(d, 0.1999999939866879));
  q = hn::MulAdd(q, z, hn::Set(d, 0.3333333333368754));
  const V64 half = hn::MulAdd(hn::Mul(s, z), q, s);
  return hn::MulAdd(hn::ConvertTo(d, exponent), hn::Set(d, 0.6931471805599453),
                    hn::Add(half, half));
}

// e^x, to 1e-11. n = x / ln 2 rounded, r = x - n ln 2 in [-0.347, 0.347], a polynomial for e^r, and
// 2^n made from exponent bits. x is first limited to where f32 neither overflows nor underflows by
// far.
HWY_INLINE V64 ExpDouble(V64 x) {
  const D64 d;
  const hn::RebindToSigned<D64> di;
  x = hn::Min(hn::Max(x, hn::Set(d, -150.0)), hn::Set(d, 150.0));
  const V64 n = hn::Round(hn::Mul(x, hn::Set(d, 1.4426950408889634)));
  const V64 r = hn::NegMulAdd(n, hn::Set(d, 0.6931471805599453), x);
  V64 q = hn::Set(d, 2.4859578222625325e-05);
  q = hn::MulAdd(q, r, hn::Set(d, 0.0001989927395864936));
  q = hn::MulAdd(q, r, hn::Set(d, 0.001388885404961482));
  q = hn::MulAdd(q, r, hn::Set(d, 0.008333298483754886));
  q = hn::MulAdd(q, r, hn::Set(d, 0.041666666718980845));
  q = hn::MulAdd(q, r, hn::Set(d, 0.16666666718997508));
  q = hn::MulAdd(q, r, hn::Set(d, 0.5));
  const V64 p = hn::Add(hn::MulAdd(hn::Mul(r, r), q, r), hn::Set(d, 1.0));
  const auto exponent = hn::Add(hn::ConvertTo(di, n), hn::Set(di, 1023));
  return hn::Mul(p, hn::BitCast(d, hn::ShiftLeft<52>(exponent)));
}

// |x|^y for finite x != 0 and finite y, through f64: half a unit in the last place.
HWY_INLINE V PowerOfMagnitude(V x, V y) {
  // f64 in the middle, because y multiplies the logarithm's error, and the exponential makes a
  // relative error of it.
  const D d;
  const D64 wide;
  const hn::Half<D> half;
  const V64 low =
      ExpDouble(hn::Mul(hn::PromoteLowerTo(wide, y), LogDouble(hn::PromoteLowerTo(wide, x))));
  const V64 high =
      ExpDouble(hn::Mul(hn::PromoteUpperTo(wide, y), LogDouble(hn::PromoteUpperTo(wide, x))));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

// Vectors with lanes that the fast path does not serve: zeros, infinities, NaN, negative bases. The
// whole vector goes through the library, because such lanes are rare.
HWY_NOINLINE V PowerByLibrary(V x, V y) {
  const D d;
  HWY_ALIGN float base[HWY_MAX_BYTES / sizeof(float)];
  HWY_ALIGN float exponent[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, base);
  hn::Store(y, d, exponent);
  for (size_t i = 0; i < hn::Lanes(d); ++i) base[i] = powf(base[i], exponent[i]);
  return hn::Load(d, base);
}

// f32 subnormals are normal numbers in f64, so the fast path serves them too.
HWY_INLINE V Power(V x, V y) {
  const D d;
  const V largest = hn::Set(d, 3.402823466e38f);
  const auto plain =
      hn::And(hn::And(hn::Gt(x, hn::Zero(d)), hn::Le(x, largest)), hn::Le(hn::Abs(y), largest));
  if (HWY_LIKELY(hn::AllTrue(d, plain))) return PowerOfMagnitude(x, y);
  return PowerByLibrary(x, y);
}

// --- fmod

// Functions that have no vector form, lane by lane. Not inlined, so that their call does not take
// registers of the loop.
template <class Function>
HWY_NOINLINE V ByLane(V a, V b, Function function) {
  const D d;
  HWY_ALIGN float left[HWY_MAX_BYTES / sizeof(float)];
  HWY_ALIGN float right[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(a, d, left);
  hn::Store(b, d, right);
  for (size_t i = 0; i < hn::Lanes(d); ++i) left[i] = function(left[i], right[i]);
  return hn::Load(d, left);
}

// ONNX Mod with fmod = 0: the sign of the divisor. fmodf is exact, so no quotient is rounded.
inline float FloorModulo(float a, float b) {
  const float r = fmodf(a, b);
  return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r;
}
inline float TruncatedModulo(float a, float b) { return fmodf(a, b); }

// --- the functions

#define TERN_BINARY_FUNCTION(name, expression)                 \
  struct Binary_##name {                                       \
    static HWY_INLINE V Apply(V a, V b) { return expression; } \
  };
TERN_BINARY_FUNCTION(add, hn::Add(a, b))
TERN_BINARY_FUNCTION(sub, hn::Sub(a, b))
TERN_BINARY_FUNCTION(mul, hn::Mul(a, b))
TERN_BINARY_FUNCTION(div, hn::Div(a, b))
TERN_BINARY_FUNCTION(pow, Power(a, b))
TERN_BINARY_FUNCTION(min, MinKeepingNaN(a, b))
TERN_BINARY_FUNCTION(max, MaxKeepingNaN(a, b))
TERN_BINARY_FUNCTION(mod, ByLane(a, b, FloorModulo))
TERN_BINARY_FUNCTION(fmod, ByLane(a, b, TruncatedModulo))
TERN_BINARY_FUNCTION(prelu, hn::IfThenElse(hn::Lt(a, hn::Zero(D())), hn::Mul(a, b), a))
#undef TERN_BINARY_FUNCTION

// One innermost row. A side that repeats has stride 0 and is one number.
struct Row {
  const float* a;
  const float* b;
  float* c;
  size_t size;
  bool a_repeats, b_repeats;
};

// The activation of a row, in registers of its loop: what is stored could be anything in memory for
// all that a compiler knows.
struct RowEnd {
  int32_t activation;
  float alpha, beta;

  explicit RowEnd(const TernBinaryArgs& args)
      : activation(args.activation), alpha(args.alpha), beta(args.beta) {}
};

// The activation is applied while the result is in a register.
template <class Op>
HWY_INLINE V Finish(const RowEnd end, V a, V b) {
  return ApplyActivation(D(), Op::Apply(a, b), end.activation, end.alpha, end.beta);
}

template <class Op>
void RunTail(const RowEnd end, const Row& row, size_t i) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  for (; i < row.size; i += lanes) {
    const size_t count = row.size - i < lanes ? row.size - i : lanes;
    // Idle lanes compute op(1, 1): no division by zero, no slow path.
    const V one = hn::Set(d, 1.0f);
    const V a = row.a_repeats ? hn::Set(d, *row.a) : hn::LoadNOr(one, d, row.a + i, count);
    const V b = row.b_repeats ? hn::Set(d, *row.b) : hn::LoadNOr(one, d, row.b + i, count);
    hn::StoreN(Finish<Op>(end, a, b), d, row.c + i, count);
  }
}

// The three forms of a row have loops of their own, so that no loop asks. A row with two repeating
// sides is computed by the tail.
template <class Op>
void RunRow(const TernBinaryArgs& args, const Row& row) {
  const RowEnd end(args);
  const D d;
  const float* a = row.a;
  const float* b = row.b;
  float* c = row.c;
  const size_t lanes = hn::Lanes(d), size = row.size;
  size_t i = 0;
  if (!row.a_repeats && !row.b_repeats) {
    for (; i + lanes <= size; i += lanes)
      hn::StoreU(Finish<Op>(end, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, c + i);
  } else if (!row.a_repeats) {
    const V repeated = hn::Set(d, *b);
    for (; i + lanes <= size; i += lanes)
      hn::StoreU(Finish<Op>(end, hn::LoadU(d, a + i), repeated), d, c + i);
  } else if (!row.b_repeats) {
    const V repeated = hn::Set(d, *a);
    for (; i + lanes <= size; i += lanes)
      hn::StoreU(Finish<Op>(end, repeated, hn::LoadU(d, b + i)), d, c + i);
  }
  RunTail<Op>(end, row, i);
}

using RowFunction = void(const TernBinaryArgs& args, const Row& row);

void RunRows(RowFunction* run_row, const TernBinaryArgs& args, int64_t begin, int64_t end) {
  const int inner = args.rank - 1;
  const int64_t size = args.shape[inner];
  ForBroadcastRows(args, begin, end, [&](int64_t row, int64_t a, int64_t b) {
    run_row(args, Row{args.a + a, args.b + b, args.c + row * size, static_cast<size_t>(size),
                      args.a_strides[inner] == 0, args.b_strides[inner] == 0});
  });
}

// --- short rows

// 4 KiB: the copies stay in the first-level cache.
constexpr int64_t kRepeatedElements = 1024;

// [n, short] dense against [short] repeated: the short row is copied until it is long, or there
// are as many copies as rows.
void RunRepeated(RowFunction* run_row, const TernBinaryArgs& args, bool b_is_short, int64_t begin,
                 int64_t end) {
  const int64_t width = args.shape[1], most = kRepeatedElements / width;
  const int64_t copies = end - begin < most ? end - begin : most;
  HWY_ALIGN float repeated[kRepeatedElements];
  const float* source = b_is_short ? args.b : args.a;
  for (float* copy = repeated; copy < repeated + copies * width; copy += width) {
    for (int64_t i = 0; i < width; ++i) copy[i] = source[i];
  }
  for (int64_t row = begin; row < end; row += copies) {
    const int64_t rows = end - row < copies ? end - row : copies;
    const int64_t at = row * width;
    run_row(args, Row{b_is_short ? args.a + at : repeated, b_is_short ? repeated : args.b + at,
                      args.c + at, static_cast<size_t>(rows * width), false, false});
  }
}

// The longest rows worth copying have 128 elements; beyond that their own loop is long enough.
bool IsRepeatedRow(const TernBinaryArgs& args, const int64_t* dense, const int64_t* repeated) {
  return args.rank == 2 && args.shape[1] <= 128 && dense[1] == 1 && dense[0] == args.shape[1] &&
         repeated[1] == 1 && repeated[0] == 0;
}

void RunBinary(RowFunction* run_row, const TernBinaryArgs& args, const TernKernelContext* context,
               int64_t grain) {
  const int64_t size = args.shape[args.rank - 1], rows = RowCount(args);
  if (size == 0 || rows == 0) return;
  if (rows == 1) {
    // One row is cut along itself, at multiples of 64 elements, so that workers do not share cache
    // lines.
    ParallelFor(context, size, grain, 64, [&](int64_t begin, int64_t end, int32_t) {
      const bool a_repeats = args.a_strides[args.rank - 1] == 0,
                 b_repeats = args.b_strides[args.rank - 1] == 0;
      run_row(args, Row{args.a + (a_repeats ? 0 : begin), args.b + (b_repeats ? 0 : begin),
                        args.c + begin, static_cast<size_t>(end - begin), a_repeats, b_repeats});
    });
    return;
  }
  const bool b_is_short = IsRepeatedRow(args, args.a_strides, args.b_strides);
  const bool a_is_short = !b_is_short && IsRepeatedRow(args, args.b_strides, args.a_strides);
  ParallelFor(context, rows, grain / size + 1, 1, [&](int64_t begin, int64_t end, int32_t) {
    if (a_is_short || b_is_short)
      RunRepeated(run_row, args, b_is_short, begin, end);
    else
      RunRows(run_row, args, begin, end);
  });
}

// x^2 and 1 / x under the name of pow, each as exact as pow. The exponent must be one number for
// all elements; it is then known before the loop.
bool RunSimplePower(const TernBinaryArgs& args, const TernKernelContext* context) {
  for (int i = 0; i < args.rank; ++i) {
    if (args.shape[i] > 1 && args.b_strides[i] != 0) return false;
    if (args.shape[i] == 0) return true;
  }
  if (*args.b != 2.0f && *args.b != -1.0f) return false;
  TernBinaryArgs simple = args;
  if (*args.b == 2.0f) {
    simple.b = args.a;
    for (int i = 0; i < args.rank; ++i) simple.b_strides[i] = args.a_strides[i];
    RunBinary(RunRow<Binary_mul>, simple, context, kBinaryGrain);
  } else {
    const float one = 1.0f;
    simple.a = &one;
    simple.b = args.a;
    for (int i = 0; i < args.rank; ++i) {
      simple.a_strides[i] = 0;
      simple.b_strides[i] = args.a_strides[i];
    }
    RunBinary(RunRow<Binary_div>, simple, context, kBinaryGrain);
  }
  return true;
}

}  // namespace

int32_t binary(const TernBinaryArgs* args, const TernKernelContext* context) {
  const TernBinaryOp op = static_cast<TernBinaryOp>(args->op);
  if (op == TERN_BINARY_pow && RunSimplePower(*args, context)) return TERN_KERNEL_OK;
  const bool slow = op == TERN_BINARY_pow || op == TERN_BINARY_mod || op == TERN_BINARY_fmod;
  const int64_t grain = slow || args->activation > TERN_ACT_LEAKY_RELU ? kSlowGrain : kBinaryGrain;
#define TERN_BINARY_ROW(name) RunRow<Binary_##name>,
  static constexpr RowFunction* kRows[] = {TERN_BINARY_LIST(TERN_BINARY_ROW)};
#undef TERN_BINARY_ROW
  if (op >= 0 && op < TERN_BINARY_COUNT) RunBinary(kRows[op], *args, context, grain);
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
