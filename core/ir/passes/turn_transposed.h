// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions without strides made convolutions, by constant weights whose taps are
// turned around: convolutions have kernels for what a transposed one would add up pixel by pixel,
// such as those of single channels. Sums are in another order, so that last bits may differ.
#ifndef TERN_CORE_IR_PASSES_TURN_TRANSPOSED_H_
#define TERN_CORE_IR_PASSES_TURN_TRANSPOSED_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module TurnTransposed(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_TURN_TRANSPOSED_H_
