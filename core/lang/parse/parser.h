// SPDX-License-Identifier: Apache-2.0
// The parser: recursive descent over the tokens of a file, by the grammar of docs/language.md.
//
// It goes on after a mistake at the next ';', '}' or declaration, so that one run tells several,
// and gives a tree in any case: what could not be read is a kError node, declarations are kept as
// far as they go. Nesting is limited (kMaxNesting), so that no text overflows the stack.
#ifndef TERN_CORE_LANG_PARSE_PARSER_H_
#define TERN_CORE_LANG_PARSE_PARSER_H_

#include <memory>

#include "core/lang/parse/ast.h"
#include "core/text/diagnostics.h"

namespace tern::lang {

inline constexpr int kMaxNesting = 200;

// file: of the diagnostics' sources; at most 4 GB.
std::unique_ptr<File> ParseFile(int32_t file, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PARSE_PARSER_H_
