// SPDX-License-Identifier: Apache-2.0
// Constant weights of channels-last convolutions and of products become panels of 16 columns
// (depthwise: taps by channels), the form that kernels read in place from the mapped file. Filled
// weights stay splats where the panels have no padding.
#ifndef TERN_CORE_IR_PASSES_PACK_WEIGHTS_H_
#define TERN_CORE_IR_PASSES_PACK_WEIGHTS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module PackWeights(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_PACK_WEIGHTS_H_
