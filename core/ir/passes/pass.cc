// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/pass.h"

#include "core/ir/passes/annotate_devices.h"
#include "core/ir/passes/check_symbols.h"
#include "core/ir/passes/choose_layout.h"
#include "core/ir/passes/eliminate_common_subexpressions.h"
#include "core/ir/passes/eliminate_dead_code.h"
#include "core/ir/passes/fold_batch_norm.h"
#include "core/ir/passes/fold_branches.h"
#include "core/ir/passes/fold_constants.h"
#include "core/ir/passes/fuse_epilogues.h"
#include "core/ir/passes/fuse_quantized.h"
#include "core/ir/passes/fuse_quantized_elements.h"
#include "core/ir/passes/infer_type.h"
#include "core/ir/passes/inline_functions.h"
#include "core/ir/passes/lambda_lift.h"
#include "core/ir/passes/mark_tail_calls.h"
#include "core/ir/passes/pack_weights.h"
#include "core/ir/passes/pack_winograd.h"
#include "core/ir/passes/recognize_operators.h"
#include "core/ir/passes/simplify.h"
#include "core/ir/passes/to_a_normal_form.h"
#include "core/ir/passes/turn_transposed.h"

namespace tern::ir {

namespace {
// In the order of passes.def.
constexpr PassInfo kPasses[] = {
#define TERN_IR_PASS(file, Function, phrase) {#file, &Function, phrase},
#include "core/ir/passes/passes.def"
#undef TERN_IR_PASS
};
}  // namespace

std::span<const PassInfo> AllPasses() { return kPasses; }

}  // namespace tern::ir
