// SPDX-License-Identifier: Apache-2.0
// Hyperbolic functions and their inverses (see expand_intrinsics.cc): by series near 0, where their
// definitions would cancel, else by the exponential and the logarithm. Largest errors in units in
// the last place: sinh 3 (float64: 4), cosh 3 (float64: 4), asinh 3, acosh 3 (float64: 4), atanh 3.
#include "core/loop/passes/formula.h"

namespace tern::loop {

namespace {
constexpr double kLn2 = 0.693147180559945309417;
// The square of a larger number may not be one, and adds no digits to 1.
constexpr double kLarge = 1e9;
}  // namespace

// x + x^3 S(x^2), where S is a polynomial for float32 and P / Q for float64, with Q monic (its
// leading coefficient of 1 is not in the list). Such a series keeps the sign of zero and all digits
// near 0.
Expr Formula::OddSeries(const Expr& x, Coefficients single, Coefficients p, Coefficients q) {
  const Expr z = Name("z", Times(x, x));
  const Expr series =
      is_double() ? Over(Polynomial(z, p), MonicPolynomial(z, q)) : Polynomial(z, single);
  return Plus(Times(Times(x, z), series), x);
}

// From 1 on, (e^a - e^-a) / 2. With e = e^a / 2 that is e - 1/4 / e, which needs one exponential
// and, because Exp halves by the exponent's bits, does not overflow before the result does. The
// series is Cephes' (sinh.c, sinhf.c).
Expr Formula::Sinh(const Expr& x) {
  constexpr double kSingle[] = {2.03721912945E-4, 8.33028376239E-3, 1.66667160211E-1};
  constexpr double kP[] = {-7.89474443963537015605E-1, -1.63725857525983828727E2,
                           -1.15614435765005216044E4, -3.51754964808151394800E5};
  constexpr double kQ[] = {-2.77711081420602794433E2, 3.61578279834431989373E4,
                           -2.11052978884890840399E6};
  const Expr a = Name("a", Magnitude(x));
  const Expr half = Name("e", Exp(a, -1));
  // Infinity minus 0 for large a, so that the result is infinite and not NaN.
  const Expr far = Minus(half, Over(Number(0.25), half));
  return CopySign(x, MakeSelect(Less(a, Number(1)), OddSeries(a, kSingle, kP, kQ), far));
}

Expr Formula::Cosh(const Expr& x) {
  const Expr half = Name("e", Exp(Name("a", Magnitude(x)), -1));
  return Plus(half, Over(Number(0.25), half));
}

// log(a + sqrt(a^2 + 1)), or log(2 a) = log(a) + ln 2 where a^2 would overflow. Near 0 the sum
// cancels: there the series of Cephes (asinh.c, asinhf.c) is used.
Expr Formula::Asinh(const Expr& x) {
  constexpr double kSingle[] = {2.0122003309E-2, -4.2699340972E-2, 7.4847586088E-2,
                                -1.6666288134E-1};
  constexpr double kP[] = {-4.33231683752342103572E-3, -5.91750212056387121207E-1,
                           -4.37390226194356683570E0, -9.09030533308377316566E0,
                           -5.56682227230859640450E0};
  constexpr double kQ[] = {1.28757002067426453537E1, 4.86042483805291788324E1,
                           6.95722521337257608734E1, 3.34009336338516356383E1};
  const Expr a = Name("a", Magnitude(x));
  const Expr large = Name("large", Less(Number(kLarge), a));
  const Expr sum = Plus(a, Root(Plus(Times(a, a), Number(1))));
  const Expr logarithm = Log(Name("y", MakeSelect(large, a, sum)));
  const Expr far = Plus(logarithm, MakeSelect(large, Number(kLn2), Number(0)));
  return CopySign(x, MakeSelect(Less(a, Number(0.5)), OddSeries(a, kSingle, kP, kQ), far));
}

// Near 1 sqrt(x - 1) times a series of x - 1 (Cephes' acosh.c), because log(x + …) loses the digits
// of x - 1 there. Below 1, the root is no number, and so is the result.
Expr Formula::Acosh(const Expr& x) {
  constexpr double kSingle[] = {1.7596881071E-3, -7.5272886713E-3, 2.6454905019E-2,
                                -1.1784741703E-1, 1.4142135263E0};
  constexpr double kP[] = {1.18801130533544501356E2, 3.94726656571334401102E3,
                           3.43989375926195455866E4, 1.08102874834699867335E5,
                           1.10855947270161294369E5};
  constexpr double kQ[] = {1.86145380837903397292E2, 4.15352677227719831579E3,
                           2.97683430363289370382E4, 8.29725251988426222434E4,
                           7.83869920495893927727E4};
  const Expr t = Name("t", Minus(x, Number(1)));
  const Expr series =
      is_double() ? Over(Polynomial(t, kP), MonicPolynomial(t, kQ)) : Polynomial(t, kSingle);
  const Expr near = Times(Root(t), series);
  const Expr large = Name("large", Less(Number(kLarge), x));
  const Expr sum = Plus(x, Root(Times(t, Plus(x, Number(1)))));
  const Expr logarithm = Log(Name("y", MakeSelect(large, x, sum)));
  const Expr far = Plus(logarithm, MakeSelect(large, Number(kLn2), Number(0)));
  return MakeSelect(Less(t, Number(0.5)), near, far);
}

// (log(1 + a) - log(1 - a)) / 2 as one logarithm, and below 1/2 Cephes' series. At 1 the ratio is
// infinite, beyond it is negative, so that Log gives what IEEE 754 asks for.
Expr Formula::Atanh(const Expr& x) {
  constexpr double kSingle[] = {1.81740078349E-1, 8.24370301058E-2, 1.46691431730E-1,
                                1.99782164500E-1, 3.33337300303E-1};
  constexpr double kP[] = {-8.54074331929669305196E-1, 1.20426861384072379242E1,
                           -4.61252884198732692637E1, 6.54566728676544377376E1,
                           -3.09092539379866942570E1};
  constexpr double kQ[] = {-1.95638849376911654834E1, 1.08938092147140262656E2,
                           -2.49839401325893582852E2, 2.52006675691344555838E2,
                           -9.27277618139600130969E1};
  const Expr a = Name("a", Magnitude(x));
  const Expr ratio = Over(Plus(Number(1), a), Minus(Number(1), a));
  const Expr far = Times(Number(0.5), Log(Name("y", ratio)));
  return CopySign(x, MakeSelect(Less(a, Number(0.5)), OddSeries(a, kSingle, kP, kQ), far));
}

}  // namespace tern::loop
