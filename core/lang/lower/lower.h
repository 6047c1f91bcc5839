// SPDX-License-Identifier: Apache-2.0
// From a checked program to a module of the IR: nested patterns become switches of one level, loops
// become local functions that call themselves last, what operators and primitives were chosen by
// types is written out. Every binding's origin is its place in the source.
#ifndef TERN_CORE_LANG_LOWER_LOWER_H_
#define TERN_CORE_LANG_LOWER_LOWER_H_

#include "core/ir/module.h"
#include "core/lang/program.h"

namespace tern::lang {

// program: checked without errors. The program's own functions are public, those of the prelude
// that it uses private. Errors are few: what can only be told here.
ir::Module Lower(const Program& program, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_LOWER_LOWER_H_
