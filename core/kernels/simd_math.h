// SPDX-License-Identifier: Apache-2.0
// Vector mathematics for f32 kernels, written against Highway tags so that one source serves every
// target and every vector length. Errors are at most 2-4 ulp over the whole range; infinities, NaN,
// overflow, underflow and denormals come out as the C functions give them, but where a function
// says that denormals are zeros, since making one takes some processors a hundred cycles.
// Polynomials are interpolants at Chebyshev nodes, computed with 60 digits and rounded to the
// element type once; every argument reduction is exact with and without fused multiply-add
// (constants have few bits), so targets agree closely.

#ifndef TERN_CORE_KERNELS_SIMD_MATH_H_
#define TERN_CORE_KERNELS_SIMD_MATH_H_

#include <math.h>

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

// c0 + c1 x + c2 x^2 + …, by Horner's rule.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V Polynomial(D d, V, T c0) {
  return hn::Set(d, c0);
}
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>, class... Rest>
HWY_INLINE V Polynomial(D d, V x, T c0, Rest... rest) {
  return MulAdd(Polynomial(d, x, static_cast<T>(rest)...), x, hn::Set(d, c0));
}

inline constexpr float kLn2High = 0.693359375f;  // 9 bits: n * kLn2High is exact for |n| < 2^15
inline constexpr float kLn2Low = -2.12194440e-4f;
inline constexpr float kLog2E = 1.44269504f;

// e^(x - n ln 2) - 1, of n that is x / ln 2 to the next whole number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpRest(D d, V x, V n) {
  V r = NegMulAdd(n, hn::Set(d, kLn2High), x);
  r = NegMulAdd(n, hn::Set(d, kLn2Low), r);
  const V q =
      Polynomial(d, r, 0x1p-1f, 0x1.5554dep-3f, 0x1.55551ap-5f, 0x1.120b62p-7f, 0x1.6d10fcp-10f);
  return MulAdd(hn::Mul(r, r), q, r);
}

// Adding this rounds to whole numbers and leaves them in the last bits, for |x| < 2^22: without
// conversion or comparison.
inline constexpr float kRounding = 0x1.8p23f;

// n = x / ln 2 to the next whole number; returns e^(x - n ln 2) - 1.
template <class D, class V = hn::Vec<D>, class I = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE V ExpReduced(D d, V x, I& n) {
  const hn::RebindToSigned<D> di;
  const V rounding = hn::Set(d, kRounding);
  const V shifted = MulAdd(x, hn::Set(d, kLog2E), rounding);
  n = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, rounding));
  return ExpRest(d, x, hn::Sub(shifted, rounding));
}

// 2^n for n in [-126, 127].
template <class D, class I = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, I n) {
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(hn::RebindToSigned<D>(), 127))));
}

// p * 2^n, rounded once, n in [-252, 254]: in two factors so that neither overflows.
template <class D, class V = hn::Vec<D>, class I = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE V ScaleByPowerOfTwo(D d, V p, I n) {
  const auto half = hn::ShiftRight<1>(n);
  return hn::Mul(hn::Mul(p, PowerOfTwo(d, half)), PowerOfTwo(d, hn::Sub(n, half)));
}

// e^x * 2^shift.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpShifted(D d, V x, int32_t shift) {
  const hn::RebindToSigned<D> di;
  hn::Vec<hn::RebindToSigned<D>> n;
  const V clamped = ClampKeepingNaN(x, hn::Set(d, -104.0f), hn::Set(d, 90.0f));
  const V p = hn::Add(ExpReduced(d, clamped, n), hn::Set(d, 1.0f));
  return ScaleByPowerOfTwo(d, p, hn::Add(n, hn::Set(di, shift)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  return ExpShifted(d, x, 0);
}

// e^x = (1 + result) * power, power = 2^n, for x in [-88, 88]. The exponent's bias is added with
// the rounding, so that the last bits are 2^n as they are. At -88, n is -127, and 2^n comes out as
// zero.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpInParts(D d, V x, V& power) {
  const hn::RebindToSigned<D> di;
  const V magic = hn::Set(d, kRounding + 127);
  const V shifted = MulAdd(x, hn::Set(d, kLog2E), magic);
  power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
  return ExpRest(d, x, hn::Sub(shifted, magic));
}

