// SPDX-License-Identifier: Apache-2.0
// Term: a value in formulas, so that a derivative is written as it is in a textbook. Numbers are of
// the type of the value they meet.
#ifndef TERN_CORE_ONNX_GRADIENT_TERM_H_
#define TERN_CORE_ONNX_GRADIENT_TERM_H_

#include <string_view>

#include "core/onnx/convert/compose.h"

namespace tern::onnx {

struct Term {
  Compose* in;
  Value value;

  Term Binary(std::string_view op, const Value& other) const {
    return {in, in->Call(op, {value, other})};
  }
  Term Number(double number) const { return {in, in->Like(value, number)}; }
  Term Of(std::string_view op) const { return {in, in->Unary(op, value)}; }
};

#define TERN_TERM_OPERATOR(sign, op)                                                        \
  inline Term operator sign(const Term& a, const Term& b) { return a.Binary(op, b.value); } \
  inline Term operator sign(const Term& a, double b) { return a sign a.Number(b); }         \
  inline Term operator sign(double a, const Term& b) { return b.Number(a) sign b; }
TERN_TERM_OPERATOR(+, "add")
TERN_TERM_OPERATOR(-, "sub")
TERN_TERM_OPERATOR(*, "mul")
TERN_TERM_OPERATOR(/, "div")
TERN_TERM_OPERATOR(<, "less")
TERN_TERM_OPERATOR(>, "greater")
TERN_TERM_OPERATOR(==, "equal")
#undef TERN_TERM_OPERATOR

inline Term Abs(const Term& x) { return x.Of("abs"); }
inline Term Sign(const Term& x) { return x.Of("sign"); }
inline Term Exp(const Term& x) { return x.Of("exp"); }
inline Term Log(const Term& x) { return x.Of("log"); }
inline Term Sin(const Term& x) { return x.Of("sin"); }
inline Term Cos(const Term& x) { return x.Of("cos"); }
inline Term Sinh(const Term& x) { return x.Of("sinh"); }
inline Term Cosh(const Term& x) { return x.Of("cosh"); }
inline Term Tanh(const Term& x) { return x.Of("tanh"); }
inline Term Erf(const Term& x) { return x.Of("erf"); }
inline Term Rsqrt(const Term& x) { return x.Of("rsqrt"); }
inline Term Sigmoid(const Term& x) { return x.Of("sigmoid"); }

// The number wherever x is.
inline Term Fill(const Term& x, double number) { return x.Number(number); }

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_GRADIENT_TERM_H_
