// SPDX-License-Identifier: Apache-2.0
// Transcendental functions as additions, products and selections, named by lets before the
// statement that uses them. Every backend then computes the same bits.
//
// Largest errors over samples of each function's range, in units in the last place (held by
// tests/unit/loop/expand_intrinsics_test.cc): exp 2 (float64: 3), log 2, tanh 3, erf 5 (float64:
// 3), sigmoid 4; others in expand_trigonometry.cc and expand_hyperbolics.cc.
// 16-bit floats compute in float32. Approximations are Cephes' (exp, tanh and erf of float64),
// fdlibm's (log) and those of core/kernels/simd_math.h (exp, tanh and erf of float32).
#include "core/base/strings.h"
#include "core/loop/passes/formula.h"
#include "core/loop/passes/pass.h"
#include "core/loop/visitor.h"

namespace tern::loop {

Expr Formula::RSqrt(const Expr& x) { return Over(Number(1), Root(x)); }

// -0.0 - x and not 0 - x, so that the sign of a zero is turned too; of x = -inf, Exp gives infinity
// and the quotient 0.
Expr Formula::Sigmoid(const Expr& x) {
  const Expr minus_x = Name("y", Minus(Number(-0.0), x));
  return Over(Number(1), Plus(Number(1), Exp(minus_x)));
}

// x = n * ln 2 + r, for x of less than 2^20 times ln 2 (Cody and Waite, "Software Manual for the
// Elementary Functions", 1980). Adding 1.5 * 2^52 (or 2^23), the number whose last bit counts ones,
// and `bias` rounds to whole numbers: the last bits then hold n plus the bias. So no conversion to
// integers is needed, which some processors lack for vectors of float64.
Formula::Reduction Formula::ReduceByLn2(const Expr& x, int64_t bias) {
  constexpr double kLog2E = 1.44269504088896340736;
  const double whole = is_double() ? 0x1.8p52 : 0x1.8p23;
  const Expr magic = Number(whole + static_cast<double>(bias));
  const Expr shifted = Name("s", Plus(Times(x, Number(kLog2E)), magic));
  const Expr n = Name("n", Minus(shifted, magic));
  // ln 2 in two parts, of which the first times n is exact.
  const double ln2_high = is_double() ? 6.93147180369123816490e-01 : 0.693359375;
  const double ln2_low = is_double() ? 1.90821492927058770002e-10 : -2.12194440e-4;
  const Expr r = Minus(Minus(x, Times(n, Number(ln2_high))), Times(n, Number(ln2_low)));
  return {MakeReinterpret(words_dtype(), shifted), Name("r", r)};
}

// e^r - 1 for |r| up to ln 2 / 2: the fit of core/kernels/simd_math.h.
Expr Formula::SingleExpm1(const Expr& r) {
  constexpr double kQ[] = {0x1.6d10fcp-10, 0x1.120b62p-7, 0x1.55551ap-5, 0x1.5554dep-3, 0.5};
  return MulAdd(Times(r, r), Polynomial(r, kQ), r);
}

// e^x = 2^n * e^r. The power is applied in two halves, so that results that are denormal or
// infinite come out of the multiplications; the halves of n and of a bias for each of them.
Expr Formula::Exp(const Expr& x, int shift) {
  // Taylor's series of e^r to r^12: |r| <= ln 2 / 2 makes the next term smaller than 2^-53.
  constexpr double kDouble[] = {1.0 / 479001600,
                                1.0 / 39916800,
                                1.0 / 3628800,
                                1.0 / 362880,
                                1.0 / 40320,
                                1.0 / 5040,
                                1.0 / 720,
                                1.0 / 120,
                                1.0 / 24,
                                1.0 / 6,
                                1.0 / 2,
                                1.0,
                                1.0};
  // Beyond these bounds every result is 0 or infinite; inside them n fits the halves of the
  // exponent. NaN stays NaN by how min and max are defined.
  const Expr low = Number(is_double() ? -746 : -104), high = Number(is_double() ? 711 : 90);
  const Expr clamped =
      Name("x", MakeBinary(BinaryOp::kMax, MakeBinary(BinaryOp::kMin, x, high), low));
  const auto [words, r] = ReduceByLn2(clamped, 2 * exponent_bias());
  const Expr p = is_double() ? Polynomial(r, kDouble) : Plus(SingleExpm1(r), Number(1));
  // words = n + 2 * bias, so that both `half` and `rest` come with one bias each.
  const Expr half = Name("h", MakeBinary(BinaryOp::kShr, words, Words(1)));
  Expr rest = Minus(words, half);
  // The shift goes into one factor only, and is exact unless the result is denormal.
  if (shift < 0) rest = Minus(rest, Words(-shift));
  if (shift > 0) rest = Plus(rest, Words(shift));
  return Times(Times(p, FromExponent(half)), FromExponent(rest));
}

// x = 2^k * (1 + f) with 1 + f from sqrt(1/2) to sqrt(2); then log(1 + f) by s = f / (2 + f), for
// which log(1 + f) = 2 atanh(s) has odd powers only (fdlibm's e_log.c).
Expr Formula::Log(const Expr& x) {
  constexpr double kSingle[] = {0.24279078841, 0.28498786688, 0.40000972152, 0.66666662693};
  constexpr double kDouble[] = {1.479819860511658591e-01, 1.531383769920937332e-01,
                                1.818357216161805012e-01, 2.222219843214978396e-01,
                                2.857142874366239149e-01, 3.999999999940941908e-01,
                                6.666666666666735130e-01};
  const int mantissa = is_double() ? 52 : 23;
  const int64_t one = is_double() ? 0x3ff0000000000000 : 0x3f800000;
  const int64_t root_half = is_double() ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  const int64_t fraction = (int64_t{1} << mantissa) - 1;
  const double least = is_double() ? 2.2250738585072014e-308 : 1.17549435e-38;
  // Denormal numbers have no leading 1 in their bits, so they are scaled up first and k is set
  // right afterwards.
  const Expr tiny = Name("tiny", Less(x, Number(least)));
  const Expr scaled =
      MakeSelect(tiny, Times(x, Number(static_cast<double>(int64_t{1} << (mantissa + 2)))), x);
  // Subtracting the bits of sqrt(1/2) ahead of the shift rounds k so that 1 + f lies about 1.
  const Expr bits =
      Name("bits", Plus(MakeReinterpret(bits_dtype(), scaled), Bits(one - root_half)));
  const Expr exponent =
      Plus(Minus(MakeBinary(BinaryOp::kShr, bits, Bits(mantissa)), Bits(one >> mantissa)),
           MakeSelect(tiny, Bits(-(mantissa + 2)), Bits(0)));
  const Expr k = Name("k", MakeCast(type_.element(), exponent));
  const Expr reduced = Plus(MakeBinary(BinaryOp::kAnd, bits, Bits(fraction)), Bits(root_half));
  const Expr f = Name("f", Minus(MakeReinterpret(type_.element(), reduced), Number(1)));
  const Expr s = Name("s", Over(f, Plus(Number(2), f)));
  const Expr z = Name("z", Times(s, s));
  const Expr series = Times(z, is_double() ? Polynomial(z, kDouble) : Polynomial(z, kSingle));
  const Expr half_square = Name("hfsq", Times(Times(Number(0.5), f), f));
  const double ln2_high = is_double() ? 6.93147180369123816490e-01 : 6.9313812256e-01;
  const double ln2_low = is_double() ? 1.90821492927058770002e-10 : 9.0580006145e-06;
  // The small parts are added before the large ones, so that their digits are not lost.
  const Expr correction = Plus(Times(s, Plus(half_square, series)), Times(k, Number(ln2_low)));
  const Expr finite = Plus(Minus(correction, Minus(half_square, f)), Times(k, Number(ln2_high)));
  constexpr double kInf = __builtin_inf();
  const Expr zero = MakeBinary(BinaryOp::kEq, x, Number(0));
  // False for NaN, which then passes through.
  const Expr usual =
      MakeBinary(BinaryOp::kAnd, MakeBinary(BinaryOp::kGt, x, Number(0)), Less(x, Number(kInf)));
  const Expr negative = Less(x, Number(0));
  const Expr special =
      MakeSelect(zero, Number(-kInf), MakeSelect(negative, Number(__builtin_nan("")), x));
  return MakeSelect(usual, finite, special);
}

// (e^2a - 1) / (e^2a + 1) of the magnitude a, which keeps all digits near 0 since e^2a - 1 does.
// From 10 on, the result is 1.
Expr Formula::SingleTanh(const Expr& x) {
  const Expr a = MakeBinary(BinaryOp::kMin, MakeCall(Intrinsic::kAbs, {x}), Number(10));
  const Expr bounded = Name("a", a);
  const auto [words, r] = ReduceByLn2(Name("y", Plus(bounded, bounded)), exponent_bias());
  const Expr power = Name("p", FromExponent(words));
  const Expr t = Name("t", MulAdd(power, SingleExpm1(r), Minus(power, Number(1))));
  const Expr magnitude = MakeReinterpret(kU32, Over(t, Plus(t, Number(2))));
  const Expr sign = MakeBinary(BinaryOp::kAnd, MakeReinterpret(kU32, x), Words(0x80000000));
  return MakeReinterpret(kF32, MakeBinary(BinaryOp::kOr, magnitude, sign));
}

Expr Formula::Tanh(const Expr& x) {
  constexpr double kP[] = {-9.64399179425052238628E-1, -9.92877231001918586564E1,
                           -1.61468768441708447952E3};
  constexpr double kQ[] = {1.12811678491632931402E2, 2.23548839060100448583E3,
                           4.84406305325125486048E3};
  if (!is_double()) return SingleTanh(x);
  const Expr z = Name("z", Times(x, x));
  const Expr ratio = Over(Polynomial(z, kP), MonicPolynomial(z, kQ));
  const Expr near = Times(x, MulAdd(z, ratio, Number(1)));  // keeps the sign of zero
  const Expr magnitude = Name("a", MakeCall(Intrinsic::kAbs, {x}));
  const Expr e = Name("e", Exp(Name("y", Plus(magnitude, magnitude))));
  const Expr far = Minus(Number(1), Over(Number(2), Plus(e, Number(1))));
  return MakeSelect(Less(magnitude, Number(0.625)), near, WithSignOf(x, far));
}

// x P(x^2) / Q(x^2), the fit that core/kernels/simd_math.h uses too. It passes 1 before 3.925, and
// erf in float32 is 1 from there on, so that a bound of 1 suffices.
Expr Formula::SingleErf(const Expr& x) {
  constexpr double kP[] = {-1.4943477566e-8, 5.0429753173e-6, 3.9172224933e-4, 3.8284643088e-3,
                           5.4425865412e-2,  1.8371765316e-1, 1.1283792257};
  constexpr double kQ[] = {6.6501284891e-5, 1.3195172651e-3, 1.5462469310e-2,
                           1.1361510307e-1, 4.9614924192e-1, 1.0};
  const Expr a = MakeBinary(BinaryOp::kMin, MakeCall(Intrinsic::kAbs, {x}), Number(3.925));
  const Expr bounded = Name("a", a);
  const Expr t = Name("t", Times(bounded, bounded));
  // x, not the bounded value, so that the sign and NaN come from x; the bound at the end holds it.
  const Expr y = Over(Times(x, Polynomial(t, kP)), Polynomial(t, kQ));
  const Expr least = MakeBinary(BinaryOp::kMin, y, Number(1));
  return MakeBinary(BinaryOp::kMax, least, Number(-1));
}

// Near 0 by a series; farther by 1 - erfc, with erfc = e^(-a^2) times a rational function (Cephes'
// ndtr.c). Near 0 the difference from 1 would cancel, far from it the series does not converge.
Expr Formula::Erf(const Expr& x) {
  constexpr double kT[] = {9.60497373987051638749E0, 9.00260197203842689217E1,
                           2.23200534594684319226E3, 7.00332514112805075473E3,
                           5.55923013010394962768E4};
  constexpr double kU[] = {3.35617141647503099647E1, 5.21357949780152679795E2,
                           4.59432382970980127987E3, 2.26290000613890934246E4,
                           4.92673942608635921086E4};
  constexpr double kP[] = {
      2.46196981473530512524E-10, 5.64189564831068821977E-1, 7.46321056442269912687E0,
      4.86371970985681366614E1,   1.96520832956077098242E2,  5.26445194995477358631E2,
      9.34528527171957607540E2,   1.02755188689515710272E3,  5.57535335369399327526E2};
  constexpr double kQ[] = {1.32281951154744992508E1, 8.67072140885989742329E1,
                           3.54937778887819891062E2, 9.75708501743205489753E2,
                           1.82390916687909736289E3, 2.24633760818710981792E3,
                           1.65666309194161350182E3, 5.57535340817727675546E2};
  if (!is_double()) return SingleErf(x);
  const Expr z = Name("z", Times(x, x));
  const Expr near = Times(x, Over(Polynomial(z, kT), MonicPolynomial(z, kU)));
  // From 6 on, erf is 1; the bound also keeps e^(-x^2) away from inf * 0.
  const Expr magnitude = Name("a", MakeCall(Intrinsic::kAbs, {x}));
  const Expr a = Name("c", MakeBinary(BinaryOp::kMin, magnitude, Number(6)));
  const Expr e = Exp(Name("y", Minus(Number(-0.0), Times(a, a))));
  const Expr erfc = Over(Times(e, Polynomial(a, kP)), MonicPolynomial(a, kQ));
  const Expr far = WithSignOf(x, Minus(Number(1), erfc));
  return MakeSelect(Less(magnitude, Number(1)), near, far);
}

namespace {

bool IsShortFloat(DataType type) { return type.is_float() && type.bits() == 16; }

// Replaces calls whose intrinsic no emitter has by formulas (intrinsics.def says which). The lets
// that a formula makes are put ahead of the statement that holds the call.
class Expander : public Mutator {
 public:
  explicit Expander(text::Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  Expr MutateExpr(const Expr& expr) override {
    const Expr inner = Descend(expr);
    const Binary* binary = inner->As<Binary>();
    const bool float_mod =
        binary != nullptr && binary->op == BinaryOp::kMod && binary->type.is_float();
    const Call* call = inner->As<Call>();
    if (float_mod) return ExpandMod(*binary);
    if (call == nullptr || InfoOf(call->intrinsic).lowered) return inner;
    // A condition is computed anew before every iteration, but lets ahead of the loop are computed
    // once.
    if (in_while_) {
      diagnostics_
          ->Error("E0511", StrCat("'", InfoOf(call->intrinsic).text,
                                  "' cannot stand in the condition of a while loop"))
          .At(expr->span)
          .Help("assign it to a variable in the body, and test that");
      return inner;
    }
    return ExpandOnce(inner);
  }

  Stmt MutateStmt(const Stmt& stmt) override {
    // Statements nest, and each has its own lets: those of the statement around are put aside.
    std::vector<Stmt> outer;
    std::vector<std::pair<Expr, Expr>> outer_expanded;
    std::swap(outer, before_);
    std::swap(outer_expanded, expanded_);
    Stmt made = stmt->kind == StmtKind::kWhile ? MutateWhile(stmt) : MutateParts(stmt);
    std::vector<Stmt> stmts;
    std::swap(stmts, before_);
    std::swap(outer, before_);
    std::swap(outer_expanded, expanded_);
    if (stmts.empty()) return made;
    stmts.push_back(std::move(made));
    return MakeBlock(std::move(stmts));
  }

 private:
  // Bodies are statements of their own, with lets of their own, so that a formula is computed where
  // its operands are known and only if that branch runs.
  Stmt MutateParts(const Stmt& stmt) { return Descend(stmt); }

  // The condition is walked for its error only; it is never rewritten.
  Stmt MutateWhile(const Stmt& stmt) {
    in_while_ = true;
    MutateExpr(stmt->As<While>()->condition);
    in_while_ = false;
    const While* loop = stmt->As<While>();
    Stmt body = MutateStmt(loop->body);
    if (body == loop->body) return stmt;
    Stmt made = MakeWhile(loop->role, loop->condition, std::move(body));
    made->span = stmt->span;
    return made;
  }

  // a - floor(a / b) * b, as the operator % of floats is defined.
  Expr ExpandMod(const Binary& binary) {
    Formula formula(binary.type, &before_);
    const Expr a = formula.Name("a", binary.a), b = formula.Name("b", binary.b);
    const Expr quotient = MakeCall(Intrinsic::kFloor, {Formula::Over(a, b)});
    return Formula::Minus(a, Formula::Times(quotient, b));
  }

  // Equal calls in one statement are one value: inlining writes a value twice that is read twice,
  // and doubles it again for each further value of a chain.
  Expr ExpandOnce(const Expr& expr) {
    for (const auto& [known, value] : expanded_) {
      if (SameExpr(known, expr)) return value;
    }
    const Call& call = *expr->As<Call>();
    const DataType type = expr->type;
    Expr value;
    if (IsShortFloat(type))
      value = MakeCast(type.element(), Expand(call.intrinsic, MakeCast(kF32, call.args[0])));
    else
      value = Expand(call.intrinsic, call.args[0]);
    const VarPtr name = MakeVar(std::string(InfoOf(call.intrinsic).text), type);
    before_.push_back(MakeLet(name, std::move(value)));
    expanded_.emplace_back(expr, name);
    return name;
  }

  Expr Expand(Intrinsic intrinsic, const Expr& operand) {
    Formula formula(operand->type, &before_);
    const Expr x = formula.Name("x", operand);
    switch (intrinsic) {
#define TERN_LOOP_LOWERED(Name, ...) case Intrinsic::k##Name:
#include "core/loop/intrinsics.def"
      break;
// clang-format off
#define TERN_LOOP_EXPANDED(Name, ...) case Intrinsic::k##Name: return formula.Name(x);
// clang-format on
#include "core/loop/intrinsics.def"
    }
    TERN_CHECK(false, "an intrinsic without expansion");
    return x;
  }

  text::Diagnostics* diagnostics_;
  std::vector<Stmt> before_;                     // lets for the statement being mutated
  std::vector<std::pair<Expr, Expr>> expanded_;  // its calls, and the lets' names
  bool in_while_ = false;
};

}  // namespace

LoopFunction ExpandIntrinsics(const LoopFunction& function, const PassContext& context) {
  LoopFunction out = function;
  out.body = Expander(context.diagnostics).MutateStmt(function.body);
  return out;
}

}  // namespace tern::loop
