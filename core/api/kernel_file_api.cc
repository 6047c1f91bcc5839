// SPDX-License-Identifier: Apache-2.0
// An executable with other kernels.
#include "core/api/handles.h"
#include "core/vm/executable.h"
#include "core/vm/file/writer.h"

namespace tern::api {
namespace {

Result<tern_buffer*> SaveWithKernels(const vm::Executable& executable, const tern_kernel* kernels,
                                     uint32_t count) {
  // A file that is read on demand has constants that were not read yet; they must be written.
  TERN_TRY(executable.LoadAllConstants());
  vm::ExecutableParts parts = executable.parts();
  parts.kernels.clear();
  for (const tern_kernel& kernel : std::span(kernels, count)) {
    parts.kernels.push_back(
        {kernel.name, kernel.format,
         std::string(static_cast<const char*>(kernel.bytes), static_cast<size_t>(kernel.size))});
  }
  // Makes and so verifies it again: the file must load.
  TERN_TRY_ASSIGN(const vm::ExecutablePtr changed, vm::Executable::Make(std::move(parts)));
  return NewBuffer(vm::SaveExecutable(*changed));
}

}  // namespace
}  // namespace tern::api

tern_status* tern_program_save_with_kernels(tern_program* program, const tern_kernel* kernels,
                                            uint32_t count, tern_buffer** executable) {
  tern::Result<tern_buffer*> saved =
      tern::api::SaveWithKernels(program->program->executable(), kernels, count);
  if (!saved.ok()) return tern::api::ToHandle(std::move(saved).status());
  *executable = *saved;
  return nullptr;
}
