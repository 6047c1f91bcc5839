// SPDX-License-Identifier: Apache-2.0
// Kinds of programs, and standard input read once.
#include "native/cli/program_file.h"

#include <utility>

#include "core/base/strings.h"
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
    program.kind = native::KindOfContents(program.text());
    return program;
  }
  TERN_TRY_ASSIGN(native::MappedFile file, native::MappedFile::Open(path));
  program.name = path;
  program.file = std::make_shared<const native::MappedFile>(std::move(file));
  program.kind = native::KindOfFile(path, program.text());
  return program;
}

ProgramKind KindOfProgram(const std::string& path) {
  if (path != "-") return native::KindOfName(path);
  const Result<ProgramFile> program = OpenProgram(path);
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
