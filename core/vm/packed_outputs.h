// SPDX-License-Identifier: Apache-2.0
// invoke_packed of a function that makes its results, such as an operator: the results go into
// tensors of the caller's ("The Relay VM", InvokePacked; destination passing).
#ifndef TERN_CORE_VM_PACKED_OUTPUTS_H_
#define TERN_CORE_VM_PACKED_OUTPUTS_H_

#include <span>

#include "core/object/function.h"
#include "core/object/run_context.h"

namespace tern::vm {

// args: the function's own, with the context where it needs one; then the outputs, in the order of
// its results. What the function allocates for a result is an output wherever data type and shape
// agree and no argument shares its memory; otherwise the result is copied. Errors: an output that
// is no tensor, cannot be written, or is not of the result's type; what the function says.
Status CallInto(Function& function, RunContext* context, std::span<const TernAny> args,
                std::span<const AnyView> outputs);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_PACKED_OUTPUTS_H_
