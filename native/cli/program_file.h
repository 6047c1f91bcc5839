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

// Opens a program. The ending of its name tells the kind, except of executables, which begin with a
// mark. The contents of standard input tell its kind; they are kept, so that it can be opened
// again.
Result<ProgramFile> OpenProgram(const std::string& path);

// The same for verbs that read text: E0604 says what a file is that holds other bytes, of which a
// reader of text would print pages of complaints.
Result<ProgramFile> OpenText(const std::string& path);

// The kind alone. Standard input that cannot be read counts as a model, whose reader reports it.
ProgramKind KindOfProgram(const std::string& path);

// A file of anything else. E0007 where standard input was read before.
Result<native::MappedFile> OpenData(const std::string& path);

// Reserves standard input for a reader; E0007 if it has one. `reader` names it in messages and must
// live as long as the process.
Status ClaimStandardInput(std::string_view reader);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_PROGRAM_FILE_H_
