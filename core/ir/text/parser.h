// SPDX-License-Identifier: Apache-2.0
// Reads the text form of a module (printer.h). Types of bindings are inferred and compared with
// those that are written, which may be left out. Constants that are named get contents in their
// line, or made up from their name:
//
//   const @w: f32[16, 3, 3, 3]              numbers from -1 to 1 that depend on the name
//   const @z: f32[4] = 0                    all elements
//   const @b: f32[4] = [1, 2, 3, 4]         each
//
// Small ones stand in place: f32 0.5, i64 [1, 2], string ["a"]. Elements are of any type but
// complex numbers.
//
// Control flow (control.h) is written with blocks in braces, whose last line is their result:
//
//   type Tree['a] { Leaf, Node('a, Tree['a], Tree['a]) }
//   private fn count(%n: int) -> int { … }  may be removed: nothing outside calls it
//   primitive fn f(…) { … }                 one kernel's worth of operators (fuse_ops)
//   primitive fn f(…) { te f(…) -> (…) { … } … }    the same as a loop program (docs/loop-ir.md)
//   let %y = if %c { … result %a } else { … result %b }
//   let %z = switch Tree %t { Node(%value, _, %right) => { … } else => { … } }
//   let %f = lambda(%x: int) { … result %r }
//   rec %even: fn(int) -> bool, %odd: fn(int) -> bool    announces lambdas that mention each other
//   let %s = add.scalar(%i, 1)              scalars.def; 1 is an int, 1.0 a float, "a" a string
//   let %t = construct Tree.Node(%s, %l, %r)
//   let %g = closure @count(%n)             count with its last parameters captured
//   let %h = %g(%x)                         calls a closure; count(%x) or @count(%x) a function
//   let %k = primitive "name"(%x): type     effect "name"(…) where calling it does something
//   let %l = tail count(%x)                 in place of this frame (mark_tail_calls)
//   let %m = fatal "message": type
//   let %o = device_copy %x to 1
//
// A function may be called before it is defined if its result type is written. An argument may be a
// value in place, add(exp(%x), %y): then types are not known before to_a_normal_form has bound it.
//
// Comments run from // or ;; to the end of the line. All errors are in the diagnostics, with their
// places.
#ifndef TERN_CORE_IR_TEXT_PARSER_H_
#define TERN_CORE_IR_TEXT_PARSER_H_

#include <string_view>

#include "core/ir/module.h"
#include "core/text/diagnostics.h"

namespace tern::ir {

// On failure the Status carries the diagnostics.
Result<Module> ParseModule(std::string_view file_name, std::string_view text);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_TEXT_PARSER_H_
