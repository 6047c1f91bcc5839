// SPDX-License-Identifier: Apache-2.0
// Reads .tloop text: `te` definitions with schedules and `primfn` loop functions (docs/loop-ir.md
// has the grammar). Types are checked while reading; what spans several statements by verifier.h.
#ifndef TERN_CORE_LOOP_TEXT_PARSER_H_
#define TERN_CORE_LOOP_TEXT_PARSER_H_

#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/loop/source_file.h"
#include "core/text/diagnostics.h"

namespace tern::loop {

// The result is verified. Errors carry diagnostics with spans (text/diagnostics.h); a syntax error
// ends the reading, others are reported together.
Result<SourceFile> ParseLoops(std::string_view file_name, std::string_view text);

// A definition that stands in a file of another language, from its name on: what comes before the
// name ("te", "kernel") is the other language's. where: a place in the sources of the diagnostics;
// reading ends with it at the latest, and its end becomes that of the definition. Verified; nothing
// where something was wrong.
std::optional<te::Definition> ParseDefinitionAt(text::Span* where, text::Diagnostics* diagnostics);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_TEXT_PARSER_H_
