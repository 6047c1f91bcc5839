// SPDX-License-Identifier: Apache-2.0
// A function of operators as a loop program: one `te` definition (docs/loop-ir.md), put together of
// the formulas of formulas.def, with a schedule that runs vectors along the last axis.
#ifndef TERN_CORE_FUSE_DEFINE_GROUP_H_
#define TERN_CORE_FUSE_DEFINE_GROUP_H_

#include <string_view>

#include "core/fuse/formulas.h"
#include "core/ir/expr.h"
#include "core/loop/te/te.h"

namespace tern::fuse {

// Of elementwise operators of one shape, reductions of it, and elementwise operators on what these
// leave. The dimensions of parameters are numbers and symbols that stand alone. Null where loops
// cannot say what the function does.
// relaxed: it may round a * b + c once.
loop::te::DefinitionPtr DefineGroup(std::string_view name, const ir::Function& function,
                                    bool relaxed, Formulas* formulas);

// The same definition by another name.
loop::te::DefinitionPtr Renamed(const loop::te::Definition& definition, std::string_view name);

// Whether a size may be called so in a definition that DefineGroup makes.
bool IsSizeName(std::string_view name);

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_DEFINE_GROUP_H_
