// SPDX-License-Identifier: Apache-2.0
// Tensor expressions to loops: one nest per tensor, arranged by the schedule. Reductions get a
// scalar accumulator where their loops are inside all others, else the tensor itself is it.
#ifndef TERN_CORE_LOOP_TE_LOWER_H_
#define TERN_CORE_LOOP_TE_LOWER_H_

#include <memory>

#include "core/base/result.h"
#include "core/loop/te/te.h"

namespace tern::loop::te {

// The parameters are the inputs, the results, then a workspace for each tensor between that is not
// computed inside another's loops. sources: for rendering spans.
Result<LoopFunction> LowerDefinition(const Definition& definition,
                                     std::shared_ptr<const text::SourceMap> sources = nullptr);

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_LOWER_H_
