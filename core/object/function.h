// SPDX-License-Identifier: Apache-2.0
// Function: a packed function with its name and signature, callable from C, bytecode and C++ alike.
//
//   auto add = Function::FromTyped("add", [](int64_t a, int64_t b) { return a + b; });
//   Result<Any> sum = add->Invoke({1, 2});
//
// Typed functions check count and kinds of their arguments; errors name the function, the
// argument's index, what was expected and what came. They may return a value, void, Status, or
// Result<value>. A first parameter `RunContext&` makes the function needs_context: callers pass the
// context in front, and it is not counted as an argument. Bodies may be called from several threads
// at once, so their call operator is const.
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
};

using FunctionPtr = ObjectPtr<Function>;

namespace internal {

// Stores the error in *result and returns its code.
int32_t ReturnError(Status status, TernAny* result);
inline int32_t ReturnAny(Any value, TernAny* result) {
  *result = value.Release();
  return 0;
}
Status WrongCount(std::string_view function, std::string_view signature, size_t expected,
                  size_t got);
Status WrongArgument(std::string_view function, size_t index, std::string_view expected,
                     const TernAny& got);
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
  static Value& Pass(Held& held) { return *held; }
};
template <typename P>
  requires ObjectClass<std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<P>>>>
struct ParameterOf<P> {
  using Value = std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<P>>>;
  using Held = Value*;
  static std::string_view Name() { return AnyBase::TypeKeyOf<Value>(); }
  static Held Take(const AnyView& arg) { return arg.TryCast<Value>(); }
  static P Pass(Held held) {
    if constexpr (std::is_pointer_v<std::remove_reference_t<P>>)
      return held;
    else
      return *held;
  }
};

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
    if constexpr (std::same_as<typename R::value_type, Any>)
      return ReturnAny(*std::move(value), result);
    else
      return ReturnAny(Any(*std::move(value)), result);
  } else if constexpr (std::same_as<R, Any>) {
    return ReturnAny(call(), result);
  } else {
    return ReturnAny(Any(call()), result);
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
        body_(std::move(body)) {}

 private:
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
      return ReturnError(WrongCount(function->name(), function->signature(), sizeof...(P), count),
                         result);
    }
    return function->CallWith(context, reinterpret_cast<const AnyView*>(args) + kSkip, result,
                              std::index_sequence_for<P...>());
  }
  template <size_t... I>
  int32_t CallWith(RunContext* context, [[maybe_unused]] const AnyView* args, TernAny* result,
                   std::index_sequence<I...>) const {
    std::tuple<typename ParameterOf<P>::Held...> held{ParameterOf<P>::Take(args[I])...};
    Status bad;
    (void)((std::get<I>(held)
                ? true
                : (bad = WrongArgument(name(), I, ParameterOf<P>::Name(), args[I].c_any()),
                   false)) &&
           ...);
    if (!bad.ok()) return ReturnError(std::move(bad), result);
    return StoreResult<R>(
        [&]() -> R {
          if constexpr (kContext)
            return body_(*context, ParameterOf<P>::Pass(std::get<I>(held))...);
          else
            return body_(ParameterOf<P>::Pass(std::get<I>(held))...);
        },
        result);
  }
  const F body_;
};

}  // namespace internal

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
