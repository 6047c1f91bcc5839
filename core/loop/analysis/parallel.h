// SPDX-License-Identifier: Apache-2.0
// Whether the iterations of a loop may run at once, on several threads: no iteration touches an
// element that another one writes, nor a variable.
//
// Before buffers are flattened, by the indices of single dimensions, which are taken to lie inside
// them. An index that is the same multiple of the loop variable in every access, plus what stays
// below that multiple, tells iterations apart; so does the quotient and remainder of such a value
// by the same divisor, as of fused axes. What cannot be shown is refused.
#ifndef TERN_CORE_LOOP_ANALYSIS_PARALLEL_H_
#define TERN_CORE_LOOP_ANALYSIS_PARALLEL_H_

#include "core/loop/stmt.h"
#include "core/text/diagnostics.h"

namespace tern::loop {

inline constexpr std::string_view kCannotRunAtOnce = "E0531";

// Complains of every parallel loop whose iterations cannot be shown to be independent.
void CheckParallelLoops(const LoopFunction& function, text::Diagnostics* diagnostics);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_ANALYSIS_PARALLEL_H_
