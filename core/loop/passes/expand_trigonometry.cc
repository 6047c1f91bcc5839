// SPDX-License-Identifier: Apache-2.0
// Functions of angles and their inverses (see expand_intrinsics.cc). Largest errors in units in the
// last place: sin and cos 2, tan 4 (float64: 3), asin 3, acos 2 (float64: 3), atan 3 (float64: 2).
//
// Every float32 is reduced exactly enough, however large. A float64 of more than 2^20 quarter turns
// (1.6 million) loses digits, since that takes a table: programs that need it call an operator.
#include "core/loop/passes/formula.h"

namespace tern::loop {

namespace {

constexpr double kPi = 3.14159265358979323846, kHalfPi = kPi / 2;

// 1 / (2 pi) in pieces. Those before the last have 29 bits, so that a float32 times one is exact in
// float64.
constexpr double kTurns[] = {0x1.45f306dp-3,  0x1.9391054p-32,  0x1.4fe13abp-61,
                             0x1.d1f534dp-90, 0x1.b81b6c5p-119, 0x1.5993c439041fep-150};

// pi / 2 in pieces of 33 bits, as in fdlibm.
constexpr double kQuarter[] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                               2.02226624871116645580e-21};

}  // namespace

// Multiplies by 1 / (2 pi) in float64, piece by piece. Whole turns are taken off what each piece
// gives before the next is added (as Payne and Hanek do, with fewer bits, because a float32 has
// 24), so that the small fraction that counts is not lost beside them.
Formula::Reduced Formula::ReduceSingle(const Expr& x) {
  const Expr whole = MakeCast(kF64, x);
  Formula wide(whole->type, stmts_);
  const Expr w = wide.Name("w", whole);
  Expr sum;
  for (double piece : std::span(kTurns).first(std::size(kTurns) - 1)) {
    const Expr u = wide.Name("u", Times(w, wide.Number(piece)));
    const Expr f = Minus(u, Rounded(u));
    const Expr s = wide.Name("s", sum ? Plus(sum, f) : f);
    // What the first piece gives is a fraction already.
    sum = piece == kTurns[0] ? s : wide.Name("s", Minus(s, Rounded(s)));
  }
  const Expr turns = Plus(sum, Times(w, wide.Number(kTurns[std::size(kTurns) - 1])));
  const Expr y = wide.Name("t", Times(turns, wide.Number(4)));
  const Expr k = wide.Name("k", Rounded(y));
  const Expr r = Times(Minus(y, k), wide.Number(kHalfPi));
  // The quarter is at most 4 in magnitude, so that float32 holds it exactly.
  return {Name("r", MakeCast(kF32, r)), Name("q", MakeCast(kI32, MakeCast(kF32, k)))};
}

// Cody and Waite's reduction with pi / 2 in three parts: n has at most 20 bits in the range that
// the head of this file promises, so that n times a part of 33 bits is exact.
Formula::Reduced Formula::ReduceDouble(const Expr& x) {
  const Expr n = Name("n", Rounded(Times(x, Number(1 / kHalfPi))));
  Expr r = x;
  for (double part : kQuarter) r = Minus(std::move(r), Times(n, Number(part)));
  // Far away r is of no use, but it must not make something infinite of a bounded function.
  const Expr bounded =
      MakeBinary(BinaryOp::kMin, MakeBinary(BinaryOp::kMax, r, Number(-1)), Number(1));
  const Expr quarters = Minus(n, Times(Number(4), Rounded(Times(n, Number(0.25)))));
  return {Name("r", bounded), Name("q", MakeCast(kI64, quarters))};
}

