// SPDX-License-Identifier: Apache-2.0
// The words of .tloop text: what may be the name of something, for whoever reads, prints or makes
// programs.
#ifndef TERN_CORE_LOOP_WORDS_H_
#define TERN_CORE_LOOP_WORDS_H_

#include <string_view>

namespace tern::loop {

// Letters, digits, '_' and '.', no digit or '.' first.
bool IsName(std::string_view text);

// "float32", "int8x16".
bool IsTypeName(std::string_view name);

// Words that an expression may begin with and that are not the program's own names: functions,
// types, constants.
bool IsExpressionWord(std::string_view name);

// Those, and the words of statements and definitions: what is called so cannot be read back.
bool IsReservedName(std::string_view name);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_WORDS_H_
