// SPDX-License-Identifier: Apache-2.0
// Function: a packed function with its name and signature, callable from C, bytecode and C++ alike.
//
//   auto add = Function::FromTyped("add", [](int64_t a, int64_t b) { return a + b; });
//   Result<Any> sum = add->Invoke({1, 2});
//
// Typed functions check count and kinds of their arguments; errors name the function, the
// argument's index, what was expected and what came. What converts (any.h): bool to int, int and
// bool to float, boxed values to values and back, tensors to DLPack, tuples to arrays, lists and
// tuples of ints to shapes; never float to int, never text to number. They may return a value,
// void, Status, or Result<value>. A first parameter `RunContext&` makes the function needs_context:
// callers pass the context in front, and it is not counted as an argument. Bodies may be called
// from several threads at once, so their call operator is const.
//
// Nothing throws across a call. Core is compiled without exceptions; a callee from elsewhere that
// may throw is wrapped by native/cpp/catching.h, which turns what it throws into an error.
#ifndef TERN_CORE_OBJECT_FUNCTION_H_
#define TERN_CORE_OBJECT_FUNCTION_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/object/any.h"
#include "core/object/any_pad.h"
#include "core/object/error.h"

namespace tern {

class RunContext;
using AnyArgs = std::span<const AnyView>;

class Function : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_FUNCTION;

  std::string_view name() const { return name_; }
  // "(int, int) -> int"; may be empty.
  std::string_view signature() const { return signature_; }
  bool needs_context() const { return (flags_ & TERN_FUNCTION_NEEDS_CONTEXT) != 0; }
  // invoke_packed puts its results into the caller's tensors.
  bool makes_results() const { return (flags_ & TERN_FUNCTION_MAKES_RESULTS) != 0; }
  void set_makes_results() { flags_ |= TERN_FUNCTION_MAKES_RESULTS; }

  // The raw packed call; args include the context where needed. Non-zero: *result holds an Error.
  int32_t Call(const TernAny* args, int32_t num_args, TernAny* result) {
    return call_.pointer(this, args, num_args, result);
  }
  // args include the context, if one is needed.
  Result<Any> InvokeRaw(AnyArgs args);
  // Puts context in front where needed; an error where one is needed and null.
  Result<Any> Invoke(AnyArgs args, RunContext* context = nullptr);
  Result<Any> Invoke(std::initializer_list<AnyView> args, RunContext* context = nullptr) {
    return Invoke(AnyArgs(args.begin(), args.size()), context);
  }

  // For callers in C++ that know the types: packs the arguments, calls, unpacks the result.
  //   Result<int64_t> sum = add->CallAs<int64_t>(1, 2);
  template <typename R = Any, typename... A>
  Result<R> CallAs(const A&... arguments);
  // The result may be text that only fits *result, which saves a heap object.
  template <int N>
  Status InvokeInto(AnyPad<N>* result, std::initializer_list<AnyView> args);

  // body: Result<Any>(AnyArgs args), or with `RunContext&` as first parameter. Checks its own
  // arguments.
  template <typename F>
  static ObjectPtr<Function> FromPacked(std::string_view name, F body,
                                        std::string_view signature = {});
  // body: any callable with a fixed list of parameters.
  template <typename F>
  static ObjectPtr<Function> FromTyped(std::string_view name, F body);
  // A C function; self_data comes back from data(). release, if any, is called with it at the end.
  static ObjectPtr<Function> FromC(std::string_view name, TernPackedCall call, void* data,
                                   void (*release)(void* data), bool needs_context = false,
                                   std::string_view signature = {});
  void* data() const { return data_; }

 protected:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  Function(std::string_view name, std::string_view signature, TernPackedCall call, uint32_t flags);
  ~Function();

 private:
  // As in TernFunction.
  union {
    TernPackedCall pointer;
    uint64_t slot;
  } call_;
  uint32_t flags_;
  uint32_t reserved_ = 0;
  // C++ only.
  std::string name_;
  std::string signature_;
  void* data_ = nullptr;
  void (*release_)(void*) = nullptr;

