// SPDX-License-Identifier: Apache-2.0
// Answers what an editor asks about a program, by the same reader that compiles it; programs with
// mistakes are answered as far as they are understood. Every question reads the text anew, so there
// is no state between them, and threads may ask at once. Offsets are bytes of UTF-8. JSON:
//
//   tokens      [{"begin", "end", "kind"}]: keyword, function, parameter, variable, dimension,
//               constructor, type, operator, number, string, comment, punctuation
//   hover       {"begin", "end", "text", "note"} of what stands at the offset, or null: its type,
//               and what it is
//   definition  {"file", "begin", "end"} of the name at the offset, or null
//   complete    [{"label", "kind", "detail"}]: names that could be written at the offset
//   symbols     [{"name", "kind", "detail", "begin", "end"}]: what the file declares
#ifndef TERN_CORE_LANG_EDITOR_EDITOR_H_
#define TERN_CORE_LANG_EDITOR_EDITOR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/lang/program.h"

namespace tern::lang {

// prelude: as for Check.
std::string TokensJson(std::string_view text, const PreludePtr& prelude = nullptr);
std::string HoverJson(std::string_view text, uint32_t offset, const PreludePtr& prelude = nullptr);
std::string DefinitionJson(std::string_view text, uint32_t offset,
                           const PreludePtr& prelude = nullptr);
std::string CompleteJson(std::string_view text, uint32_t offset,
                         const PreludePtr& prelude = nullptr);
std::string SymbolsJson(std::string_view text, const PreludePtr& prelude = nullptr);

// One of the above by name; an error for another name.
Result<std::string> AnswerQuestion(std::string_view question, std::string_view text,
                                   uint32_t offset, const PreludePtr& prelude = nullptr);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_EDITOR_EDITOR_H_