// From here down e^x is zero or, close by, denormal.
inline constexpr float kLeastExponent = -88.0f;

// e^x for kLeastExponent <= x <= 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfRaised(D d, V x) {
  V power;
  const V p = ExpInParts(d, x, power);
  return MulAdd(p, power, power);
}

// e^x for x <= 0, zero where that would be denormal: softmax's inner loop.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfNegative(D d, V x) {
  return ExpOfRaised(d, RaiseKeepingNaN(x, hn::Set(d, kLeastExponent)));
}

// e^x - 1, exact to the last bits near zero. Half of 2^n is used so that n = 128 does not overflow
// early.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1(D d, V x) {
  const hn::RebindToSigned<D> di;
  hn::Vec<hn::RebindToSigned<D>> n;
  const V clamped = ClampKeepingNaN(x, hn::Set(d, -18.0f), hn::Set(d, 90.0f));
  const V p = ExpReduced(d, clamped, n);
  const V half = PowerOfTwo(d, hn::Min(hn::Sub(n, hn::Set(di, 1)), hn::Set(di, 127)));
  const V y = MulAdd(half, p, hn::Sub(half, hn::Set(d, 0.5f)));
  const auto overflows = hn::RebindMask(d, hn::Gt(n, hn::Set(di, 128)));
  return hn::IfThenElse(overflows, hn::Set(d, HUGE_VALF), hn::Add(y, y));
}

// log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1], plus e ln 2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogReduced(D d, V f, V e) {
  const V q =
      Polynomial(d, f, 0x1.555554p-2f, -0x1.fffffcp-3f, 0x1.999d5ap-3f, -0x1.555b4ap-3f,
                 0x1.23d21ap-3f, -0x1.fcf4c6p-4f, 0x1.dea282p-4f, -0x1.d635bcp-4f, 0x1.1d8ea6p-4f);
  const V f2 = hn::Mul(f, f);
  V low = hn::Mul(hn::Mul(f2, f), q);
  low = MulAdd(e, hn::Set(d, kLn2Low), low);
  low = NegMulAdd(f2, hn::Set(d, 0.5f), low);
  return MulAdd(e, hn::Set(d, kLn2High), hn::Add(f, low));
}

// What log gives outside (0, inf): -inf at zero, NaN below, x itself at infinity and NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogSpecial(D d, V x, V y) {
  const V zero = hn::Zero(d);
  const V infinity = hn::Set(d, HUGE_VALF);
  const V negative = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, __builtin_nanf("")), x);
  const V special = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), negative);
  return hn::IfThenElse(hn::And(hn::Gt(x, zero), hn::Lt(x, infinity)), y, special);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto tiny = hn::Lt(x, hn::Set(d, 0x1p-126f));
  const V scaled = hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, 0x1p23f)), x);
  const auto bits = hn::BitCast(di, scaled);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V e = hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(tiny, hn::Set(d, 23.0f)));
  return LogSpecial(d, x, LogReduced(d, hn::Sub(m, hn::Set(d, 1.0f)), e));
}

// log(1 + x): the rounding error of 1 + x is put back in first order.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1p(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V w = hn::Add(x, one);
  const V y = Log(d, w);
  const V lost = hn::Div(hn::Sub(x, hn::Sub(w, one)), w);
  const auto usual = hn::And(hn::Gt(w, hn::Zero(d)), hn::Lt(x, hn::Set(d, 0x1p60f)));
  return hn::IfThenElse(usual, hn::Add(y, lost), y);
}

// expm1(2|x|) / (expm1(2|x|) + 2), with the sign of x. Beyond 10 the result is 1 to the last bit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tanh(D d, V x) {
  V s;
  const V a = LowerKeepingNaN(hn::Abs(x), hn::Set(d, 10.0f));
  const V p = ExpInParts(d, hn::Add(a, a), s);
  const V t = MulAdd(s, p, hn::Sub(s, hn::Set(d, 1.0f)));
  return hn::CopySign(hn::Div(t, hn::Add(t, hn::Set(d, 2.0f))), x);
}

// e^-|x|, zero where that would be denormal; NaN of NaN. negative = -|x|, raised to kLeastExponent.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfMinusAbs(D d, V x, V& negative) {
  negative = RaiseKeepingNaN(hn::Or(x, hn::SignBit(d)), hn::Set(d, kLeastExponent));
  return ExpOfRaised(d, negative);
}

