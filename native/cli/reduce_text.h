// SPDX-License-Identifier: Apache-2.0
// Makes the text of a program smaller while a check holds: whole functions, then nested blocks,
// then lines.
#ifndef TERN_NATIVE_CLI_REDUCE_TEXT_H_
#define TERN_NATIVE_CLI_REDUCE_TEXT_H_

#include <functional>
#include <string>
#include <string_view>

namespace tern::cli {

using HoldsFor = std::function<bool(std::string_view bytes)>;

// `text` is one for which the check holds. Blocks are what stands between braces; of assembly text,
// which has none, what begins with `.func`.
std::string ReduceText(std::string text, const HoldsFor& holds);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_REDUCE_TEXT_H_
