// SPDX-License-Identifier: Apache-2.0
// Primitive functions get their loop program (define_group.h). Functions that have one, and those
// that no formula says, stay as they are.
#ifndef TERN_CORE_FUSE_LOWER_GROUPS_H_
#define TERN_CORE_FUSE_LOWER_GROUPS_H_

#include "core/ir/passes/pass.h"

namespace tern::fuse {

ir::Module LowerGroups(const ir::Module& module, const ir::PassContext& context);

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_LOWER_GROUPS_H_
