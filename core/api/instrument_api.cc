// SPDX-License-Identifier: Apache-2.0
// Instruments in C. A file of its own, so that a module without it does not link it.
#include "core/api/instrument_api.h"

#include "core/api/handles.h"

namespace tern::api {
namespace {

const TernAny* Plain(const AnyView* values) { return reinterpret_cast<const TernAny*>(values); }

class Instrument final : public vm::Hooks {
 public:
  Instrument(tern_instrument function, void* context) : function_(function), context_(context) {}

  // Calls alone: hooks before each instruction would slow a run down for nothing.
  uint32_t wants() const override { return vm::kHookCalls; }

  vm::CallAction BeforeCall(const vm::VirtualMachine&, const vm::CallEvent& call,
                            Any* result) override {
    const std::string name(call.function.name());
    const tern_call_event event = EventOf(call, name);
    TernAny given{};
    const int32_t action = function_(context_, &event, &given);
    // Taken over in any case, so that a value beside TERN_CALL_RUN is not lost.
    Any owned = Any::Adopt(given);
    if (action != TERN_CALL_SKIP) return vm::CallAction::kRun;
    *result = std::move(owned);
    return vm::CallAction::kSkip;
  }

  void AfterCall(const vm::VirtualMachine&, const vm::CallEvent& call, const Status& status,
                 const AnyView& result) override {
    const std::string name(call.function.name());
    const std::string error = status.ok() ? "" : std::string(status.message());
    tern_call_event event = EventOf(call, name);
    event.is_after = 1;
    event.result = status.ok() ? Plain(&result) : nullptr;
    event.error = status.ok() ? nullptr : error.c_str();
    function_(context_, &event, nullptr);
  }

 private:
  static tern_call_event EventOf(const vm::CallEvent& call, const std::string& name) {
    tern_call_event event{};
    event.struct_size = sizeof(event);
    // Of a copy that the caller of this function holds: names in the program have no zero at their
    // end.
    event.name = name.c_str();
    event.args = Plain(call.args.data());
    event.num_args = static_cast<int32_t>(call.args.size());
    event.num_outputs = static_cast<int32_t>(call.outputs);
    event.pc = call.pc;
    return event;
  }

  tern_instrument function_;
  void* context_;
};

Status SetInstrument(tern_vm* vm, tern_instrument instrument, void* context) {
  TERN_TRY(vm->RemoveHooks());
  if (instrument == nullptr) return OkStatus();
  vm->instrument = std::make_unique<Instrument>(instrument, context);
  vm->machine->SetHooks(vm->instrument.get());
  return OkStatus();
}

}  // namespace
}  // namespace tern::api

tern_status* tern_vm_set_instrument(tern_vm* vm, tern_instrument instrument, void* context) {
  return tern::api::ToHandle(tern::api::SetInstrument(vm, instrument, context));
}
