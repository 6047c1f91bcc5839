// SPDX-License-Identifier: Apache-2.0
// Function: calls, and the text of those that go wrong.
#include "core/object/function.h"

#include <memory>

#include "core/object/run_context.h"

namespace tern {

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
  if (code == 0) [[likely]]
    return Any::Adopt(result);
  return internal::ErrorOf(*this, code, result);
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
  *result = ViewObject(Error::Make(std::move(status)).Release());
  return code;
}

int32_t ReturnAny(Any value, TernAny* result) {
  CopyWords(value.Release(), result);
  return 0;
}

Status ErrorOf(const Function& function, int32_t code, const TernAny& result) {
  Any value = Any::Adopt(result);
  if (Error* error = value.TryCast<Error>()) {
    ObjectPtr<Error> owned(error);
    value.Reset();
    return Error::TakeStatus(std::move(owned));
  }
  return Status(StatusCode::kFailed, StrCat(function.name(), ": failed with code ", code));
}

Status WrongResult(const Function& function, std::string_view expected, const TernAny& result) {
  Status status =
      TypeError(function.name(), ": its result: ", CastError(expected, result).message());
  ReleaseAny(result);
  return status;
}

int32_t RefuseCount(const Function& function, size_t expected, size_t got, TernAny* result) {
  return ReturnError(InvalidArgument(function.name(), ": expected ", expected,
                                     expected == 1 ? " argument" : " arguments", ", got ", got,
                                     "; its signature is ", function.signature()),
                     result);
}

int32_t RefuseArgument(const Function& function, size_t index, const Status& why, TernAny* result) {
  Status status = TypeError(function.name(), ": argument ", index, ": ", why.message());
  for (const std::string& note : why.notes()) status.AddNote(note);
  return ReturnError(std::move(status), result);
}

int32_t CallConverted(Function* function, const PlainSignature& signature, const TernAny* args,
                      TernAny* result) {
  TernAny converted[kMaxPlain + 1];
  if (signature.skip != 0) converted[0] = args[0];
  for (size_t i = 0; i < signature.count; ++i) {
    const TernAny& arg = args[i + signature.skip];
    const TernTypeCode code = signature.codes[i];
    TernAny* to = &converted[i + signature.skip];
    if (const TernAny* value = UnboxedAs(code, arg, to)) {
      *to = *value;
    } else if (code == TERN_TYPE_INT && AnyToInt(arg).has_value()) {
      *to = MakeIntAny(code, *AnyToInt(arg));
    } else if (code == TERN_TYPE_FLOAT && AnyToFloat(arg).has_value()) {
      *to = AnyTraits<double>::View(*AnyToFloat(arg));
    } else {
      return RefuseArgument(*function, i, CastError(TypeKey(code), arg), result);
    }
  }
  const auto count = static_cast<int32_t>(signature.count + signature.skip);
  return signature.entry(function, converted, count, result);
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
