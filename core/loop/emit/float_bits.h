// SPDX-License-Identifier: Apache-2.0
// Operators on expressions of one type with constants of it: what rewritings on the bits of floats
// are written in.
#ifndef TERN_CORE_LOOP_EMIT_FLOAT_BITS_H_
#define TERN_CORE_LOOP_EMIT_FLOAT_BITS_H_

#include "core/loop/stmt.h"

namespace tern::loop {

inline Expr SplatOf(const Expr& scalar, Lanes lanes) {
  return lanes.is_scalar() ? scalar : MakeBroadcast(scalar, lanes);
}

struct Bits {
  Expr value;

  Expr Constant(int64_t constant) const {
    return SplatOf(MakeInt(value->type.Scalar(), constant), value->type.lane_count());
  }
  Bits With(BinaryOp op, const Expr& other) const { return {MakeBinary(op, value, other)}; }
  Bits With(BinaryOp op, int64_t constant) const { return With(op, Constant(constant)); }
};

inline bool IsLimit(BinaryOp op) { return op == BinaryOp::kMin || op == BinaryOp::kMax; }

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_FLOAT_BITS_H_
