// SPDX-License-Identifier: Apache-2.0
// A bias, a residual or an activation that is the only use of a convolution or product moves into
// it, where it is applied in registers. Run after fold_batch_norm.
#ifndef TERN_CORE_IR_PASSES_FUSE_EPILOGUES_H_
#define TERN_CORE_IR_PASSES_FUSE_EPILOGUES_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module FuseEpilogues(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FUSE_EPILOGUES_H_
