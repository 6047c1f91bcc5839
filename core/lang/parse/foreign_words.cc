// SPDX-License-Identifier: Apache-2.0
#include "core/lang/parse/foreign_words.h"

#include "core/base/strings.h"

namespace tern::lang {

namespace {

// A word that begins a statement in another language, and what to do instead.
struct ForeignWord {
  std::string_view word, message, help;
  std::string_view replacement = {};  // a fix, where it is all that is wrong
};

constexpr ForeignWord kAtStatements[] = {
    {"return", "there is no 'return'",
     "a block is worth its last expression, which has no ';' behind it"},
    {"var", "names are given by 'let'", "a name keeps its value; write let", "let"},
    {"val", "names are given by 'let'", "write let", "let"},
    {"auto", "names are given by 'let'", "write let", "let"},
    {"const", "names are given by 'let'", "every name is constant; write let", "let"},
    {"throw", "there is no 'throw'", "fail(\"why\") ends the run with an error"},
    {"raise", "there is no 'raise'", "fail(\"why\") ends the run with an error"},
    {"import", "there is no 'import'", "a program is one file"},
    {"use", "there is no 'use'", "a program is one file"},
};

// Words that begin a declaration elsewhere. The help names the form that this language has.
constexpr std::string_view kFunctionWords[] = {"def", "func", "function", "fun", "pub", "static"};
constexpr std::string_view kFileWords[] = {"import", "use", "from", "include", "module", "package"};
constexpr std::string_view kTypeWords[] = {"struct", "class",     "enum",
                                           "data",   "interface", "record"};
constexpr std::string_view kConstantWords[] = {"const", "var", "val"};

template <size_t N>
bool IsOneOf(const ParseState& state, const std::string_view (&words)[N]) {
  for (std::string_view word : words) {
    if (state.Peek().text == word) return true;
  }
  return false;
}

// x = 1 looks like a change of x. The two ways to say what is meant are a new `let` and the
// variables of a loop.
bool FailAssignment(ParseState* state, const Expr& name) {
  text::Diagnostic* diagnostic = state->FailAs(
      StrCat("'", name.text, "' keeps its value: there is no assignment"), "not possible here");
  if (diagnostic == nullptr) return true;
  diagnostic->Help(StrCat("let ", name.text, " = … behind it makes a new value of that name"));
  diagnostic->Help("loop and for carry values from turn to turn: docs/language.md");
  return true;
}

}  // namespace

bool FailForeignStatement(ParseState* state, const Expr& before) {
  if (before.kind != ExprKind::kName) return false;
  if (state->Is("=")) return FailAssignment(state, before);
  // On a new line the word was an expression that lacks its ';', for example a variable called
  // `use`.
  if (state->AtNewLine()) return false;
  for (const ForeignWord& foreign : kAtStatements) {
    if (before.text != foreign.word) continue;
    text::Diagnostic* diagnostic =
        state->FailAs(std::string(foreign.message), "a statement cannot go on with this");
    if (diagnostic == nullptr) return true;
    diagnostic->At(before.span, "a word of other languages").Help(foreign.help);
    if (!foreign.replacement.empty()) {
      diagnostic->fixes.push_back({StrCat("write '", foreign.replacement, "'"),
                                   {{before.span, std::string(foreign.replacement)}}});
    }
    return true;
  }
  return false;
}

void FailMutable(ParseState* state) {
  if (state->Peek().text != "mut" || state->Peek(1).kind != TokenKind::kName) return;
  // The fix removes the blank behind `mut` too.
  const Span word = state->Peek().span, gap = {word.file, word.begin, state->Peek(1).span.begin};
  if (text::Diagnostic* diagnostic = state->FailAs("a name keeps its value", "there is no 'mut'"))
    diagnostic->fixes.push_back({"leave out 'mut'", {{gap, ""}}});
  state->Take();
}

bool FailNamedByColon(ParseState* state) {
  const Token &name = state->Peek(), &colon = state->Peek(1);
  if (name.kind != TokenKind::kName || !colon.Is(":")) return false;
  if (text::Diagnostic* diagnostic =
          state->FailAs("an attribute is named by '=', not by ':'", "this names an attribute")) {
    diagnostic->fixes.push_back({StrCat("write '", name.text, " ='"), {{colon.span, " ="}}});
  }
  return true;
}

std::string_view HelpForExpression(const ParseState& state) {
  if (state.Is("fn")) return "functions without a name are written |x| x + 1";
  if (state.Is("else")) return "'else' follows the '}' of an if at once";
  if (state.Is("while")) return "loops are written loop (i = 0) while i < n { i + 1 }";
  if (state.Is("=")) return "a name keeps its value: let x = x + 1 makes a new one";
  if (state.Is("+")) return "there is no '++': let x = x + 1 makes a new value";
  if (state.Is(":")) return "a slice is written x[1..3], a whole axis x[.., 0]";
  if (state.Is("..")) return "a range has both ends; only an index may leave one out, as in x[1..]";
  return {};
}

std::string_view HelpForItem(const ParseState& state) {
  if (IsOneOf(state, kFunctionWords)) return "functions are written fn name(x: int) -> int { … }";
  if (IsOneOf(state, kFileWords)) return "a program is one file";
  if (IsOneOf(state, kTypeWords)) return "types are written type Name { Constructor(int) }";
  if (IsOneOf(state, kConstantWords)) return "constants are written let name = value;";
  return {};
}

}  // namespace tern::lang
