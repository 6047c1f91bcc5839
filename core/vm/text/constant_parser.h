// SPDX-License-Identifier: Apache-2.0
// Constants as text, as `.const` lines, ExecBuilder::AddConstantText and generated builder code
// write them: none, int 5, float 1.5, float bits 0x7ff8…, bool true, string "text", dtype f32,
// shape [2, 3], f32[2] [1, 2], u4[3] hex 2103, splat f32[1000] 0, tuple (c[0], c[1]).
#ifndef TERN_CORE_VM_TEXT_CONSTANT_PARSER_H_
#define TERN_CORE_VM_TEXT_CONSTANT_PARSER_H_

#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/vm/executable.h"
#include "core/vm/text/line_cursor.h"

namespace tern::vm {

// Reads one constant; nothing where the cursor has failed. Tuples may refer to the constants before
// `constant_count`.
std::optional<Constant> ParseConstant(LineCursor* in, int64_t constant_count);

// The whole text is one constant; the error (E0110) says at which character it is not.
Result<Constant> ParseConstantText(std::string_view text, int64_t constant_count);

// The index in c[…].
int64_t ParseConstantReference(LineCursor* in);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_TEXT_CONSTANT_PARSER_H_
