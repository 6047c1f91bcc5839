// SPDX-License-Identifier: Apache-2.0
// What transcendental functions are made of: expressions of one float type, as every backend
// computes them (expand_intrinsics.cc says how exactly).
#ifndef TERN_CORE_LOOP_PASSES_FORMULA_H_
#define TERN_CORE_LOOP_PASSES_FORMULA_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/loop/expr.h"
#include "core/loop/stmt.h"

namespace tern::loop {

// Expressions of one float type, scalar or vector.
class Formula {
 public:
  Formula(DataType type, std::vector<Stmt>* stmts) : type_(type), stmts_(stmts) {}

  bool is_double() const { return type_.bits() == 64; }
  DType bits_dtype() const { return is_double() ? kI64 : kI32; }

  Expr Number(double value) const {
    return MakeBroadcast(MakeFloat(type_.Scalar(), value), type_.lane_count());
  }
  Expr Bits(int64_t value) const {
    return MakeBroadcast(MakeInt(DataType(bits_dtype()), value), type_.lane_count());
  }
  // A let, so that a value used twice is computed once.
  Expr Name(std::string_view hint, Expr value) {
    const VarPtr var = MakeVar(std::string(hint), value->type);
    stmts_->push_back(MakeLet(var, std::move(value)));
    return var;
  }
  static Expr Plus(Expr a, Expr b) {
    return MakeBinary(BinaryOp::kAdd, std::move(a), std::move(b));
  }
  static Expr Minus(Expr a, Expr b) {
    return MakeBinary(BinaryOp::kSub, std::move(a), std::move(b));
  }
  static Expr Times(Expr a, Expr b) {
    return MakeBinary(BinaryOp::kMul, std::move(a), std::move(b));
  }
  static Expr Over(Expr a, Expr b) {
    return MakeBinary(BinaryOp::kDiv, std::move(a), std::move(b));
  }
  static Expr MulAdd(Expr a, Expr b, Expr c) {
    return MakeCall(Intrinsic::kMulAdd, {std::move(a), std::move(b), std::move(c)});
  }
  static Expr Root(Expr a) { return MakeCall(Intrinsic::kSqrt, {std::move(a)}); }
  static Expr Rounded(Expr a) { return MakeCall(Intrinsic::kRound, {std::move(a)}); }
  static Expr Magnitude(Expr a) { return MakeCall(Intrinsic::kAbs, {std::move(a)}); }
  static Expr Less(Expr a, Expr b) { return MakeBinary(BinaryOp::kLt, std::move(a), std::move(b)); }

  // Coefficients from the highest power down.
  Expr Polynomial(const Expr& x, std::span<const double> coefficients) {
    Expr sum = Number(coefficients[0]);
    for (double coefficient : coefficients.subspan(1))
      sum = MulAdd(std::move(sum), x, Number(coefficient));
    return sum;
  }
  // The same with a leading coefficient of 1.
  Expr MonicPolynomial(const Expr& x, std::span<const double> coefficients) {
    Expr sum = Plus(x, Number(coefficients[0]));
    for (double coefficient : coefficients.subspan(1))
      sum = MulAdd(std::move(sum), x, Number(coefficient));
    return sum;
  }

  // expand_intrinsics.cc. Exp gives e^x * 2^shift, rounded once.
  Expr RSqrt(const Expr& x);
  Expr Sigmoid(const Expr& x);
  Expr Exp(const Expr& x, int shift = 0);
  Expr Log(const Expr& x);
  Expr Tanh(const Expr& x);
  Expr Erf(const Expr& x);
  // expand_trigonometry.cc
  Expr Sin(const Expr& x) { return Trigonometric(Angle::kSine, x); }
  Expr Cos(const Expr& x) { return Trigonometric(Angle::kCosine, x); }
  Expr Tan(const Expr& x) { return Trigonometric(Angle::kTangent, x); }
  Expr Asin(const Expr& x);
  Expr Acos(const Expr& x);
  Expr Atan(const Expr& x);
  // expand_hyperbolics.cc
  Expr Sinh(const Expr& x);
  Expr Cosh(const Expr& x);
  Expr Asinh(const Expr& x);
  Expr Acosh(const Expr& x);
  Expr Atanh(const Expr& x);

 private:
  using Coefficients = std::span<const double>;
  enum class Angle { kSine, kCosine, kTangent };
  // r with quarter turns taken off, and how many of them modulo 4.
  struct Reduced {
    Expr r, quarters;
  };

  Expr SingleErf(const Expr& x);
  Expr Trigonometric(Angle angle, const Expr& x);
  Reduced ReduceSingle(const Expr& x);
  Reduced ReduceDouble(const Expr& x);
  Expr AsinOfRoot(const Expr& s, const Expr& z);
  Expr OddSeries(const Expr& x, Coefficients single, Coefficients p, Coefficients q);

  struct Reduction {
    Expr words;  // their last bits are n + bias
    Expr r;
  };
  Reduction ReduceByLn2(const Expr& x, int64_t bias);
  Expr SingleExpm1(const Expr& r);
  Expr SingleTanh(const Expr& x);

  DType words_dtype() const { return is_double() ? kU64 : kU32; }
  Expr Words(int64_t value) const {
    return MakeBroadcast(MakeInt(DataType(words_dtype()), value), type_.lane_count());
  }
  int64_t exponent_bias() const { return is_double() ? 1023 : 127; }
  // The number whose exponent's bits, its bias included, are the last ones of an integer.
  Expr FromExponent(const Expr& words) {
    const Expr mantissa_bits = Words(is_double() ? 52 : 23);
    return MakeReinterpret(type_.element(), MakeBinary(BinaryOp::kShl, words, mantissa_bits));
  }
  // Of what is positive, zero or NaN, by bits: also the sign of zero.
  Expr CopySign(const Expr& x, const Expr& magnitude) {
    const Expr sign = MakeBinary(BinaryOp::kAnd, MakeReinterpret(bits_dtype(), x),
                                 Bits(is_double() ? INT64_MIN : INT32_MIN));
    const Expr bits = MakeReinterpret(bits_dtype(), magnitude);
    return MakeReinterpret(type_.element(), MakeBinary(BinaryOp::kOr, bits, sign));
  }
  Expr WithSignOf(const Expr& x, const Expr& magnitude) {
    return MakeSelect(Less(x, Number(0)), Minus(Number(-0.0), magnitude), magnitude);
  }

  DataType type_;
  std::vector<Stmt>* stmts_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_PASSES_FORMULA_H_
