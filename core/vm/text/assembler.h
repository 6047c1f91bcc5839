// SPDX-License-Identifier: Apache-2.0
// Assembly text (.tasm) to executable. Assemble(Disassemble(x)) is x, byte for byte.
//
//   ; a comment
//   .meta "key" = "value"
//   .const c[0] = f32[2, 2] [1, 2, 3, 4]      constants, numbered from 0; kinds:
//                                             none | int 5 | float 1.5 | bool true | string "text"
//                                             | dtype f32 | shape [2, 3] | f32[2] [1, 2] | f32[2]
//                                             hex 0000803f00000040 | splat f32[1000] 0 | tuple
//                                             (c[0], c[1]) | float bits 0x7ff8…
//   .kernel "f" "loop" text "te f(…) …"       a kernel that travels along; other bytes: hex 0a1b…
//   .primitive conv2d{strides=2,2}            only to fix the order of the table
//   .func @main(x: f32[n], %1) -> f32[n]      a signature (signature.h); the function ends at the
//   next or at the end
//     .name %2 hidden                         a register's name
//     .loc "node 7" 12:3                      what the next instruction was made from
//   again:                                    a label
//     call  add        in: %0, c[0]  dst: %2  operands in the order of docs/isa.md
//     if    %2 true: again false: +1          jumps: a label or an offset
//     ret   ret %2
//
// Where an instruction takes a value, a literal may stand for a constant: 1.5, true, "text", or a
// kind as above. Registers that leave gaps are renamed densely. Errors carry line, column and what
// was expected.
#ifndef TERN_CORE_VM_TEXT_ASSEMBLER_H_
#define TERN_CORE_VM_TEXT_ASSEMBLER_H_

#include <string_view>

#include "core/base/result.h"
#include "core/text/diagnostics.h"
#include "core/vm/executable.h"

namespace tern::vm {

// All errors are in the status's diagnostics; warnings go to `warnings`, if any is given.
Result<ExecutablePtr> Assemble(std::string_view text, std::string_view source_name,
                               text::Diagnostics* warnings = nullptr);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_TEXT_ASSEMBLER_H_