// Sine, cosine or tangent of x. With x = q * pi/2 + r, each is plus or minus the sine or the cosine
// of r; q's last bit says which one, its second bit the sign. Both series are always computed,
// because lanes differ.
Expr Formula::Trigonometric(Angle angle, const Expr& x) {
  constexpr double kSingleSine[] = {-1.9515295891E-4, 8.3321608736E-3, -1.6666654611E-1};
  constexpr double kSingleCosine[] = {2.443315711809948E-5, -1.388731625493765E-3,
                                      4.166664568298827E-2};
  constexpr double kDoubleSine[] = {1.58962301576546568060E-10, -2.50507477628578072866E-8,
                                    2.75573136213857245213E-6,  -1.98412698295895385996E-4,
                                    8.33333333332211858878E-3,  -1.66666666666666307295E-1};
  constexpr double kDoubleCosine[] = {-1.13585365213876817300E-11, 2.08757008419747316778E-9,
                                      -2.75573141792967388112E-7,  2.48015872888517045348E-5,
                                      -1.38888888888730564116E-3,  4.16666666666665929218E-2};
  const auto [r, quarters] = is_double() ? ReduceDouble(x) : ReduceSingle(x);
  const Expr z = Name("z", Times(r, r));
  const Expr sine_series = is_double() ? Polynomial(z, kDoubleSine) : Polynomial(z, kSingleSine);
  const Expr cosine_series =
      is_double() ? Polynomial(z, kDoubleCosine) : Polynomial(z, kSingleCosine);
  const Expr sine = Name("sine", Plus(Times(Times(z, r), sine_series), r));
  // 1 - z/2 + z^2 C(z): the largest parts are added last.
  const Expr rest = Minus(Times(Times(z, z), cosine_series), Times(z, Number(0.5)));
  const Expr cosine = Name("cosine", Plus(rest, Number(1)));
  // cos(x) = sin(x + pi/2).
  const Expr q = angle == Angle::kCosine ? Name("q", Plus(quarters, Bits(1))) : quarters;
  const Expr odd =
      Name("odd", MakeBinary(BinaryOp::kEq, MakeBinary(BinaryOp::kAnd, q, Bits(1)), Bits(1)));
  const Expr turned = MakeSelect(odd, cosine, sine);
  // An odd quarter turns the quotient over: tan(x) = -cos(r) / sin(r).
  if (angle == Angle::kTangent) {
    const Expr y = Name("y", Over(turned, MakeSelect(odd, Minus(Number(-0.0), sine), cosine)));
    return MakeSelect(MakeBinary(BinaryOp::kEq, x, Number(0)), x, y);
  }
  // Bit 1 of q moved to the sign bit of the float: 62 = 63 - 1, 30 = 31 - 1.
  const Expr two = MakeBinary(BinaryOp::kAnd, q, Bits(2));
  const Expr sign = MakeBinary(BinaryOp::kShl, two, Bits(is_double() ? 62 : 30));
  const Expr bits = MakeBinary(BinaryOp::kXor, MakeReinterpret(bits_dtype(), turned), sign);
  const Expr y = Name("y", MakeReinterpret(type_.element(), bits));
  if (angle == Angle::kCosine) return y;
  return MakeSelect(MakeBinary(BinaryOp::kEq, x, Number(0)), x, y);  // keeps -0
}

// asin of s from 0 to 1/2, with z = s^2; float32 by the fit of the kernels, float64 by Cephes'
// asin.c.
Expr Formula::AsinOfRoot(const Expr& s, const Expr& z) {
  constexpr double kSingle[] = {0x1.13fed4p-5, 0x1.18f91ep-6, 0x1.fd8da2p-6,
                                0x1.6d5bbap-5, 0x1.33343p-4,  0x1.555554p-3};
  constexpr double kP[] = {4.253011369004428248960E-3, -6.019598008014123785661E-1,
                           5.444622390564711410273E0,  -1.626247967210700244449E1,
                           1.956261983317594739197E1,  -8.198089802484824371615E0};
  constexpr double kQ[] = {-1.474091372988853791896E1, 7.049610280856842141659E1,
                           -1.471791292232726029859E2, 1.395105614657485689735E2,
                           -4.918853881490881290097E1};
  const Expr series =
      is_double() ? Over(Polynomial(z, kP), MonicPolynomial(z, kQ)) : Polynomial(z, kSingle);
  return Name("y", Plus(Times(Times(s, z), series), s));
}