 protected:
  // For callers in C++ that name exactly the callee's types: its body, called without packing. The
  // tag is the address of internal::direct_tag of the signature; null where there is none.
  const void* direct_tag_ = nullptr;
  void (*direct_)() = nullptr;
};

using FunctionPtr = ObjectPtr<Function>;

namespace internal {

// Stores the error in *result and returns its code.
int32_t ReturnError(Status status, TernAny* result);
int32_t ReturnAny(Any value, TernAny* result);
// The error of a call that returned `code`; takes over the result.
Status ErrorOf(const Function& function, int32_t code, const TernAny& result);
// Releases the result.
Status WrongResult(const Function& function, std::string_view expected, const TernAny& result);
int32_t RefuseCount(const Function& function, size_t expected, size_t got, TernAny* result);
int32_t RefuseArgument(const Function& function, size_t index, const Status& why, TernAny* result);
Status MissingContext(std::string_view function);
// args[0] as a RunContext, or null.
RunContext* ContextOf(const TernAny* args, int32_t num_args);

template <typename R>
struct ReturnOf {
  static std::string_view Name() { return AnyTraits<R>::Name(); }
};
template <ObjectClass T>
struct ReturnOf<T*> {
  static std::string_view Name() { return AnyBase::TypeKeyOf<T>(); }
};
template <>
struct ReturnOf<void> {
  static std::string_view Name() { return "none"; }
};
template <>
struct ReturnOf<Status> : ReturnOf<void> {};
template <typename T>
struct ReturnOf<Result<T>> : ReturnOf<T> {};

// Parameter types of a callable.
template <typename F>
struct CallableOf : CallableOf<decltype(&F::operator())> {};
template <typename C, typename R, typename... P>
struct CallableOf<R (C::*)(P...) const> {
  using Return = R;
  using Parameters = std::tuple<P...>;
};
template <typename R, typename... P>
struct CallableOf<R (*)(P...)> {
  using Return = R;
  using Parameters = std::tuple<P...>;
};

// How one parameter is taken from an argument: value types by optional, object classes as T* or T&.
template <typename P>
struct ParameterOf {
  using Value = std::remove_cvref_t<P>;
  using Held = std::optional<Value>;
  static std::string_view Name() { return AnyTraits<Value>::Name(); }
  static Held Take(const AnyView& arg) { return arg.TryCast<Value>(); }
  static Status Explain(const TernAny& arg) { return ExplainCast<Value>(arg); }
  static std::conditional_t<std::is_lvalue_reference_v<P>, Value&, Value&&> Pass(Held& held) {
    if constexpr (std::is_lvalue_reference_v<P>)
      return *held;
    else
      return std::move(*held);
  }
};
template <typename P>
requires ObjectClass<std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<P>>>>
struct ParameterOf<P> {
  using Value = std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<P>>>;
  using Held = Value*;
  static std::string_view Name() { return AnyBase::TypeKeyOf<Value>(); }
  static Held Take(const AnyView& arg) { return arg.TryCast<Value>(); }
  static Status Explain(const TernAny& arg) { return CastError(Name(), arg); }
  static P Pass(Held held) {
    if constexpr (std::is_pointer_v<std::remove_reference_t<P>>)
      return held;
    else
      return *held;
  }
};

// The code that an argument has when it can be passed as it is, with one comparison: int64_t,
// double, bool, and classes that nothing derives from. 0: none.
template <typename P>
constexpr TernTypeCode PlainCodeOf() {
  using Value = std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<P>>>;
  if constexpr (ObjectClass<Value>) {
    if constexpr (requires { Value::kTypeKey; })
      return 0;
    else if constexpr (requires { Value::kTypeCode; })
      return IsSealed(Value::kTypeCode) ? Value::kTypeCode : 0;
    else
      return 0;
  } else if constexpr (std::is_pointer_v<std::remove_reference_t<P>>) {
    return 0;
  } else {
    return std::same_as<Value, int64_t>  ? TERN_TYPE_INT
           : std::same_as<Value, double> ? TERN_TYPE_FLOAT
           : std::same_as<Value, bool>   ? TERN_TYPE_BOOL
                                         : 0;
  }
}
// Passes an argument of that code.
template <typename P>
decltype(auto) PassPlain(const TernAny& arg) {
  using Value = std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<P>>>;
  if constexpr (ObjectClass<Value>) {
    if constexpr (std::is_pointer_v<std::remove_reference_t<P>>)
      return static_cast<Value*>(ObjectOf(arg));
    else
      return static_cast<Value&>(*ObjectOf(arg));
  } else if constexpr (std::same_as<Value, double>) {
    return double{arg.v.f};
  } else if constexpr (std::same_as<Value, bool>) {
    return arg.v.i != 0;
  } else {
    return int64_t{arg.v.i};
  }
}
inline constexpr size_t kMaxPlain = 8;
// What a function of plain parameters expects: these codes after `skip` arguments of its own.
struct PlainSignature {
  TernPackedCall entry;
  const TernTypeCode* codes;
  size_t count, skip;
};
// Calls `entry` again with converted arguments, or refuses one.
int32_t CallConverted(Function* function, const PlainSignature& signature, const TernAny* args,
                      TernAny* result);

template <typename Tuple>
struct SplitContext {
  using Rest = Tuple;
  static constexpr bool kHasContext = false;
};
template <typename... P>
struct SplitContext<std::tuple<RunContext&, P...>> {
  using Rest = std::tuple<P...>;
  static constexpr bool kHasContext = true;
};

std::string SignatureText(std::span<const std::string_view> parameters, std::string_view result);

// Signatures of numbers alone can be called directly. Types of a caller's numbers as a callee names
// them: int64_t, double, bool; void: none of these.
template <typename S>
inline constexpr char direct_tag = 0;
template <typename T>
struct DirectNumberOf {
  using Type = void;
};
template <std::floating_point T>
struct DirectNumberOf<T> {
  using Type = double;
};
template <std::integral T>
requires(std::is_signed_v<T> || sizeof(T) < 8) struct DirectNumberOf<T> {
  using Type = std::conditional_t<std::same_as<T, bool>, bool, int64_t>;
};
template <typename T>
using DirectNumber = typename DirectNumberOf<T>::Type;
template <typename... T>
inline constexpr bool kAreDirect = (!std::is_void_v<DirectNumber<T>> && ...);
// Exactly what a callee must name.
template <typename... T>
inline constexpr bool kAreNumbers = kAreDirect<T...> && (std::same_as<T, DirectNumber<T>> && ...);

// Text goes into the result itself if the caller gave it room.
template <typename R>
int32_t StoreValue(R&& value, TernAny* result) {
  using Value = std::remove_cvref_t<R>;
  if constexpr (std::same_as<Value, std::string_view> || std::same_as<Value, std::string>) {
    StoreText(value, result);
    return 0;
  } else if constexpr (requires {
                         Value::kCapacity;
                         value.view();
                       }) {
    StoreAny(value.view().c_any(), result);
    return 0;
  } else if constexpr (requires {
                         value.is_inline();
                         value.view();
                       }) {  // String, UCS4String
    if (!value.is_inline()) return ReturnAny(Any(std::move(value)), result);
    StoreText(value.view(), result);
    return 0;
  } else if constexpr (std::same_as<Value, Any>) {
    return ReturnAny(std::move(value), result);
  } else if constexpr (std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>) {
    *result = AnyTraits<Value>::Own(value);
    return 0;
  } else {
    return ReturnAny(Any(std::move(value)), result);
  }
}

// Runs `call`, whose return type decides how the result is stored.
template <typename R, typename C>
int32_t StoreResult(C&& call, TernAny* result) {
  if constexpr (std::is_void_v<R>) {
    call();
    return 0;
  } else if constexpr (std::same_as<R, Status>) {
    Status status = call();
    return status.ok() ? 0 : ReturnError(std::move(status), result);
  } else if constexpr (requires(R r) {
                         r.status();
                         typename R::value_type;
                       }) {
    R value = call();
    if (!value.ok()) return ReturnError(std::move(value).status(), result);
    return StoreValue<typename R::value_type>(*std::move(value), result);
  } else {
    return StoreValue<R>(call(), result);
  }
}

template <typename F, bool kContext>
class PackedFunction : public Function {
 public:
  PackedFunction(std::string_view name, std::string_view signature, F body)
      : Function(name, signature, &Entry, kContext ? TERN_FUNCTION_NEEDS_CONTEXT : 0),
        body_(std::move(body)) {}

