// SPDX-License-Identifier: Apache-2.0
// Gives every binding its type again, and its value where it is a small integer tensor. Needs only
// parameter types; reports all errors of all functions.
#ifndef TERN_CORE_IR_PASSES_INFER_TYPE_H_
#define TERN_CORE_IR_PASSES_INFER_TYPE_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module InferType(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_INFER_TYPE_H_
