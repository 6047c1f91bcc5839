// SPDX-License-Identifier: Apache-2.0
// The tables of docs/builtins.md, made from the tables of the language, its prelude and the
// operators.
#ifndef TERN_TOOLS_GEN_BUILTINS_MARKDOWN_H_
#define TERN_TOOLS_GEN_BUILTINS_MARKDOWN_H_

#include <span>
#include <string>
#include <string_view>

namespace tern::gen {

// The groups of builtins; each is a pair of marks in the page, <!-- NAME-begin --> and so on.
std::span<const std::string_view> BuiltinGroups();

// One table. prelude: the text of core/lang/prelude.tn.
std::string BuiltinsTable(std::string_view group, std::string_view prelude);

// The page with all tables replaced; empty where a mark is missing.
std::string BuiltinsPage(std::string_view page, std::string_view prelude);

}  // namespace tern::gen

#endif  // TERN_TOOLS_GEN_BUILTINS_MARKDOWN_H_
