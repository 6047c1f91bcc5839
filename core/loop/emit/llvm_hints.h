// SPDX-License-Identifier: Apache-2.0
// LLVM IR with comments that say what its scalable vectors are on a machine of one vscale. They are
// for people; the C interface gives such text to pages.
#ifndef TERN_CORE_LOOP_EMIT_LLVM_HINTS_H_
#define TERN_CORE_LOOP_EMIT_LLVM_HINTS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tern::loop {

// The same IR: "; vscale 2: <vscale x 4 x float> is 8 x float, 256 bits" behind every line of a
// function's body that names a scalable type or llvm.vscale.
std::string WithVScaleHints(std::string_view ir, int64_t vscale);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_LLVM_HINTS_H_
