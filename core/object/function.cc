// SPDX-License-Identifier: Apache-2.0
// Calls of functions, and the text of those that go wrong.
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
  // AnyView and TernAny have the same bytes (any.h), so arguments need no conversion.
  const int32_t code = Call(reinterpret_cast<const TernAny*>(args.data()),
                            static_cast<int32_t>(args.size()), &result);
  if (code == 0) [[likely]]
    return Any::Adopt(result);
  return internal::ErrorOf(*this, code, result);
}

Result<Any> Function::Invoke(AnyArgs args, RunContext* context) {
  if (!needs_context()) return InvokeRaw(args);
  if (context == nullptr) return internal::MissingContext(name_);
  // Nearly every call has fewer arguments than kInPlace, and the heap would cost more than the
  // call.
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

// The code is what C callers test; the Error object carries the text.
int32_t ReturnError(Status status, TernAny* result) {
  const auto code = static_cast<int32_t>(status.code());
  *result = ViewObject(Error::Make(std::move(status)).Release());
  return code;
}

int32_t ReturnAny(Any value, TernAny* result) {
  // Two words (CopyWords in any.h says why), and a padded result's code is overwritten with them.
  CopyWords(value.Release(), result);
  return 0;
}

Status ErrorOf(const Function& function, int32_t code, const TernAny& result) {
  // Adopted first, so that the reference is released on each path.
  Any value = Any::Adopt(result);
  if (Error* error = value.TryCast<Error>()) {
    // The Any's reference is dropped before TakeStatus, which moves the texts out only if it is the
    // sole owner.
    ObjectPtr<Error> owned(error);
    value.Reset();
    return Error::TakeStatus(std::move(owned));
  }
  // A foreign callee may return a code and no Error; the code is all that can be shown.
  return Status(StatusCode::kFailed, StrCat(function.name(), ": failed with code ", code));
}

Status WrongResult(const Function& function, std::string_view expected, const TernAny& result) {
  // The text is made before the release, because `result` may point into its object.
  Status status =
      TypeError(function.name(), ": its result: ", CastError(expected, result).message());
  ReleaseAny(result);
  return status;
}

int32_t RefuseCount(const Function& function, size_t expected, size_t got, TernAny* result) {
  // The signature is part of the message, as the usual cause is an optional argument that was
  // forgotten.
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

// The slow half of a call whose parameters are plain (PlainCodeOf in function.h). Each argument
// that has not the very code is converted, then the same entry runs again; its comparison now
// succeeds, so it recurses once at most.
int32_t CallConverted(Function* function, const PlainSignature& signature, const TernAny* args,
                      TernAny* result) {
  TernAny converted[kMaxPlain + 1];
  // The context is no parameter and is passed through.
  if (signature.skip != 0) converted[0] = args[0];
  for (size_t i = 0; i < signature.count; ++i) {
    const TernAny& arg = args[i + signature.skip];
    const TernTypeCode code = signature.codes[i];
    TernAny* to = &converted[i + signature.skip];
    // A box or a moved reference opens to the very code; then the conversions that any.h allows:
    // bool to int, int and bool to float.
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

// Only the code can be checked here: an opaque pointer has no type. Callers that pass another
// pointer break the C interface's contract.
RunContext* ContextOf(const TernAny* args, int32_t num_args) {
  if (num_args < 1 || args[0].type_code != TERN_TYPE_OPAQUE) return nullptr;
  return static_cast<RunContext*>(args[0].v.p);
}

std::string SignatureText(std::span<const std::string_view> parameters, std::string_view result) {
  return StrCat("(", StrJoin(parameters, ", "), ") -> ", result);
}

}  // namespace internal
}  // namespace tern
