// SPDX-License-Identifier: Apache-2.0
// Catching: wraps a C++ callable that may throw, for Function::FromTyped and FromPacked, so that no
// exception crosses a packed call.
//
//   Function::FromTyped("load", Catching([](std::string_view path) { return Load(path); }));
//
// What it throws becomes an error of the function: the what() of a std::exception, else "unknown
// exception". The result is Result<R> (Status for void), so the callable may return a value, void,
// Status, or Result. For code compiled with exceptions; core is not.
#ifndef TERN_NATIVE_CPP_CATCHING_H_
#define TERN_NATIVE_CPP_CATCHING_H_

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "core/base/result.h"

namespace tern::native {

namespace internal {

// What a callable that returns R is wrapped to return.
template <typename R>
struct Caught {
  using Type = Result<R>;
};
template <>
struct Caught<void> {
  using Type = Status;
};
template <>
struct Caught<Status> {
  using Type = Status;
};
template <typename T>
struct Caught<Result<T>> {
  using Type = Result<T>;
};

template <typename F, typename R, typename... P>
auto CatchingAs(F body, R (F::*)(P...) const) {
  using Type = typename Caught<R>::Type;
  return [body = std::move(body)](P... arguments) -> Type {
    try {
      if constexpr (std::is_void_v<R>) {
        body(std::forward<P>(arguments)...);
        return OkStatus();
      } else {
        return body(std::forward<P>(arguments)...);
      }
    } catch (const std::bad_alloc&) {
      return OutOfMemory("an exception in the callee: out of memory");
    } catch (const std::exception& thrown) {
      return Failed("an exception in the callee: ", thrown.what());
    } catch (...) {
      return Failed("an unknown exception in the callee");
    }
  };
}

}  // namespace internal

template <typename F>
auto Catching(F body) {
  return internal::CatchingAs(std::move(body), &F::operator());
}

}  // namespace tern::native

#endif  // TERN_NATIVE_CPP_CATCHING_H_
