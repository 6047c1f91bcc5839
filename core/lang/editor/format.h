// SPDX-License-Identifier: Apache-2.0
// The formatter: one layout for every program, without options. Comments and single blank lines are
// kept. Formatting twice changes nothing, and the formatted text has the same tree.
// tests/fuzz/lang_fuzzer.cc holds it to the former.
#ifndef TERN_CORE_LANG_EDITOR_FORMAT_H_
#define TERN_CORE_LANG_EDITOR_FORMAT_H_

#include <string>

#include "core/lang/parse/ast.h"

namespace tern::lang {

// file: read without errors from that text.
std::string Format(const File& file, std::string_view text);

// Reads and formats a text. A text that is no program gives a status with its errors.
Result<std::string> FormatText(std::string_view file_name, std::string_view text);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_EDITOR_FORMAT_H_
