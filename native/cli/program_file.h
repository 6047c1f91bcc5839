// SPDX-License-Identifier: Apache-2.0
// The files that a command reads: its program, of whichever kind, and arrays. "-" is standard
// input; a command may name it once.
#ifndef TERN_NATIVE_CLI_PROGRAM_FILE_H_
#define TERN_NATIVE_CLI_PROGRAM_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "native/platform/mapped_file.h"
#include "native/platform/program_kind.h"

namespace tern::cli {

using native::ProgramKind;

struct ProgramFile {
  ProgramKind kind = ProgramKind::kOnnx;
  std::string name;  // for messages: the path, or "<stdin>"
  std::shared_ptr<const native::MappedFile> file;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  }
};

// The ending of the name tells the kind, but of executables, which have a mark. The contents tell
// it of standard input, which is kept, so that it can be asked for again.
Result<ProgramFile> OpenProgram(const std::string& path);

// The kind alone. Standard input that cannot be read counts as a model, whose reader reports it.
ProgramKind KindOfProgram(const std::string& path);

// A file of anything else. E0007 where standard input was read before.
Result<native::MappedFile> OpenData(const std::string& path);

// Standard input is the reader's, a text that lives as long as the program; E0007 where it has one.
Status ClaimStandardInput(std::string_view reader);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_PROGRAM_FILE_H_