// 1 / (1 + e^-x), from e^-|x| so that neither tail loses digits; zero where that is denormal.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  V negative;
  const V one = hn::Set(d, 1.0f);
  const V e = ExpOfMinusAbs(d, x, negative);
  return hn::Div(hn::IfNegativeThenElse(x, e, one), hn::Add(one, e));
}

// x P(x^2) / Q(x^2), both of positive terms where they matter. At 4 the quotient is 1, with fused
// multiply-add and without, so that it is exactly 1 from there on.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Erf(D d, V x) {
  const V a = ClampKeepingNaN(x, hn::Set(d, -4.0f), hn::Set(d, 4.0f));
  const V t = hn::Mul(a, a);
  const V p = Polynomial(d, t, 1.1283792257f, 0.18371765316f, 0.054425865412f, 0.0038284643088f,
                         3.9172224933e-4f, 5.0429753173e-6f, -1.4943477566e-8f);
  const V q = Polynomial(d, t, 1.0f, 0.49614924192f, 0.11361510307f, 0.015462469310f,
                         0.0013195172651f, 6.6501284891e-5f);
  return ClampKeepingNaN(hn::Div(hn::Mul(a, p), q), hn::Set(d, -1.0f), hn::Set(d, 1.0f));
}

// Which of the functions of one angle; the offset in quarter turns from the sine, but for the
// tangent.
enum class Trigonometric { kSine = 0, kCosine = 1, kTangent = 2 };

inline constexpr float kLargestVectorAngle = 8192.0f;

// Angles up to 8192, reduced by pi / 2 in three parts whose products with n < 2^13 are exact.
template <Trigonometric kind, class D, class V = hn::Vec<D>>
HWY_INLINE V TrigonometricOfSmall(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 0.636619772f)));
  V r = NegMulAdd(n, hn::Set(d, 1.5703125f), x);
  r = NegMulAdd(n, hn::Set(d, 4.837512969970703125e-4f), r);
  r = NegMulAdd(n, hn::Set(d, 7.54978995489e-8f), r);
  const V t = hn::Mul(r, r);
  const V sine =
      MulAdd(hn::Mul(t, r), Polynomial(d, t, -0x1.555552p-3f, 0x1.110c28p-7f, -0x1.9ac9bp-13f), r);
  const V high = Polynomial(d, t, 0x1.555554p-5f, -0x1.6c12d2p-10f, 0x1.9bd89cp-16f);
  const V cosine = MulAdd(hn::Mul(t, t), high, NegMulAdd(t, hn::Set(d, 0.5f), hn::Set(d, 1.0f)));
  auto quarter = hn::ConvertTo(di, n);
  if (kind == Trigonometric::kCosine) quarter = hn::Add(quarter, hn::Set(di, 1));
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quarter, hn::Set(di, 1)), hn::Set(di, 1)));
  if (kind == Trigonometric::kTangent) {
    const V y = hn::Div(hn::IfThenElse(odd, cosine, sine), hn::IfThenElse(odd, sine, cosine));
    return hn::IfThenElse(odd, hn::Neg(y), y);
  }
  const auto sign = hn::ShiftLeft<30>(hn::And(quarter, hn::Set(di, 2)));
  return hn::Xor(hn::IfThenElse(odd, cosine, sine), hn::BitCast(d, sign));
}

