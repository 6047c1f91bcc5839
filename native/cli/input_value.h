// SPDX-License-Identifier: Apache-2.0
// Inputs that are neither tensors nor scalars: lists, tuples, maps and values of declared types.
// Their grammar is that of the language: a value is the body of a function without parameters that
// returns the parameter's type, and what that returns is the input. So there is no second grammar,
// and no second check of types.
#ifndef TERN_NATIVE_CLI_INPUT_VALUE_H_
#define TERN_NATIVE_CLI_INPUT_VALUE_H_

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "native/cli/handles.h"

namespace tern::cli {

struct Engine;
struct NamedArray;
struct ParamInfo;

// Whether the parameter takes values in this grammar: its type holds several, or it has none and
// the text begins as one that does.
bool TakesLiteral(const ParamInfo& param, std::string_view value);

// The text of a program whose @main gives the value. origin: the whole input, for messages.
Result<std::string> ProgramOfValue(const ParamInfo& param, std::string_view value,
                                   std::string_view origin);

// What the program of an input gives. E0004 where it is no program or gives a function.
Result<Value> ValueOf(const Engine& engine, const NamedArray& input);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_INPUT_VALUE_H_
