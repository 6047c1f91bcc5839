// SPDX-License-Identifier: Apache-2.0
// Machines: calls, runs in pieces, state.
#include "core/api/handles.h"
#include "core/base/json.h"

namespace tern::api {
namespace {

Result<std::unique_ptr<vm::VirtualMachine>> CreateMachine(const tern_program& program,
                                                          const tern_vm_options& options) {
  vm::VmOptions vm_options;
  vm_options.platform = program.runtime->platform_or_null;
  vm_options.parallel = program.runtime->platform.parallel;
  vm_options.kernels = program.runtime->kernels;
  vm_options.devices = program.runtime->devices;
  vm_options.max_instructions = options.max_instructions;
  vm_options.max_bytes = options.max_bytes;
  // As in debug_api.cc: larger times are as good as none.
  constexpr uint64_t kMostMs = INT64_MAX / 1'000'000;
  vm_options.max_time_ns =
      static_cast<int64_t>(options.max_time_ms < kMostMs ? options.max_time_ms : kMostMs) *
      1'000'000;
  if (options.max_depth != 0) vm_options.max_depth = options.max_depth;
  return vm::VirtualMachine::Create(program.program, vm_options);
}

Result<Any> ReadRegister(const vm::VirtualMachine& machine, uint32_t frame, uint32_t reg) {
  if (frame >= machine.depth()) {
    return OutOfRange("frame ", frame, " of a machine with ", machine.depth(), " frames");
  }
  // Frame 0 is the innermost one to callers, the last one to the machine.
  const vm::FrameView view = machine.frame(machine.depth() - 1 - frame);
  if (reg >= view.registers.size()) {
    return OutOfRange("register %", reg, " of a frame with ", view.registers.size(), " registers");
  }
  return Any(view.registers[reg]);
}

}  // namespace
}  // namespace tern::api

using tern::api::Args;
using tern::api::ToHandle;

tern_status* tern_vm_create(tern_program* program, const tern_vm_options* options, tern_vm** vm) {
  TERN_CHECK_OPTIONS(tern_vm_options, options);
  auto machine = tern::api::CreateMachine(*program, tern::api::ReadOptions(options));
  if (!machine.ok()) return ToHandle(std::move(machine).status());
  *vm = new tern_vm{*std::move(machine), &program->runtime->platform, nullptr, nullptr};
  return nullptr;
}

void tern_vm_free(tern_vm* vm) { delete vm; }

tern_status* tern_vm_call(tern_vm* vm, const char* function, const TernAny* args, int32_t num_args,
                          TernAny* result) {
  const tern::AnyArgs values = Args(args, num_args);
  // Parallel calls forget the run before.
  if (vm->before_run != nullptr) vm->before_run(vm->executor.get());
  // A stateful machine refuses functions whose inputs were set; StatefulVm checks that.
  tern::Result<tern::Any> value = vm->stateful != nullptr
                                      ? vm->stateful->Call(function, values)
                                      : vm->machine->Call(std::string_view(function), values);
  if (!value.ok()) return ToHandle(std::move(value).status());
  *result = value->Release();
  return nullptr;
}

tern_status* tern_vm_begin(tern_vm* vm, const char* function, const TernAny* args,
                           int32_t num_args) {
  if (vm->before_run != nullptr) vm->before_run(vm->executor.get());
  // A run in pieces would take inputs that were set for whole calls.
  if (vm->stateful != nullptr) {
    tern::Status allowed = vm->stateful->CheckStateless(function);
    if (!allowed.ok()) return ToHandle(std::move(allowed));
  }
  return ToHandle(vm->machine->Begin(std::string_view(function), Args(args, num_args)));
}

tern_status* tern_vm_resume(tern_vm* vm, uint64_t max_instructions, tern_stop* stop) {
  // max_instructions counts from here; 0 is no limit.
  const tern::Result<tern::vm::StopReason> reason = vm->machine->Resume(max_instructions);
  if (!reason.ok()) return ToHandle(reason.status().Clone());
  *stop = static_cast<tern_stop>(*reason);
  return nullptr;
}

tern_status* tern_vm_take_result(tern_vm* vm, TernAny* result) {
  if (vm->machine->state() != tern::vm::VirtualMachine::State::kReturned)
    return ToHandle(tern::InvalidArgument("the machine has no result: its run has not returned")
                        .SetErrorCode("E0705"));
  *result = vm->machine->TakeResult().Release();
  return nullptr;
}

tern_status* tern_vm_state(tern_vm* vm, tern_buffer** json) {
  tern::JsonWriter writer;
  vm->machine->WriteState(&writer);
  *json = tern::api::NewBuffer(writer.text());
  return nullptr;
}

tern_status* tern_vm_register(tern_vm* vm, uint32_t frame, uint32_t reg, TernAny* value) {
  tern::Result<tern::Any> found = tern::api::ReadRegister(*vm->machine, frame, reg);
  if (!found.ok()) return ToHandle(std::move(found).status());
  *value = found->Release();
  return nullptr;
}

// From any thread.
void tern_vm_cancel(tern_vm* vm) { vm->machine->Cancel(); }

void tern_vm_set_breakpoint(tern_vm* vm, uint32_t pc, int32_t on) {
  vm->machine->SetBreakpoint(pc, on != 0);
}
