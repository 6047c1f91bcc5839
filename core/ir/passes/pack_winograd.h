// SPDX-License-Identifier: Apache-2.0
// Constant weights of 3x3 convolutions are transformed for Winograd's algorithm where a model of
// costs says that this pays; the operator's attribute `winograd` says where it did. Run after
// choose_layout and before pack_weights, which takes the rest.
#ifndef TERN_CORE_IR_PASSES_PACK_WINOGRAD_H_
#define TERN_CORE_IR_PASSES_PACK_WINOGRAD_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module PackWinograd(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_PACK_WINOGRAD_H_
