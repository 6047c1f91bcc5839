// SPDX-License-Identifier: Apache-2.0
// From a checked program to a module of the IR (core/ir): nested patterns become switches of one
// level, loops become local functions whose last step is to call themselves, and what inference
// chose for operators and primitives is written out. The origin of every binding is its place in
// the source.
#ifndef TERN_CORE_LANG_LOWER_LOWER_H_
#define TERN_CORE_LANG_LOWER_LOWER_H_

#include "core/ir/module.h"
#include "core/lang/program.h"

namespace tern::lang {

// program: checked without errors; other programs end the process. The program's own functions are
// public, those of the prelude that it uses are private. The few errors are those that only
// lowering can tell, such as a dimension that no tensor in scope has. Functions are missing where
// the memory account of this thread is over its limit.
ir::Module Lower(const Program& program, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_LOWER_LOWER_H_
