// SPDX-License-Identifier: Apache-2.0
// Function and Error: calls, and the text of those that go wrong.
#include "core/object/function.h"

#include <memory>

#include "core/object/run_context.h"

namespace tern {

ObjectPtr<Error> Error::Make(Status status) {
  TERN_CHECK(!status.ok(), "an Error made from success");
  return MakeObject<Error>(std::move(status));
}

Status Error::ToStatus() const {
  Status status = status_.Clone();
  for (const ErrorFrame& frame : frames_) {
    status.AddNote(frame.pc < 0 ? StrCat("in ", frame.function)
                                : StrCat("in ", frame.function, " at pc ", frame.pc));
  }
  return status;
}

Function::Function(std::string_view name, std::string_view signature, TernPackedCall call,
                   uint32_t flags)
    : Object(kTypeCode, nullptr), call_{}, flags_(flags), name_(name), signature_(signature) {
  call_.pointer = call;
}

Function::~Function() {
  if (release_ != nullptr) release_(data_);
}

FunctionPtr Function::FromC(std::string_view name, TernPackedCall call, void* data,
                            void (*release)(void*), bool needs_context,
                            std::string_view signature) {
  const uint32_t flags = needs_context ? uint32_t{TERN_FUNCTION_NEEDS_CONTEXT} : 0u;
  auto function = MakeObject<Function>(name, signature, call, flags);
  function->data_ = data;
  function->release_ = release;
  return function;
}

Result<Any> Function::InvokeRaw(AnyArgs args) {
  TERN_CHECK(args.size() <= INT32_MAX, "too many arguments");
  TernAny result{};
  const int32_t code = Call(reinterpret_cast<const TernAny*>(args.data()),
                            static_cast<int32_t>(args.size()), &result);
  Any value = Any::Adopt(result);
  if (code == 0) return value;
  if (const Error* error = value.TryCast<Error>()) return error->ToStatus();
  return Status(StatusCode::kFailed, StrCat(name_, ": failed with code ", code));
}

Result<Any> Function::Invoke(AnyArgs args, RunContext* context) {
  if (!needs_context()) return InvokeRaw(args);
  if (context == nullptr) return internal::MissingContext(name_);
  constexpr size_t kInPlace = 16;
  AnyView in_place[kInPlace];
  std::unique_ptr<AnyView[]> heap;
  AnyView* all = in_place;
  if (args.size() >= kInPlace) {
    heap = std::make_unique<AnyView[]>(args.size() + 1);
    all = heap.get();
  }
  all[0] = AnyView(static_cast<void*>(context));
  for (size_t i = 0; i < args.size(); ++i) all[i + 1] = args[i];
  return InvokeRaw({all, args.size() + 1});
}

namespace internal {

int32_t ReturnError(Status status, TernAny* result) {
  const auto code = static_cast<int32_t>(status.code());
  *result = Any(Error::Make(std::move(status))).Release();
  return code;
}

Status WrongCount(std::string_view function, std::string_view signature, size_t expected,
                  size_t got) {
  return InvalidArgument(function, ": expected ", expected,
                         expected == 1 ? " argument" : " arguments", ", got ", got,
                         "; its signature is ", signature);
}

Status WrongArgument(std::string_view function, size_t index, std::string_view expected,
                     const TernAny& got) {
  return TypeError(function, ": argument ", index, ": ", CastError(expected, got).message());
}

Status MissingContext(std::string_view function) {
  return InvalidArgument(function, ": needs a run context, which the caller did not give");
}

RunContext* ContextOf(const TernAny* args, int32_t num_args) {
  if (num_args < 1 || args[0].type_code != TERN_TYPE_OPAQUE) return nullptr;
  return static_cast<RunContext*>(args[0].v.p);
}

std::string SignatureText(std::span<const std::string_view> parameters, std::string_view result) {
  return StrCat("(", StrJoin(parameters, ", "), ") -> ", result);
}

}  // namespace internal
}  // namespace tern
