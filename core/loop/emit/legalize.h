// SPDX-License-Identifier: Apache-2.0
// Rewrites computations in 16-bit floats that a machine has no instructions for into ones in 32
// bits, and conversions to and from them into operations on their bits. Both emitters use it,
// so that both give the bits of the reference interpreter: every operation is computed in
// float32 and rounded, which for +, -, *, / and sqrt is the correctly rounded result. Minima and
// maxima of halves can be had as those of integers besides.
//
// Afterwards values of those types are only loaded, stored, selected, kept and reinterpreted.
#ifndef TERN_CORE_LOOP_EMIT_LEGALIZE_H_
#define TERN_CORE_LOOP_EMIT_LEGALIZE_H_

#include "core/loop/stmt.h"

namespace tern::loop {

struct NativeTypes {
  bool float16 = false;  // arithmetic, and conversions from and to float32
  bool bfloat16 = false;
  bool float16_limits = true;  // minimum and maximum, where there is float16

  // Whether values of the type are bits only.
  bool IsStorage(DType element) const {
    return (element == kF16 && !float16) || (element == kBf16 && !bfloat16);
  }
  // Whether its minimum and maximum are to be computed on its bits.
  bool LimitsAsIntegers(DType element) const {
    return element == kF16 && float16 && !float16_limits;
  }
};

Stmt LegalizeTypes(const Stmt& body, const NativeTypes& native);
// The same for one expression.
Expr LegalizeTypes(const Expr& expr, const NativeTypes& native);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_LEGALIZE_H_
