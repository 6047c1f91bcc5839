// SPDX-License-Identifier: Apache-2.0
// Packed functions by name, calls, and the errors that calls end with.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/object/error.h"
#include "core/object/function.h"
#include "core/object/registry.h"
#include "core/object/rfc97/legacy.h"
#include "core/object/run_context.h"

namespace tern::api {
namespace {

constexpr auto kLastKind = static_cast<int32_t>(StatusCode::kInternal);

// Kinds are numbers to C. One that is not known becomes the kind for bugs, never "ok".
StatusCode KindOf(int32_t kind) {
  return kind > 0 && kind <= kLastKind ? static_cast<StatusCode>(kind) : StatusCode::kInternal;
}

// Registers for all runtimes of the process. Errors: no name, or a name that is taken.
Status Register(const TernAny* value, bool replace) {
  TERN_TRY_ASSIGN(Function * function, View(value).As<Function>());
  // Programs find functions by name.
  if (function->name().empty()) return InvalidArgument("a function without a name");
  // Global(), because names are looked up when a program is linked, whatever runtime it has.
  return Registry::Global().Register(FunctionPtr(function), replace);
}

Status Remove(std::string_view name) {
  if (Registry::Global().Remove(name)) return OkStatus();
  return NotFound("no function '", name, "' is registered");
}

std::string Names() {
  JsonWriter json;
  json.BeginArray();
  for (const std::string& name : Registry::Global().Names()) json.String(name);
  json.EndArray();
  return json.Take();
}

Result<std::string> Info(const TernAny* value) {
  TERN_TRY_ASSIGN(const Function* function, View(value).As<Function>());
  JsonWriter json;
  json.BeginObject()
      .Field("name", function->name())
      .Field("signature", function->signature())
      .Field("needsContext", function->needs_context())
      .EndObject();
  return json.Take();
}

Result<Any> Call(tern_runtime* runtime, const TernAny* value, const TernAny* args,
                 int32_t num_args) {
  TERN_TRY_ASSIGN(Function * function, View(value).As<Function>());
  if (num_args < 0) return InvalidArgument(function->name(), ": ", num_args, " arguments");
  const AnyArgs views(reinterpret_cast<const AnyView*>(args), static_cast<size_t>(num_args));
  // Only functions that ask for a context see the runtime's kernels and threads.
  if (!function->needs_context() || runtime == nullptr) return function->Invoke(views);
  RunContext context(runtime->allocator, runtime->platform.parallel);
  context.set_kernels(runtime->kernels);
  return function->Invoke(views, &context);
}

Status NewStatus(int32_t kind, const char* message) {
  return Status(KindOf(kind), TextOr(message, "no message"));
}

Result<Any> WrapError(int32_t kind, const char* message, const TernAny* value) {
  TERN_TRY_ASSIGN(Error * cause, View(value).As<Error>());
  return Any(Error::Make(NewStatus(kind, message), ObjectPtr<Error>(cause)));
}

Result<Any> ErrorCause(const TernAny* value) {
  TERN_TRY_ASSIGN(const Error* error, View(value).As<Error>());
  // The caller gets a reference of its own; the const says that the error does not change.
  return error->cause() == nullptr ? Any() : Any(const_cast<Error*>(error->cause()));
}

// The kind, the message and the notes, as text.
Result<std::string> ErrorText(const TernAny* value) {
  TERN_TRY_ASSIGN(const Error* error, View(value).As<Error>());
  return error->ToStatus().ToString();
}

int32_t FailWith(TernAny* result, TernAny* value) {
  // Takes the caller's reference over, whatever the outcome.
  Any error = Any::Adopt(std::exchange(*value, TernAny{}));
  const Error* held = error.TryCast<Error>();
  if (held == nullptr)
    return internal::ReturnError(internal::CastError("error", error.c_any()), result);
  const auto code = static_cast<int32_t>(held->status().code());
  *result = error.Release();
  return code;
}

// Why a legacy caller's arguments cannot even be looked at.
Status CheckLegacyCall(const TernAny* function, const TernLegacyValue* values,
                       const int32_t* type_codes, int32_t num_args) {
  TERN_TRY_ASSIGN(const Function* callee, View(function).As<Function>());
  if (num_args < 0) return InvalidArgument(callee->name(), ": ", num_args, " arguments");
  if (num_args > 0 && (values == nullptr || type_codes == nullptr))
    return InvalidArgument(callee->name(), ": ", num_args, " arguments, but no ",
                           values == nullptr ? "values" : "type codes");
  return OkStatus();
}

// Kinds are numbers of StatusCode, as in tern_status_kind.
Status ErrorKind(const TernAny* value, int32_t* kind) {
  TERN_TRY_ASSIGN(const Error* error, View(value).As<Error>());
  *kind = static_cast<int32_t>(error->status().code());
  return OkStatus();
}

// The text belongs to the error and lives as long.
Status ErrorMessage(const TernAny* value, const char** text, size_t* size) {
  TERN_TRY_ASSIGN(const Error* error, View(value).As<Error>());
  *text = error->message().data();
  *size = error->message().size();
  return OkStatus();
}

// The frames in the order in which they were added, as JSON.
Result<std::string> ErrorFrames(const TernAny* value) {
  TERN_TRY_ASSIGN(const Error* error, View(value).As<Error>());
  JsonWriter json;
  json.BeginArray();
  for (const ErrorFrame& frame : error->frames())
    json.BeginObject().Field("function", frame.function).Field("pc", frame.pc).EndObject();
  json.EndArray();
  return json.Take();
}

Status ErrorAddFrame(const TernAny* value, std::string_view function, int64_t pc) {
  TERN_TRY_ASSIGN(Error * error, View(value).As<Error>());
  // An error that others hold may be read by them now.
  if (!error->unique()) return InvalidArgument("others hold this error: frames are added before");
  error->AddFrame({std::string(function), pc});
  return OkStatus();
}

}  // namespace
}  // namespace tern::api

