// SPDX-License-Identifier: Apache-2.0
// Modules that run programs have the functions that nearly all programs call. The further ones are
// a part of their own (split_module.py), which the host brings where a program names one of them.
#include "core/api/create_runtime.h"
#include "core/api/handles.h"
#include "core/kernels/bind/bind.h"
#include "core/object/registry.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/builtins/value_builtins.h"

namespace tern::wasm {

// Null until that part has come. Not in an unnamed namespace, where the compiler sees all that is
// stored here and calls it without the pointer: then the linker keeps it in the first part.
extern FunctionPtr (*find_value_builtin)(std::string_view name);
constinit FunctionPtr (*find_value_builtin)(std::string_view name) = nullptr;

namespace {

FunctionPtr FindBuiltin(std::string_view name) {
  FunctionPtr found = vm::FindMachineBuiltin(name);
  return found || find_value_builtin == nullptr ? found : find_value_builtin(name);
}

}  // namespace
}  // namespace tern::wasm

extern "C" {

// Imported: brings the part with the further functions, which registers them. 1 where it came, 0
// where it is there already or cannot be had at once.
__attribute__((import_module("tern"), import_name("host_operators"))) int32_t tern_host_operators(
    void);

tern_status* tern_wasm_runtime_create(const tern_runtime_options* options, tern_runtime** runtime) {
  constexpr tern::api::FoundFunctions kCommon = {&tern::kernels::RegisterCommonOperators,
                                                 &tern::wasm::FindBuiltin};
  tern_status* status = tern::api::CreateRuntime(options, kCommon, runtime);
  // Behind it, because registering asks for names that are not there yet.
  tern::Registry::Global().SetProvider([] { return tern_host_operators() != 0; });
  return status;
}

// What the host calls once, when it has brought that part.
tern_status* tern_wasm_register_operators(void) {
  tern::wasm::find_value_builtin = &tern::vm::FindValueBuiltin;
  return tern::api::ToHandle(tern::kernels::RegisterFurtherOperators(&tern::Registry::Global()));
}

}  // extern "C"
