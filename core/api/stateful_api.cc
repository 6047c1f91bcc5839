// SPDX-License-Identifier: Apache-2.0
// Machines with state: inputs set once, outputs fetched, saved and replaced functions, timing.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/object/function.h"

namespace tern::api {
namespace {

// Made when it is first needed: most machines have no state.
vm::StatefulVm& StatefulOf(tern_vm* vm) {
  if (vm->stateful == nullptr) vm->stateful = std::make_unique<vm::StatefulVm>(vm->machine.get());
  return *vm->stateful;
}

// A path into nested tuples. A negative depth is taken for none.
std::span<const int64_t> Path(const int64_t* path, int32_t depth) {
  return {path, static_cast<size_t>(depth < 0 ? 0 : depth)};
}

Status Replace(tern_vm* vm, const char* function, const TernAny* native) {
  // None takes the replacement away again.
  if (native == nullptr || View(native).is_none())
    return vm->machine->ReplaceFunction(function, nullptr);
  TERN_TRY_ASSIGN(Function * found, View(native).As<Function>());
  return vm->machine->ReplaceFunction(function, FunctionPtr(found));
}

std::string TimingJson(const vm::Timing& timing) {
  JsonWriter json;
  // Seconds for one call; repeats are told one by one, so that a caller may take other statistics
  // of them.
  json.BeginObject().Key("repeats").BeginArray();
  for (const double repeat : timing.repeats) json.Double(repeat);
  json.EndArray();
  json.Field("mean", timing.mean).Field("median", timing.median).Field("best", timing.best);
  json.EndObject();
  return json.Take();
}

}  // namespace
}  // namespace tern::api

using tern::api::Args;
using tern::api::Give;
using tern::api::NewBuffer;
using tern::api::Path;
using tern::api::StatefulOf;
using tern::api::ToHandle;

tern_status* tern_vm_replace_function(tern_vm* vm, const char* function, const TernAny* native) {
  return ToHandle(tern::api::Replace(vm, function, native));
}

tern_status* tern_vm_set_input(tern_vm* vm, const char* function, const TernAny* args,
                               int32_t num_args) {
  return ToHandle(StatefulOf(vm).SetInput(function, Args(args, num_args)));
}

void tern_vm_clear_input(tern_vm* vm, const char* function) { StatefulOf(vm).ClearInput(function); }

tern_status* tern_vm_invoke_stateful(tern_vm* vm, const char* function) {
  return ToHandle(StatefulOf(vm).InvokeStateful(function));
}

tern_status* tern_vm_get_output(tern_vm* vm, const char* function, const int64_t* path,
                                int32_t depth, TernAny* output) {
  return Give(StatefulOf(vm).GetOutput(function, Path(path, depth)), output);
}

tern_status* tern_vm_output_arity(tern_vm* vm, const char* function, const int64_t* path,
                                  int32_t depth, int64_t* arity) {
  return Give(StatefulOf(vm).OutputArity(function, Path(path, depth)), arity);
}

tern_status* tern_vm_save_function(tern_vm* vm, const char* function, const char* saved_name,
                                   const TernAny* args, int32_t num_args) {
  return ToHandle(StatefulOf(vm).SaveFunction(function, saved_name, Args(args, num_args)));
}

tern_status* tern_vm_function_arity(tern_vm* vm, const char* function, int64_t* arity) {
  return Give(StatefulOf(vm).FunctionArity(function), arity);
}

tern_status* tern_vm_parameter_name(tern_vm* vm, const char* function, int64_t index,
                                    tern_buffer** name) {
  const tern::Result<std::string> found = StatefulOf(vm).ParameterName(function, index);
  if (!found.ok()) return ToHandle(found.status().Clone());
  *name = NewBuffer(*found);
  return nullptr;
}

tern_status* tern_vm_time_evaluator(tern_vm* vm, const char* function, const TernAny* args,
                                    int32_t num_args, int64_t number, int64_t repeat,
                                    tern_buffer** json) {
  const tern::Result<tern::vm::Timing> timing =
      StatefulOf(vm).TimeEvaluator(function, Args(args, num_args), number, repeat, *vm->platform);
  if (!timing.ok()) return ToHandle(timing.status().Clone());
  *json = NewBuffer(tern::api::TimingJson(*timing));
  return nullptr;
}
