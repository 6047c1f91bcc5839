// SPDX-License-Identifier: Apache-2.0
// Multiplications and additions by constants per channel (batch_norm, mul, add, sub, div) right
// after a convolution or product with constant weights go into weights and bias. Other batch_norms
// of images become a 1x1 depthwise convolution, which can take an activation along; the rest become
// a multiplication and an addition.
#ifndef TERN_CORE_IR_PASSES_FOLD_BATCH_NORM_H_
#define TERN_CORE_IR_PASSES_FOLD_BATCH_NORM_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module FoldBatchNorm(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FOLD_BATCH_NORM_H_
