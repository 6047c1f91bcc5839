// SPDX-License-Identifier: Apache-2.0
// One lane of every operator: what binary_ops.def and intrinsics.def say, executable. The reference
// interpreter and the passes that fold constants use it.
//
// A lane is 64 bits: an integer sign- or zero-extended, a bool 0 or 1, a float as a double that is
// exact in its type.
#ifndef TERN_CORE_LOOP_RUN_LANE_MATH_H_
#define TERN_CORE_LOOP_RUN_LANE_MATH_H_

#include "core/loop/expr.h"

namespace tern::loop {

union Lane {
  int64_t i;
  double f;
};

int64_t WrapInt(DType type, int64_t value);
double RoundFloat(DType type, double value);

Lane LaneBinary(BinaryOp op, DType type, Lane a, Lane b);  // type: of the operands
Lane LaneCall(Intrinsic intrinsic, DType type, const Lane* args);
Lane LaneCast(DType from, DType to, Lane value);
Lane LaneReinterpret(DType from, DType to, Lane value);

// Memory of one element.
Lane ReadLane(DType type, const uint8_t* from);
void WriteLane(DType type, Lane value, uint8_t* to);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_RUN_LANE_MATH_H_
