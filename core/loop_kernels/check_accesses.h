// SPDX-License-Identifier: Apache-2.0
// Whether every access of a loop function lies inside its buffer, and every loop ends, whatever the
// buffers hold and the sizes are. Compiled code checks nothing, so a kernel from a file that
// anybody may have written is compiled only where this can be shown.
#ifndef TERN_CORE_LOOP_KERNELS_CHECK_ACCESSES_H_
#define TERN_CORE_LOOP_KERNELS_CHECK_ACCESSES_H_

#include "core/loop/stmt.h"
#include "core/text/diagnostics.h"

namespace tern::loop {

inline constexpr std::string_view kNotProven = "E0517";
// What a function was made from.
enum class LoopOrigin : int8_t {
  kDefinition,  // a tensor expression: local buffers are written before they are read
  kText,        // loops as somebody wrote them
};

// function: verified, before lowering. Complains of the accesses that cannot be shown to be inside,
// each with the range of its index and the extent.
void CheckAccesses(const LoopFunction& function, LoopOrigin origin, text::Diagnostics* diagnostics);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_KERNELS_CHECK_ACCESSES_H_
