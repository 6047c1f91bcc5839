// SPDX-License-Identifier: Apache-2.0
// Another program as a filter. No shell takes part, so that no name or folder can be read as a part
// of a command.
#ifndef TERN_NATIVE_TUNE_RUN_PROGRAM_H_
#define TERN_NATIVE_TUNE_RUN_PROGRAM_H_

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tern::native {

// What the program writes to its standard output when it reads `input`; its messages are dropped.
// arguments: its name, which is looked for on PATH, and what follows it. Empty: there is no such
// program, or it writes nothing. An error: there is no temporary file for the input to be had.
Result<std::string> OutputOf(std::span<const std::string> arguments, std::string_view input);

}  // namespace tern::native

#endif  // TERN_NATIVE_TUNE_RUN_PROGRAM_H_
