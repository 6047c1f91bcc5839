// SPDX-License-Identifier: Apache-2.0
// The second half of compiling, from a module to an executable. The compilers of models
// (compile.cc) and of programs (compile_source.cc) share it.
#ifndef TERN_CORE_DRIVER_COMPILE_MODULE_H_
#define TERN_CORE_DRIVER_COMPILE_MODULE_H_

#include "core/driver/compile.h"
#include "core/ir/module.h"

namespace tern::driver {

// An option that names a pass or stage that does not exist is an error. first_stage: what the
// module comes from, "import" or "lower".
Status CheckStageNames(const CompileOptions& options, std::string_view first_stage);

// Runs the pipeline over the module and encodes what it leaves. first_stage: as above.
Result<CompileResult> CompileModule(ir::Module module, const CompileOptions& options,
                                    std::string_view first_stage);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_COMPILE_MODULE_H_
