// SPDX-License-Identifier: Apache-2.0
// The evaluator that constant folding borrows: an operator run now, by the same kernels that would
// run it later.
#ifndef TERN_CORE_DRIVER_EVALUATE_H_
#define TERN_CORE_DRIVER_EVALUATE_H_

#include "core/ir/passes/pass.h"
#include "core/object/run_context.h"

namespace tern::driver {

// context must outlive the evaluator.
ir::Evaluator KernelEvaluator(RunContext* context);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_EVALUATE_H_