// Beyond 1/2 by asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)): the series needs s of at most 1/2, and
// there 1 - a is exact.
Expr Formula::Asin(const Expr& x) {
  const Expr a = Name("a", Magnitude(x));
  const Expr large = Name("large", Less(Number(0.5), a));
  const Expr folded = Times(Minus(Number(1), a), Number(0.5));
  const Expr z = Name("z", MakeSelect(large, folded, Times(a, a)));
  const Expr y = AsinOfRoot(Name("s", MakeSelect(large, Root(z), a)), z);
  return CopySign(x, MakeSelect(large, Minus(Number(kHalfPi), Plus(y, y)), y));
}

// The same series as Asin. For large a the result is 2 asin(sqrt((1 - a) / 2)) without pi/2, which
// keeps all digits near 1, where acos approaches 0.
Expr Formula::Acos(const Expr& x) {
  const Expr a = Name("a", Magnitude(x));
  const Expr large = Name("large", Less(Number(0.5), a));
  const Expr folded = Times(Minus(Number(1), a), Number(0.5));
  const Expr z = Name("z", MakeSelect(large, folded, Times(a, a)));
  const Expr y = AsinOfRoot(Name("s", MakeSelect(large, Root(z), a)), z);
  const Expr twice = Name("w", Plus(y, y));
  const Expr negative = Name("negative", Less(x, Number(0)));
  const Expr outer = MakeSelect(negative, Minus(Number(kPi), twice), twice);
  const Expr inner = Minus(Number(kHalfPi), MakeSelect(negative, Minus(Number(0), y), y));
  return MakeSelect(large, outer, inner);
}

// float32 beyond 1 by atan(a) = pi/2 - atan(1 / a), by the fit of the kernels; float64 in three
// ranges about 0, 1 and infinity.
Expr Formula::Atan(const Expr& x) {
  constexpr double kSingle[] = {-0x1.38de56p-9, 0x1.ba9f66p-7,  -0x1.25dc12p-5,
                                0x1.0001c6p-4,  -0x1.6295f8p-4, 0x1.c3f168p-4,
                                -0x1.246cd2p-3, 0x1.99983cp-3,  -0x1.555554p-2};
  constexpr double kP[] = {-8.750608600031904122785E-1, -1.615753718733365076637E1,
                           -7.500855792314704667340E1, -1.228866684490136173410E2,
                           -6.485021904942025371773E1};
  constexpr double kQ[] = {2.485846490142306297962E1, 1.650270098316988542046E2,
                           4.328810604912902668951E2, 4.853903996359136964868E2,
                           1.945506571482613964425E2};
  const Expr a = Name("a", Magnitude(x));
  if (!is_double()) {
    const Expr large = Name("large", Less(Number(1), a));
    // The smaller of a and 1 over the larger one: one division for both cases, and infinity gives
    // 0.
    const Expr s =
        Name("s", Over(MakeSelect(large, Number(1), a), MakeSelect(large, a, Number(1))));
    const Expr z = Name("z", Times(s, s));
    const Expr y = Name("y", Plus(Times(Times(s, z), Polynomial(z, kSingle)), s));
    return CopySign(x, MakeSelect(large, Minus(Number(kHalfPi), y), y));
  }
  constexpr double kRest = 6.123233995736765886130E-17;  // of pi / 2
  const Expr far = Name("far", Less(Number(2.41421356237309504880), a));
  const Expr middle = Name("middle", Less(Number(0.66), a));
  const Expr near_top = MakeSelect(middle, Minus(a, Number(1)), a);
  // atan(a) = pi/4 + atan((a - 1) / (a + 1)) in the middle and pi/2 + atan(-1 / a) far away, as in
  // Cephes' atan.c.
  const Expr near_bottom = MakeSelect(middle, Plus(a, Number(1)), Number(1));
  const Expr s =
      Name("s", Over(MakeSelect(far, Number(-1), near_top), MakeSelect(far, a, near_bottom)));
  const Expr z = Name("z", Times(s, s));
  const Expr ratio = Over(Polynomial(z, kP), MonicPolynomial(z, kQ));
  const Expr series = Plus(Times(Times(s, z), ratio), s);
  const auto start = [&](double quarter) {
    return MakeSelect(far, Number(quarter), MakeSelect(middle, Number(quarter / 2), Number(0)));
  };
  return CopySign(x, Plus(start(kHalfPi), Plus(series, start(kRest))));
}

}  // namespace tern::loop