 private:
  static int32_t Entry(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
    const auto* function = static_cast<const PackedFunction*>(static_cast<Function*>(self));
    const auto* views = reinterpret_cast<const AnyView*>(args);
    const auto count = static_cast<size_t>(num_args);
    if constexpr (kContext) {
      RunContext* context = ContextOf(args, num_args);
      if (context == nullptr) return ReturnError(MissingContext(function->name()), result);
      return StoreResult<Result<Any>>(
          [&] { return function->body_(*context, AnyArgs(views + 1, count - 1)); }, result);
    } else {
      return StoreResult<Result<Any>>([&] { return function->body_(AnyArgs(views, count)); },
                                      result);
    }
  }
  const F body_;
};

template <typename F, typename R, bool kContext, typename Parameters>
class TypedFunction;
template <typename F, typename R, bool kContext, typename... P>
class TypedFunction<F, R, kContext, std::tuple<P...>> : public Function {
 public:
  TypedFunction(std::string_view name, F body)
      : Function(name, Signature(), &Entry, kContext ? TERN_FUNCTION_NEEDS_CONTEXT : 0),
        body_(std::move(body)) {
    if constexpr (!kContext && kAreNumbers<R, P...>) {
      direct_tag_ = &direct_tag<R(P...)>;
      direct_ = reinterpret_cast<void (*)()>(&Direct);
    }
  }

