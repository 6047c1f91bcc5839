// SPDX-License-Identifier: Apache-2.0
// Runtimes of programs that are linked without some functions at first (wasm/functions.cc).
#ifndef TERN_CORE_API_CREATE_RUNTIME_H_
#define TERN_CORE_API_CREATE_RUNTIME_H_

#include <string_view>

#include "core/api/c_api.h"
#include "core/base/status.h"
#include "core/object/function.h"
#include "core/object/registry.h"

namespace tern::api {

// The functions that programs find: all there are, or as many as the linker is to keep.
struct FoundFunctions {
  Status (*register_operators)(Registry* registry);    // kernels::RegisterOperators
  FunctionPtr (*find_builtin)(std::string_view name);  // vm::FindBuiltin
};

// tern_runtime_create with these functions; operators are registered by the first call in a
// process. A program that never calls tern_runtime_create itself is linked with no others.
tern_status* CreateRuntime(const tern_runtime_options* options, const FoundFunctions& found,
                           tern_runtime** runtime);

}  // namespace tern::api

#endif  // TERN_CORE_API_CREATE_RUNTIME_H_
