// SPDX-License-Identifier: Apache-2.0
// Constants of the tensor IR as numbers of the loop IR.
#ifndef TERN_CORE_FUSE_LITERAL_H_
#define TERN_CORE_FUSE_LITERAL_H_

#include <optional>

#include "core/ir/expr.h"
#include "core/loop/expr.h"

namespace tern::fuse {

// A constant that is one number everywhere; null for other atoms, and for what loops do not compute
// with. wide: a 16-bit float as the float32 that it is computed with.
loop::Expr LiteralOf(const ir::Expr& atom, bool wide);

// The number that a constant is everywhere; nothing for other atoms.
std::optional<double> NumberOf(const ir::Expr& atom);

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_LITERAL_H_
