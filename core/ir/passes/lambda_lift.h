// SPDX-License-Identifier: Apache-2.0
// Lambdas become private functions of the module, whose last parameters are what they captured.
// Where a lambda is called by name, the function is called with the captured values; where it is a
// value, a closure is made. Lambdas of a group call each other's functions, so no closure ever
// holds itself and none leaks.
#ifndef TERN_CORE_IR_PASSES_LAMBDA_LIFT_H_
#define TERN_CORE_IR_PASSES_LAMBDA_LIFT_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module LambdaLift(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_LAMBDA_LIFT_H_