 private:
  static R Direct(const Function* self, P... arguments) {
    return static_cast<const TypedFunction*>(self)->body_(std::forward<P>(arguments)...);
  }
  static std::string Signature() {
    const std::string_view names[] = {ParameterOf<P>::Name()..., ""};
    return SignatureText({names, sizeof...(P)}, ReturnOf<R>::Name());
  }
  static int32_t Entry(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
    const auto* function = static_cast<const TypedFunction*>(static_cast<Function*>(self));
    RunContext* context = nullptr;
    if constexpr (kContext) {
      context = ContextOf(args, num_args);
      if (context == nullptr) return ReturnError(MissingContext(function->name()), result);
    }
    constexpr size_t kSkip = kContext ? 1 : 0;
    const size_t count = static_cast<size_t>(num_args) - kSkip;
    if (count != sizeof...(P)) {
      return RefuseCount(*function, sizeof...(P), count, result);
    }
    if constexpr (kPlain) {
      return function->CallPlain(context, args, result, std::index_sequence_for<P...>());
    } else {
      return function->CallWith(context, reinterpret_cast<const AnyView*>(args) + kSkip, result,
                                std::index_sequence_for<P...>());
    }
  }
  static constexpr bool kPlain =
      sizeof...(P) <= kMaxPlain && ((PlainCodeOf<P>() != 0) && ...) &&
      ((!std::is_lvalue_reference_v<P> || ObjectClass<std::remove_cvref_t<P>> ||
        std::is_const_v<std::remove_reference_t<P>>)&&...);
  template <size_t... I>
  int32_t CallPlain([[maybe_unused]] RunContext* context, const TernAny* all, TernAny* result,
                    std::index_sequence<I...>) const {
    constexpr size_t kSkip = kContext ? 1 : 0;
    [[maybe_unused]] const TernAny* args = all + kSkip;
    if (!((args[I].type_code == PlainCodeOf<P>()) && ...)) [[unlikely]] {
      static constexpr TernTypeCode kCodes[] = {PlainCodeOf<P>()..., 0};
      static constexpr PlainSignature kSignature = {&Entry, kCodes, sizeof...(P), kSkip};
      return CallConverted(const_cast<TypedFunction*>(this), kSignature, all, result);
    }
    return StoreResult<R>(
        [&]() -> R {
          if constexpr (kContext)
            return body_(*context, PassPlain<P>(args[I])...);
          else
            return body_(PassPlain<P>(args[I])...);
        },
        result);
  }
  template <size_t... I>
  int32_t CallWith(RunContext* context, [[maybe_unused]] const AnyView* args, TernAny* result,
                   std::index_sequence<I...>) const {
    std::tuple<typename ParameterOf<P>::Held...> held{ParameterOf<P>::Take(args[I])...};
    if (!(static_cast<bool>(std::get<I>(held)) && ...)) [[unlikely]] {
      const bool good[] = {static_cast<bool>(std::get<I>(held))..., true};
      return Refuse(args, good, result);
    }
    return StoreResult<R>(
        [&]() -> R {
          if constexpr (kContext)
            return body_(*context, ParameterOf<P>::Pass(std::get<I>(held))...);
          else
            return body_(ParameterOf<P>::Pass(std::get<I>(held))...);
        },
        result);
  }
  // Says what is wrong with the first argument that is not good.
  [[gnu::noinline]] int32_t Refuse(const AnyView* args, const bool* good, TernAny* result) const {
    static constexpr Status (*kExplain[])(const TernAny&) = {&ParameterOf<P>::Explain..., nullptr};
    size_t index = 0;
    while (good[index]) ++index;
    return RefuseArgument(*this, index, kExplain[index](args[index].c_any()), result);
  }
  const F body_;
};

}  // namespace internal

