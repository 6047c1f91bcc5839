// SPDX-License-Identifier: Apache-2.0
// Independent calls at the same time. A file of its own, so that a module without it does not link
// the dependency analysis.
#include "core/api/handles.h"
#include "core/kernels/bind/bind.h"
#include "core/vm/debug/dependency.h"

namespace tern::api {
namespace {

// Operators compute their result and do nothing else, so that calls of them may overlap; what a
// host registered may do anything. Attributes stand behind the name in braces.
bool HasEffects(std::string_view primitive) {
  return !kernels::HasOperator(primitive.substr(0, primitive.find('{')));
}

Status SetParallelCalls(tern_vm* vm, bool on) {
  TERN_TRY(vm->RemoveHooks());
  if (!on) return OkStatus();
  vm::DependencyOptions options;
  options.has_effects = &HasEffects;
  vm->executor =
      std::make_unique<vm::DependencyExecutor>(vm->machine.get(), vm->platform->parallel, options);
  // A function pointer and not a method of tern_vm, so that a module without this file does not
  // link it.
  vm->before_run = [](vm::Hooks* hooks) { static_cast<vm::DependencyExecutor*>(hooks)->Reset(); };
  vm->machine->SetHooks(vm->executor.get());
  return OkStatus();
}

}  // namespace
}  // namespace tern::api

tern_status* tern_vm_set_parallel_calls(tern_vm* vm, int32_t on) {
  return tern::api::ToHandle(tern::api::SetParallelCalls(vm, on != 0));
}

uint64_t tern_vm_overlapped_calls(const tern_vm* vm) {
  const auto* executor = static_cast<const tern::vm::DependencyExecutor*>(vm->executor.get());
  return executor != nullptr ? executor->overlapped() : 0;
}
