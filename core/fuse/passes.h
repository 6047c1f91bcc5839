// SPDX-License-Identifier: Apache-2.0
// The passes that put operators into loop programs. They are passes over the IR like those of
// core/ir/passes, and stand here because they know loops.
#ifndef TERN_CORE_FUSE_PASSES_H_
#define TERN_CORE_FUSE_PASSES_H_

#include <span>

#include "core/ir/passes/pass.h"

namespace tern::fuse {

// In the order of passes.def.
std::span<const ir::PassInfo> AllPasses();

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_PASSES_H_
