// SPDX-License-Identifier: Apache-2.0
// Tells kinds of programs, and reads standard input once. Standard() is the only state of the
// process in this folder: standard input cannot be read again, so somebody has to remember who has
// read it.
#include "native/cli/program_file.h"

#include <utility>

#include "core/base/strings.h"
#include "native/cli/model.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct StandardInput {
  std::string_view reader;  // empty: nobody has read it
  std::shared_ptr<const native::MappedFile> program;
};
StandardInput& Standard() {
  static StandardInput input;
  return input;
}

// Kept after the first reading, because commands open a program several times: for its kind, its
// text, its name.
Status ReadStandardInput() {
  StandardInput& input = Standard();
  if (input.program != nullptr) return OkStatus();
  TERN_TRY(ClaimStandardInput("the program"));
  TERN_TRY_ASSIGN(native::MappedFile file, native::MappedFile::Open("-"));
  input.program = std::make_shared<const native::MappedFile>(std::move(file));
  return OkStatus();
}

}  // namespace

Result<ProgramFile> OpenProgram(const std::string& path) {
  ProgramFile program;
  if (path == "-") {
    TERN_TRY(ReadStandardInput());
    program.name = "<stdin>";
    program.file = Standard().program;
    // Standard input has no name, so its contents tell the kind.
    program.kind = native::KindOfContents(program.text());
    return program;
  }
  TERN_TRY_ASSIGN(native::MappedFile file, native::MappedFile::Open(path));
  program.name = path;
  program.file = std::make_shared<const native::MappedFile>(std::move(file));
  program.kind = native::KindOfFile(path, program.text());
  return program;
}

Result<ProgramFile> OpenText(const std::string& path) {
  TERN_TRY_ASSIGN(ProgramFile file, OpenProgram(path));
  // A stray control character is for the reader, which tells its place; no text has a zero.
  constexpr size_t kLookedAt = 4096;
  if (file.text().substr(0, kLookedAt).find('\0') == std::string_view::npos) return file;
  const std::string_view kind = ForeignKind(file.file->bytes());
  return InvalidArgument("'", file.name, "' is not text",
                         kind.empty() ? "" : StrCat(": it is ", kind))
      .SetErrorCode("E0604");
}

ProgramKind KindOfProgram(const std::string& path) {
  if (path != "-") return native::KindOfName(path);
  const Result<ProgramFile> program = OpenProgram(path);
  // The reader of models then gives the error of reading.
  return program.ok() ? program->kind : ProgramKind::kOnnx;
}

Result<native::MappedFile> OpenData(const std::string& path) {
  if (path == "-") TERN_TRY(ClaimStandardInput("an input"));
  return native::MappedFile::Open(path);
}

Status ClaimStandardInput(std::string_view reader) {
  StandardInput& input = Standard();
  if (!input.reader.empty())
    return UsageError("E0007", StrCat("standard input is given twice: to ", input.reader,
                                      " and to ", reader))
        .AddNote("help: it can be read once; write one of them to a file")
        .Clone();
  input.reader = reader;
  return OkStatus();
}

}  // namespace tern::cli
