// SPDX-License-Identifier: Apache-2.0
#include "core/fuse/lower_groups.h"

#include "core/fuse/define_group.h"

namespace tern::fuse {

ir::Module LowerGroups(const ir::Module& module, const ir::PassContext& context) {
  ir::Module result = module;
  Formulas formulas;
  for (const ir::Module::Item& item : module.items()) {
    if (!item.is_primitive || item.kernel != nullptr) continue;
    result.SetKernel(item.name,
                     DefineGroup(item.name, *item.function, context.relaxed_math, &formulas));
  }
  return result;
}

}  // namespace tern::fuse
