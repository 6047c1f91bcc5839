// SPDX-License-Identifier: Apache-2.0
// Profiles.
#include "core/api/debug_handles.h"

namespace tern::api {
namespace {

Status ProfileRuns(vm::VirtualMachine* machine, std::string_view function, AnyArgs args,
                   int32_t repeat, vm::Profiler* profiler) {
  // Each run is begun and resumed, not called, because the profiler must see the machine between
  // the two.
  for (int32_t i = 0; i < repeat; ++i) {
    TERN_TRY(machine->Begin(function, args));
    profiler->Start(*machine);
    const Result<vm::StopReason> stopped = machine->Resume();
    profiler->Finish();
    if (!stopped.ok()) return stopped.status().Clone();
    // A cancelled run has no profile: its last call is missing.
    if (*stopped != vm::StopReason::kReturned)
      return Stopped("the run was cancelled").SetErrorCode("S0302");
  }
  return OkStatus();
}

}  // namespace
}  // namespace tern::api

tern_status* tern_vm_profile(tern_vm* vm, const char* function, const TernAny* args,
                             int32_t num_args, int32_t repeat, tern_profile** profile) {
  const tern::AnyArgs views(reinterpret_cast<const tern::AnyView*>(args),
                            static_cast<size_t>(num_args < 0 ? 0 : num_args));
  auto made = std::make_unique<tern_profile>(tern_profile{tern::vm::Profiler(vm->platform)});
  tern::vm::Hooks* const before = vm->machine->hooks();
  vm->machine->SetHooks(&made->profiler);
  tern::Status status =
      tern::api::ProfileRuns(vm->machine.get(), function, views, repeat, &made->profiler);
  // Taken off on failure too; the machine outlives the profiler.
  vm->machine->SetHooks(before);
  if (status.ok()) *profile = made.release();
  return tern::api::ToHandle(std::move(status));
}

tern_status* tern_profile_export(tern_profile* profile, const char* format, tern_buffer** out) {
  tern::Result<std::string> text = profile->profiler.Export(format);
  if (!text.ok()) return tern::api::ToHandle(std::move(text).status());
  *out = tern::api::NewBuffer(*text);
  return nullptr;
}

void tern_profile_free(tern_profile* profile) { delete profile; }
