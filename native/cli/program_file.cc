// SPDX-License-Identifier: Apache-2.0
// Kinds of programs, and standard input read once.
#include "native/cli/program_file.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

constexpr std::string_view kExecutableMagic = "\x89TERN";  // as core/vm/format.h begins a file

struct StandardInput {
  std::string_view reader;  // empty: nobody has read it
  std::shared_ptr<const native::MappedFile> program;
};
StandardInput& Standard() {
  static StandardInput input;
  return input;
}

bool IsText(std::string_view bytes) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' && c != '\r';
  };
  return !bytes.empty() && std::none_of(bytes.begin(), bytes.end(), is_control);
}

// The first line that is neither empty nor a comment.
std::string_view FirstStatement(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = StrTrim(text.substr(0, end));
    if (!line.empty() && !line.starts_with(';') && !line.starts_with("//")) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

ProgramKind KindOfContents(std::string_view bytes) {
  if (bytes.starts_with(kExecutableMagic)) return ProgramKind::kExecutable;
  if (!IsText(bytes)) return ProgramKind::kOnnx;
  const std::string_view line = FirstStatement(bytes);
  if (line.starts_with('.')) return ProgramKind::kAssembly;
  if (line.starts_with("primfn ") || line.starts_with("te ")) return ProgramKind::kLoops;
  return ProgramKind::kSource;
}

ProgramKind KindOfName(std::string_view path) {
  if (path.ends_with(".tasm")) return ProgramKind::kAssembly;
  if (path.ends_with(".tn")) return ProgramKind::kSource;
  if (path.ends_with(".tloop")) return ProgramKind::kLoops;
  return path.ends_with(".tern") ? ProgramKind::kExecutable : ProgramKind::kOnnx;
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
    program.kind = KindOfContents(program.text());
    return program;
  }
  TERN_TRY_ASSIGN(native::MappedFile file, native::MappedFile::Open(path));
  program.name = path;
  program.file = std::make_shared<const native::MappedFile>(std::move(file));
  program.kind =
      program.text().starts_with(kExecutableMagic) ? ProgramKind::kExecutable : KindOfName(path);
  return program;
}

ProgramKind KindOfProgram(const std::string& path) {
  if (path != "-") return KindOfName(path);
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
