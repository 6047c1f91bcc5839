// SPDX-License-Identifier: Apache-2.0
// Operators run where the context's rule puts them, and tensors are copied there: each value to
// each device at most once on any path, and only where somebody reads it. Parameters and constants
// are on device 0, and so is what leaves an operator for anything else: results, tuples, closures,
// calls, conditions. Without a rule nothing changes.
#ifndef TERN_CORE_IR_PASSES_ANNOTATE_DEVICES_H_
#define TERN_CORE_IR_PASSES_ANNOTATE_DEVICES_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module AnnotateDevices(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_ANNOTATE_DEVICES_H_