using namespace tern::api;  // NOLINT: the functions below give those above to C

tern_status* tern_function_new(const char* name, const char* signature, TernPackedCall call,
                               void* data, void (*release)(void* data), TernAny* function) {
  if (call == nullptr) return ToHandle(tern::InvalidArgument("a function without a body"));
  return Give(tern::Any(tern::Function::FromC(TextOr(name, ""), call, data, release, false,
                                              TextOr(signature, ""))),
              function);
}

void* tern_function_data(const void* self) {
  return static_cast<const tern::Function*>(self)->data();
}

tern_status* tern_function_register(const TernAny* function, int32_t replace) {
  return ToHandle(Register(function, replace != 0));
}

tern_status* tern_function_find(const char* name, TernAny* function) {
  tern::Result<tern::FunctionPtr> found = tern::Registry::Global().Find(name);
  if (!found.ok()) return ToHandle(std::move(found).status());
  *function = tern::Any(*std::move(found)).Release();
  return nullptr;
}

tern_status* tern_function_remove(const char* name) { return ToHandle(Remove(name)); }

tern_status* tern_function_names(tern_buffer** json) {
  *json = NewBuffer(Names());
  return nullptr;
}

tern_status* tern_function_info(const TernAny* function, tern_buffer** json) {
  return Give(Info(function), json);
}

tern_status* tern_function_call(tern_runtime* runtime, const TernAny* function, const TernAny* args,
                                int32_t num_args, TernAny* result) {
  return Give(Call(runtime, function, args, num_args), result);
}

int32_t tern_function_try(const TernAny* function, const TernAny* args, int32_t num_args,
                          TernAny* result) {
  tern::Function* callee = View(function).TryCast<tern::Function>();
  if (callee == nullptr)
    return tern::internal::ReturnError(tern::internal::CastError("function", *function), result);
  // Callees may leave a result untouched when they return nothing.
  *result = TernAny{};
  return callee->Call(args, num_args, result);
}

tern_status* tern_function_new_legacy(const char* name, const char* signature, TernLegacyCall call,
                                      void* resource, void (*release)(void* resource),
                                      TernAny* function) {
  if (call == nullptr) return ToHandle(tern::InvalidArgument("a function without a body"));
  return Give(
      tern::Any(tern::FromLegacy(TextOr(name, ""), call, resource, release, TextOr(signature, ""))),
      function);
}

int32_t tern_call_legacy(const TernAny* function, const TernLegacyValue* values,
                         const int32_t* type_codes, int32_t num_args, TernLegacyValue* result,
                         int32_t* result_code) {
  // A legacy caller cannot be given a status, so mistakes come back the way its errors do.
  tern::Status wrong = CheckLegacyCall(function, values, type_codes, num_args);
  if (!wrong.ok()) return tern::ReturnLegacyError(std::move(wrong), result, result_code);
  return tern::CallAsLegacy(View(function).TryCast<tern::Function>(), values, type_codes, num_args,
                            result, result_code);
}

int32_t tern_fail(TernAny* result, int32_t kind, const char* message) {
  return tern::internal::ReturnError(NewStatus(kind, message), result);
}
int32_t tern_fail_with(TernAny* result, TernAny* error) { return FailWith(result, error); }

tern_status* tern_error_new(int32_t kind, const char* message, TernAny* error) {
  return Give(tern::Any(tern::Error::Make(NewStatus(kind, message))), error);
}
tern_status* tern_error_wrap(int32_t kind, const char* message, const TernAny* cause,
                             TernAny* error) {
  return Give(WrapError(kind, message, cause), error);
}
tern_status* tern_error_cause(const TernAny* error, TernAny* cause) {
  return Give(ErrorCause(error), cause);
}
tern_status* tern_error_text(const TernAny* error, tern_buffer** text) {
  return Give(ErrorText(error), text);
}
tern_status* tern_error_kind(const TernAny* error, int32_t* kind) {
  return ToHandle(ErrorKind(error, kind));
}
tern_status* tern_error_message(const TernAny* error, const char** text, size_t* size) {
  return ToHandle(ErrorMessage(error, text, size));
}
tern_status* tern_error_frames(const TernAny* error, tern_buffer** json) {
  return Give(ErrorFrames(error), json);
}
tern_status* tern_error_add_frame(const TernAny* error, const char* function, int64_t pc) {
  return ToHandle(ErrorAddFrame(error, TextOr(function, ""), pc));
}
