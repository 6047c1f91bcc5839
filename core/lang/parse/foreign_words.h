// SPDX-License-Identifier: Apache-2.0
// Messages for words of other languages: a user who writes `return` or `mut` is told what this
// language has instead. Only the parser (parse_expr.cc, parser.cc) uses them.
#ifndef TERN_CORE_LANG_PARSE_FOREIGN_WORDS_H_
#define TERN_CORE_LANG_PARSE_FOREIGN_WORDS_H_

#include "core/lang/parse/parse_state.h"

namespace tern::lang {

// For an expression that a statement cannot go on after: "return 1", "var x = 1", "x = 2". True if
// an error was reported; no token is skipped.
bool FailForeignStatement(ParseState* state, const Expr& before);

// Reports and takes a "mut" between let and a name.
void FailMutable(ParseState* state);

// Reports "axis: 1" among arguments, as other languages name them. True if that is what comes next;
// no token is skipped.
bool FailNamedByColon(ParseState* state);

// The help where an expression is expected and the next token begins none; empty if there is none.
std::string_view HelpForExpression(const ParseState& state);

// The same where a declaration is expected.
std::string_view HelpForItem(const ParseState& state);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PARSE_FOREIGN_WORDS_H_
