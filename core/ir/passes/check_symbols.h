// SPDX-License-Identifier: Apache-2.0
// Extents that a function's parameters share, as in `(x: f32[n], y: f32[n])`, are compared where
// the types of its callers leave open whether they are equal. The comparison stands at the
// beginning of the function, so that it is made whatever becomes of the call: inlined, fused into a
// kernel, made through a closure.
//
// Functions whose callers all prove it stay as they are, and so do kernels, which compare for
// themselves (vm/kernel_function.h), and calls from outside, whose arguments the machine compares.
#ifndef TERN_CORE_IR_PASSES_CHECK_SYMBOLS_H_
#define TERN_CORE_IR_PASSES_CHECK_SYMBOLS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module CheckSymbols(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_CHECK_SYMBOLS_H_
