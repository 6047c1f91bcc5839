// SPDX-License-Identifier: Apache-2.0
#include "native/cli/executable_bytes.h"

#include <utility>

#include "native/cli/report.h"

namespace tern::cli {

Result<ExecutableBytes> ReadExecutable(const Engine& engine, const std::string& path) {
  ExecutableBytes bytes;
  TERN_TRY_ASSIGN(bytes.file, OpenProgram(path));
  if (bytes.file.kind == ProgramKind::kExecutable) return bytes;
  if (bytes.file.kind == ProgramKind::kAssembly) {
    TERN_TRY_ASSIGN(bytes.made, AssembleFile(engine, path));
    return bytes;
  }
  TERN_TRY_ASSIGN(Compiled compiled,
                  CompileProgram(engine, {.path = path, .disabled_passes = {}, .print_after = {}}));
  bytes.made = std::move(compiled.executable);
  return bytes;
}

Result<Buffer> ListExecutable(const Engine& engine, std::string_view bytes, const char* form) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(
      tern_inspect_executable(engine.runtime.get(), bytes.data(), bytes.size(), form, &raw)));
  return Buffer(raw);
}

}  // namespace tern::cli
