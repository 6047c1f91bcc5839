// SPDX-License-Identifier: Apache-2.0
// Proves that an index of loops stays inside its buffer. Analysis of dependences relies on it, and
// so does the pass hoist_invariants, which may load only what exists.
#ifndef TERN_CORE_LOOP_ANALYSIS_INSIDE_H_
#define TERN_CORE_LOOP_ANALYSIS_INSIDE_H_

#include <span>

#include "core/loop/analysis/simplifier.h"
#include "core/loop/stmt.h"

namespace tern::loop {

// True only where it is proven that the buffer has the element, whatever the variables of the loops
// around are: from the least to the greatest index, inner loops first, as their ranges may depend
// on the outer ones. around: outermost first. index: the only one, of kIndexType, else false.
bool IsInsideBuffer(const Simplifier& simplifier, std::span<const For* const> around,
                    const Expr& index, const Buffer& buffer);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_ANALYSIS_INSIDE_H_