namespace internal {
// The error of a call, or of a result that is no R; takes over the result.
template <typename R>
[[gnu::noinline, gnu::cold]] Result<R> FailedCall(const Function& function, int32_t code,
                                                  const TernAny& result) {
  if (code != 0) return ErrorOf(function, code, result);
  return WrongResult(function, AnyTraits<R>::Name(), result);
}
}  // namespace internal

template <typename R, typename... A>
[[gnu::always_inline]] inline Result<R> Function::CallAs(const A&... arguments) {
  static_assert(!std::same_as<R, std::string_view>, "it would point into a value that is gone");
  if constexpr (internal::kAreNumbers<R> && internal::kAreDirect<A...>) {
    using Body = R(internal::DirectNumber<A>...);
    using Direct = R (*)(const Function*, internal::DirectNumber<A>...);
    if (direct_tag_ == &internal::direct_tag<Body>) [[likely]]
      return reinterpret_cast<Direct>(direct_)(
          this, static_cast<internal::DirectNumber<A>>(arguments)...);
  }
  const AnyView args[sizeof...(A) + (sizeof...(A) == 0 ? 1 : 0)] = {AnyView(arguments)...};
  TernAny result{};
  const int32_t code = Call(reinterpret_cast<const TernAny*>(args), sizeof...(A), &result);
  if (code != 0) [[unlikely]]
    return internal::FailedCall<R>(*this, code, result);
  if constexpr (std::same_as<R, Any>) {
    return Any::Adopt(result);
  } else {
    std::optional<R> value = AnyTraits<R>::TryCast(result);
    if (!value.has_value()) [[unlikely]]
      return internal::FailedCall<R>(*this, 0, result);
    internal::ReleaseAny(result);
    return *std::move(value);
  }
}

template <int N>
Status Function::InvokeInto(AnyPad<N>* result, std::initializer_list<AnyView> args) {
  const int32_t code = Call(reinterpret_cast<const TernAny*>(args.begin()),
                            static_cast<int32_t>(args.size()), result->result());
  if (code == 0) [[likely]]
    return OkStatus();
  return internal::ErrorOf(*this, code, result->Release());
}

template <typename F>
FunctionPtr Function::FromPacked(std::string_view name, F body, std::string_view signature) {
  constexpr bool kContext = std::is_invocable_v<const F&, RunContext&, AnyArgs>;
  return MakeObject<internal::PackedFunction<F, kContext>>(name, signature, std::move(body));
}
template <typename F>
FunctionPtr Function::FromTyped(std::string_view name, F body) {
  using Callable = internal::CallableOf<F>;
  using Split = internal::SplitContext<typename Callable::Parameters>;
  using Wrapped = internal::TypedFunction<F, typename Callable::Return, Split::kHasContext,
                                          typename Split::Rest>;
  return MakeObject<Wrapped>(name, std::move(body));
}

}  // namespace tern

#endif  // TERN_CORE_OBJECT_FUNCTION_H_
