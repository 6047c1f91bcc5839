// SPDX-License-Identifier: Apache-2.0
// What somebody writes who comes from another language, told by its name. Inside core/lang only.
#ifndef TERN_CORE_LANG_PARSE_FOREIGN_WORDS_H_
#define TERN_CORE_LANG_PARSE_FOREIGN_WORDS_H_

#include "core/lang/parse/parse_state.h"

namespace tern::lang {

// Behind an expression that a statement cannot go on from: "return 1", "var x = 1", "x = 2". True
// where it was told what is meant; nothing is skipped.
bool FailForeignStatement(ParseState* state, const Expr& before);

// "mut" between let and a name: told, and taken.
void FailMutable(ParseState* state);

// What to say where an expression is expected and the next token begins none; empty: nothing.
std::string_view HelpForExpression(const ParseState& state);

// The same where a declaration is expected.
std::string_view HelpForItem(const ParseState& state);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PARSE_FOREIGN_WORDS_H_
