// SPDX-License-Identifier: Apache-2.0
#include "native/backends/kernels_api.h"

#include <algorithm>
#include <memory>

#include "core/api/handles.h"
#include "native/backends/kernel_backends.h"
#include "native/backends/kernel_library.h"

namespace tern::native {
namespace {

Status Prepare(const tern_program& program, const tern_kernel_options& options) {
  KernelOptions chosen;
  for (const std::shared_ptr<const void>& library : program.runtime->code_libraries)
    chosen.libraries.push_back(std::static_pointer_cast<const CodeLibrary>(library));
  TERN_TRY_ASSIGN(chosen.policy, ParseKernelPolicy(api::TextOr(options.policy, "auto")));
  // == 1 and not != 0: what allows native code must be said exactly.
  chosen.allow_native_code = options.allow_native_code == 1;
  chosen.look_for_llvm = options.look_for_llvm == 1;
  return PrepareKernels(*program.program, chosen);
}

const FunctionPtr* FindKernel(const std::vector<FunctionPtr>& kernels, std::string_view name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const FunctionPtr& kernel) {
    return kernel->name() == name;
  });
  return found == kernels.end() ? nullptr : &*found;
}

void AddCode(tern_runtime* runtime, const std::shared_ptr<const CodeLibrary>& code) {
  for (const std::shared_ptr<const void>& loaded : runtime->code_libraries) {
    if (*std::static_pointer_cast<const CodeLibrary>(loaded) == *code) return;
  }
  runtime->code_libraries.push_back(code);
}

Status LoadKernels(tern_runtime* runtime, const std::string& path, int32_t allow_native_code) {
  // == 1 here, too. Refused before the file is looked at.
  if (allow_native_code != 1)
    return std::move(
        InvalidArgument("kernel library '", path, "': native code is not allowed here")
            .SetErrorCode("E0003")
            .AddNote("help: --allow-native-code, or allow_native_code of the interfaces, allows "
                     "it; such code can do whatever this process can"));
  TERN_TRY_ASSIGN(const KernelLibrary library, OpenKernelLibrary(path));
  std::vector<FunctionPtr> added;
  for (const FunctionPtr& kernel : library.functions) {
    const FunctionPtr* const loaded = FindKernel(runtime->functions, kernel->name());
    if (loaded == nullptr) {
      added.push_back(kernel);
    } else if (!AreOneKernel(**loaded, *kernel)) {
      return std::move(InvalidArgument("kernel library '", path, "': '", kernel->name(),
                                       "' is in another library that was loaded before")
                           .SetErrorCode("E0808"));
    }
  }
  runtime->functions.insert(runtime->functions.end(), added.begin(), added.end());
  if (library.code != nullptr) AddCode(runtime, library.code);
  return OkStatus();
}

}  // namespace
}  // namespace tern::native

tern_status* tern_program_prepare_kernels(tern_program* program,
                                          const tern_kernel_options* options) {
  TERN_CHECK_OPTIONS(tern_kernel_options, options);
  return tern::api::ToHandle(
      tern::native::Prepare(*program, tern::api::ReadOptions(options)));
}

tern_status* tern_runtime_load_kernels(tern_runtime* runtime, const char* path,
                                       int32_t allow_native_code) {
  return tern::api::ToHandle(tern::native::LoadKernels(
      runtime, std::string(tern::api::TextOr(path, "")), allow_native_code));
}
