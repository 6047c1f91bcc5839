// SPDX-License-Identifier: Apache-2.0
// Reads the text form of a module (printer.h). Types of bindings are inferred and compared with
// those that are written, which may be left out. Constants that are named get contents in their
// line, or made up from their name:
//
//   const @w: f32[16, 3, 3, 3]              numbers from -1 to 1 that depend on the name
//   const @z: f32[4] = 0                    all elements
//   const @b: f32[4] = [1, 2, 3, 4]         each
//
// Comments run from // or ;; to the end of the line. All errors are in the diagnostics, with their
// places.
#ifndef TERN_CORE_IR_PARSER_H_
#define TERN_CORE_IR_PARSER_H_

#include <string_view>

#include "core/ir/module.h"
#include "core/text/diagnostics.h"

namespace tern::ir {

// On failure the Status carries the diagnostics.
Result<Module> ParseModule(std::string_view file_name, std::string_view text);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PARSER_H_
