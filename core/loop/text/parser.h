// SPDX-License-Identifier: Apache-2.0
// Reads .tloop text: `te` definitions with schedules and `primfn` loop functions (docs/loop-ir.md
// has the grammar). Types are checked while reading; what spans several statements by verifier.h.
#ifndef TERN_CORE_LOOP_TEXT_PARSER_H_
#define TERN_CORE_LOOP_TEXT_PARSER_H_

#include <string_view>

#include "core/base/result.h"
#include "core/loop/source_file.h"

namespace tern::loop {

// The result is verified. Errors carry diagnostics with spans (text/diagnostics.h); a syntax error
// ends the reading, others are reported together.
Result<SourceFile> ParseLoops(std::string_view file_name, std::string_view text);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_TEXT_PARSER_H_
