// SPDX-License-Identifier: Apache-2.0
// Kernels of programs: what they are, their code as functions, the backends that machines take.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/vm/kernel_function.h"
#include "core/vm/program_kernels.h"

namespace tern::api {
namespace {

Result<std::string_view> KernelBytes(const tern_program& program, std::string_view name,
                                     std::string_view format) {
  for (const vm::KernelInfo& kernel : program.program->executable().kernels()) {
    if (kernel.name == name && kernel.format == format) return std::string_view(kernel.bytes);
  }
  return NotFound("the executable has no kernel '", name, "' in format '", format, "'");
}

// Takes `self` over: release runs when the last machine lets the code go, or on failure.
vm::KernelCode CodeOf(const tern_kernel_spec& spec) {
  vm::KernelCode code;
  code.call = spec.call;
  code.self_call = spec.self_call;
  void (*release)(void*) = spec.release;
  // Calls release for a null `self` too.
  code.self = std::shared_ptr<void>(spec.self, [release](void* self) {
    if (release != nullptr) release(self);
  });
  return code;
}

Result<FunctionPtr> CreateKernel(const tern_kernel_spec& options) {
  vm::KernelCode code = CodeOf(options);  // releases on failure
  vm::KernelSpec spec;
  spec.name = TextOr(options.name, "kernel");
  spec.slots = SplitNames(options.slots);
  // 0 stands for one result.
  spec.results = options.results == 0 ? 1 : options.results;
  spec.zeroed = options.zeroed != 0;
  TERN_TRY_ASSIGN(spec.signature, vm::Signature::Parse(TextOr(options.signature, "")));
  return vm::MakeKernelFunction(std::move(spec), std::move(code));
}

Status SetKernel(const tern_program& program, const char* function, const TernAny* kernel,
                 const tern_kernel_backend& options) {
  vm::KernelBackend backend;
  backend.backend = TextOr(options.backend, "");
  backend.why = TextOr(options.why, "");
  backend.describe = options.describe;
  backend.replacement.ready = options.ready;
  backend.replacement.context = options.context;
  // None means the operators: no replacement.
  if (kernel != nullptr && !View(kernel).is_none()) {
    TERN_TRY_ASSIGN(Function * code, View(kernel).As<Function>());
    backend.replacement.function = FunctionPtr(code);
  }
  return program.program->SetKernel(TextOr(function, ""), std::move(backend));
}

}  // namespace
}  // namespace tern::api

using tern::api::ToHandle;

tern_status* tern_program_kernels(tern_program* program, tern_buffer** json) {
  tern::JsonWriter writer;
  tern::vm::WriteKernelsJson(*program->program, &writer);
  *json = tern::api::NewBuffer(writer.text());
  return nullptr;
}

tern_status* tern_program_kernel_bytes(tern_program* program, const char* name, const char* format,
                                       const void** data, size_t* size) {
  const tern::Result<std::string_view> found =
      tern::api::KernelBytes(*program, tern::api::TextOr(name, ""), tern::api::TextOr(format, ""));
  if (!found.ok()) return ToHandle(found.status().Clone());
  // The bytes belong to the executable, which the program holds.
  *data = found->data();
  *size = found->size();
  return nullptr;
}

tern_status* tern_kernel_function_create(const tern_kernel_spec* spec, TernAny* function) {
  TERN_CHECK_OPTIONS(tern_kernel_spec, spec);
  tern::Result<tern::FunctionPtr> made = tern::api::CreateKernel(tern::api::ReadOptions(spec));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *function = tern::Any(*std::move(made)).Release();
  return nullptr;
}

tern_status* tern_program_set_kernel(tern_program* program, const char* function,
                                     const TernAny* kernel, const tern_kernel_backend* backend) {
  TERN_CHECK_OPTIONS(tern_kernel_backend, backend);
  return ToHandle(
      tern::api::SetKernel(*program, function, kernel, tern::api::ReadOptions(backend)));
}
