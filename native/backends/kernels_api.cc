// SPDX-License-Identifier: Apache-2.0
#include "native/backends/kernels_api.h"

#include "core/api/handles.h"
#include "native/backends/kernel_backends.h"

namespace tern::native {
namespace {

Status Prepare(const vm::Program& program, const tern_kernel_options& options) {
  KernelOptions chosen;
  TERN_TRY_ASSIGN(chosen.policy, ParseKernelPolicy(api::TextOr(options.policy, "auto")));
  // == 1 and not != 0: what allows native code must be said exactly.
  chosen.allow_native_code = options.allow_native_code == 1;
  chosen.look_for_llvm = options.look_for_llvm == 1;
  return PrepareKernels(program, chosen);
}

}  // namespace
}  // namespace tern::native

tern_status* tern_program_prepare_kernels(tern_program* program,
                                          const tern_kernel_options* options) {
  TERN_CHECK_OPTIONS(tern_kernel_options, options);
  return tern::api::ToHandle(
      tern::native::Prepare(*program->program, tern::api::ReadOptions(options)));
}
