// SPDX-License-Identifier: Apache-2.0
// Comparisons, minima and maxima of floats as operations on their bits, for targets whose own ones
// LLVM gets wrong: those of integers give the same results, NaNs, infinities and the signs of zeros
// included.
#ifndef TERN_CORE_LOOP_EMIT_FLOAT_ORDER_H_
#define TERN_CORE_LOOP_EMIT_FLOAT_ORDER_H_

#include "core/loop/stmt.h"

namespace tern::loop {

// A minimum or maximum of two values, and of the lanes of a vector.
Expr LimitOnBits(BinaryOp op, const Expr& a, const Expr& b);
Expr ReduceOnBits(BinaryOp op, const Expr& vector);

// All of them, and all comparisons.
Stmt OrderOnBits(const Stmt& body);
Expr OrderOnBits(const Expr& expr);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_FLOAT_ORDER_H_