// Any angle: a vector with a larger one (or infinity or NaN) in it goes through the C library.
template <Trigonometric kind, class D, class V = hn::Vec<D>>
HWY_INLINE V TrigonometricOf(D d, V x) {
  if (HWY_LIKELY(hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, kLargestVectorAngle))))) {
    const V y = TrigonometricOfSmall<kind>(d, x);
    if (kind == Trigonometric::kCosine) return y;
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // keeps -0
  }
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] = kind == Trigonometric::kSine     ? sinf(lanes[i])
               : kind == Trigonometric::kCosine ? cosf(lanes[i])
                                                : tanf(lanes[i]);
  }
  return hn::Load(d, lanes);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sin(D d, V x) {
  return TrigonometricOf<Trigonometric::kSine>(d, x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Cos(D d, V x) {
  return TrigonometricOf<Trigonometric::kCosine>(d, x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tan(D d, V x) {
  return TrigonometricOf<Trigonometric::kTangent>(d, x);
}

// asin of s where z = s^2 <= 1/4.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V AsinReduced(D d, V s, V z) {
  const V q = Polynomial(d, z, 0x1.555554p-3f, 0x1.33343p-4f, 0x1.6d5bbap-5f, 0x1.fd8da2p-6f,
                         0x1.18f91ep-6f, 0x1.13fed4p-5f);
  return MulAdd(hn::Mul(s, z), q, s);
}

inline constexpr float kPi = 3.14159265f, kHalfPi = 1.57079633f;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Asin(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  const V a = hn::Abs(x);
  const auto large = hn::Gt(a, half);
  const V z = hn::IfThenElse(large, NegMulAdd(a, half, half), hn::Mul(a, a));
  const V y = AsinReduced(d, hn::IfThenElse(large, hn::Sqrt(z), a), z);
  return hn::CopySign(hn::IfThenElse(large, hn::Sub(hn::Set(d, kHalfPi), hn::Add(y, y)), y), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Acos(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  const V a = hn::Abs(x);
  const auto large = hn::Gt(a, half);
  const V z = hn::IfThenElse(large, NegMulAdd(a, half, half), hn::Mul(a, a));
  const V y = AsinReduced(d, hn::IfThenElse(large, hn::Sqrt(z), a), z);
  const V twice = hn::Add(y, y);
  const auto negative = hn::Lt(x, hn::Zero(d));
  const V outer = hn::IfThenElse(negative, hn::Sub(hn::Set(d, kPi), twice), twice);
  const V inner = hn::Sub(hn::Set(d, kHalfPi), hn::IfThenElse(negative, hn::Neg(y), y));
  return hn::IfThenElse(large, outer, inner);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Atan(D d, V x) {
  const V a = hn::Abs(x);
  const auto large = hn::Gt(a, hn::Set(d, 1.0f));
  const V s = hn::IfThenElse(large, hn::Div(hn::Set(d, 1.0f), a), a);
  const V z = hn::Mul(s, s);
  const V q =
      Polynomial(d, z, -0x1.555554p-2f, 0x1.99983cp-3f, -0x1.246cd2p-3f, 0x1.c3f168p-4f,
                 -0x1.6295f8p-4f, 0x1.0001c6p-4f, -0x1.25dc12p-5f, 0x1.ba9f66p-7f, -0x1.38de56p-9f);
  const V y = MulAdd(hn::Mul(s, z), q, s);
  return hn::CopySign(hn::IfThenElse(large, hn::Sub(hn::Set(d, kHalfPi), y), y), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sinh(D d, V x) {
  const V a = hn::Abs(x);
  const V limit = hn::Set(d, 9.0f);
  const V e = Expm1(d, hn::Min(a, limit));
  const V small = hn::Mul(hn::Set(d, 0.5f), hn::Add(e, hn::Div(e, hn::Add(e, hn::Set(d, 1.0f)))));
  const V y = hn::IfThenElse(hn::Lt(a, limit), small, ExpShifted(d, a, -1));
  return hn::CopySign(y, x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Cosh(D d, V x) {
  const V half = ExpShifted(d, hn::Abs(x), -1);  // e^|x| / 2
  return hn::Add(half, hn::Div(hn::Set(d, 0.25f), half));
}

inline constexpr float kLn2 = 0.693147181f;

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Asinh(D d, V x) {
  const V a = hn::Abs(x);
  const V one = hn::Set(d, 1.0f);
  const V z = hn::Mul(a, a);
  const V near = Log1p(d, hn::Add(a, hn::Div(z, hn::Add(one, hn::Sqrt(hn::Add(z, one))))));
  const V far = hn::Add(Log(d, a), hn::Set(d, kLn2));
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 1e9f)), near, far), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Acosh(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V t = hn::Sub(x, one);
  const V near = Log1p(d, hn::Add(t, hn::Sqrt(MulAdd(t, t, hn::Add(t, t)))));
  const V far = hn::Add(Log(d, x), hn::Set(d, kLn2));
  const V y = hn::IfThenElse(hn::Lt(x, hn::Set(d, 1e9f)), near, far);
  return hn::IfThenElse(hn::Lt(x, one), hn::Set(d, __builtin_nanf("")), y);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Atanh(D d, V x) {
  const V a = hn::Abs(x);
  const V u = hn::Div(hn::Add(a, a), hn::Sub(hn::Set(d, 1.0f), a));
  return hn::CopySign(hn::Mul(hn::Set(d, 0.5f), Log1p(d, u)), x);
}

// x * gate, where a gate of zero wins over infinity.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gated(D d, V x, V gate) {
  return hn::IfThenZeroElse(hn::Eq(gate, hn::Zero(d)), hn::Mul(x, gate));
}

// x * sigmoid(x) with the multiplication in front of the division; zero where e^x is denormal.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Silu(D d, V x) {
  V negative;
  const V e = ExpOfMinusAbs(d, x, negative);
  const V product = hn::IfNegativeThenElse(x, hn::Mul(e, negative), x);
  return hn::Div(product, hn::Add(hn::Set(d, 1.0f), e));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gelu(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  return Gated(d, x, MulAdd(Erf(d, hn::Mul(x, hn::Set(d, 0.707106781f))), half, half));
}

// 0.5 x (1 + tanh u) = x sigmoid(2 u), u = sqrt(2 / pi) (x + 0.044715 x^3).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluTanh(D d, V x) {
  const V cube = hn::Mul(hn::Mul(x, x), x);
  const V u = MulAdd(cube, hn::Set(d, 0.044715f), x);
  return Gated(d, x, Sigmoid(d, hn::Mul(u, hn::Set(d, 1.59576912f))));
}

// log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Softplus(D d, V x) {
  const V positive = hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x);
  return hn::Add(positive, Log1p(d, Exp(d, hn::Neg(hn::Abs(x)))));
}

// x tanh(softplus x) = x n / (n + 2), n = e^x (e^x + 2).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Mish(D d, V x) {
  const V two = hn::Set(d, 2.0f);
  const V e = Exp(d, hn::Min(x, hn::Set(d, 20.0f)));
  const V n = hn::Mul(e, hn::Add(e, two));
  return Gated(d, x, hn::Div(n, hn::Add(n, two)));
}

// y >= 0 ? y : slope * y, keeping NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LeakyRelu(D d, V x, V slope) {
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, slope), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Elu(D d, V x, V alpha) {
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(alpha, Expm1(d, x)), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Relu(D d, V x) {
  return RaiseKeepingNaN(x, hn::Zero(d));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V HardSigmoid(D d, V x, V alpha, V beta) {
  return ClampKeepingNaN(MulAdd(x, alpha, beta), hn::Zero(d), hn::Set(d, 1.0f));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V HardSwish(D d, V x) {
  return Gated(d, x, HardSigmoid(d, x, hn::Set(d, 1.0f / 6.0f), hn::Set(d, 0.5f)));
}

// The activations that cost more than a call: kept out of line so that epilogues stay small.
template <class D, class V = hn::Vec<D>>
HWY_NOINLINE V ApplySlowActivation(D d, V x, int32_t activation, float alpha, float beta) {
  switch (activation) {
    case TERN_ACT_SIGMOID: return Sigmoid(d, x);
    case TERN_ACT_SILU: return Silu(d, x);
    case TERN_ACT_TANH: return Tanh(d, x);
    case TERN_ACT_GELU: return Gelu(d, x);
    case TERN_ACT_GELU_TANH: return GeluTanh(d, x);
    case TERN_ACT_HARD_SIGMOID: return HardSigmoid(d, x, hn::Set(d, alpha), hn::Set(d, beta));
    case TERN_ACT_HARD_SWISH: return HardSwish(d, x);
    case TERN_ACT_ELU: return Elu(d, x, hn::Set(d, alpha));
    default: return x;
  }
}

// y = activation(x) for a TernActivation. The three cheap ones are inline.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ApplyActivation(D d, V x, int32_t activation, float alpha, float beta) {
  if (activation == TERN_ACT_NONE) return x;
  if (activation == TERN_ACT_RELU) return Relu(d, x);
  if (activation == TERN_ACT_CLAMP) return ClampKeepingNaN(x, hn::Set(d, alpha), hn::Set(d, beta));
  if (activation == TERN_ACT_LEAKY_RELU) return LeakyRelu(d, x, hn::Set(d, alpha));
  return ApplySlowActivation(d, x, activation, alpha, beta);
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_SIMD_MATH_H_
