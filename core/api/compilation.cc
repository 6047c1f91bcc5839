// SPDX-License-Identifier: Apache-2.0
#include "core/api/compilation.h"

#include "core/api/handles.h"
#include "core/vm/file/writer.h"

namespace tern::api {

// For CompileOnnx and CompileSource: the options that both share. Strings are copied, because the
// caller's need not outlive the call.
driver::CompileOptions CompileOptionsOf(const tern_runtime* runtime,
                                        const tern_compile_options& options,
                                        std::string_view name) {
  driver::CompileOptions compile;
  compile.source_name = TextOr(options.source_name, name);
  compile.disabled_passes = SplitNames(options.disabled_passes);
  compile.print_after = SplitNames(options.print_after);
  compile.relaxed_math = options.relaxed_math != 0;
  if (runtime != nullptr) compile.kernels = runtime->kernels;
  return compile;
}

// The results of a compilation as buffers, which the caller frees.
tern_status* Give(const Result<driver::CompileResult>& compiled, tern_buffer** executable,
                  tern_buffer** stages) {
  if (!compiled.ok()) return ToHandle(compiled.status().Clone());
  *executable = NewBuffer(vm::SaveExecutable(*compiled->executable));
  if (stages != nullptr) *stages = NewBuffer(driver::StagesJson(compiled->stages));
  return nullptr;
}

}  // namespace tern::api
