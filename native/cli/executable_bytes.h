// SPDX-License-Identifier: Apache-2.0
// The executable that a file of any kind is or becomes, as bytes: without linking, so that a
// program can be looked at which calls what this build lacks.
#ifndef TERN_NATIVE_CLI_EXECUTABLE_BYTES_H_
#define TERN_NATIVE_CLI_EXECUTABLE_BYTES_H_

#include <string>
#include <string_view>

#include "native/cli/command.h"
#include "native/cli/program_file.h"

namespace tern::cli {

struct ExecutableBytes {
  ProgramFile file;  // an executable as it is, or
  Buffer made;       // what became of another program
  std::string_view text() const { return made == nullptr ? file.text() : Text(made); }
};
Result<ExecutableBytes> ReadExecutable(const Engine& engine, const std::string& path);

// In one of the forms of tern_program_inspect.
Result<Buffer> ListExecutable(const Engine& engine, std::string_view bytes, const char* form);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_EXECUTABLE_BYTES_H_
