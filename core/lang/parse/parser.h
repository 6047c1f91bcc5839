// SPDX-License-Identifier: Apache-2.0
// The parser: recursive descent over the tokens of a file, by the grammar of docs/language.md.
//
// It goes on after a mistake at the next ';', '}' or declaration, so that one run reports several.
// It always gives a tree: a kError node stands for what could not be read, and declarations are
// kept as far as they were read. Nesting is limited (kMaxNesting), so that no text overflows the
// stack.
#ifndef TERN_CORE_LANG_PARSE_PARSER_H_
#define TERN_CORE_LANG_PARSE_PARSER_H_

#include <memory>

#include "core/lang/parse/ast.h"
#include "core/text/diagnostics.h"

namespace tern::lang {

inline constexpr int kMaxNesting = 200;

// Reads the file with this index in the sources of the diagnostics, whose text has at most 4 GB,
// because spans have 32 bits. Mistakes are in `diagnostics`; never null.
std::unique_ptr<File> ParseFile(int32_t file, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PARSE_PARSER_H_
