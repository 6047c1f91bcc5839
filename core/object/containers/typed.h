// SPDX-License-Identifier: Apache-2.0
// What the typed views of containers share: which C++ values may go into a container of T, how a T
// is read from a value, how T is called in messages.
//
// Insertion into a container of T is decided by the compiler: it takes T, what converts to T
// without loss (int to int64_t or double, text to String), nothing else. What is already in a
// container that comes as a plain value is checked item by item when it is cast, and
// internal::Mismatch names the item: "expected list<int>: item 1: expected int, got string "a"".
#ifndef TERN_CORE_OBJECT_CONTAINERS_TYPED_H_
#define TERN_CORE_OBJECT_CONTAINERS_TYPED_H_

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/object/strings/string.h"

namespace tern {

template <typename T>
concept Untyped = std::same_as<T, Any>;

namespace internal {

template <typename T>
concept TextLike = std::convertible_to<T, std::string_view>;

// No float to int, no number to bool or back, no int that a double cannot hold, no narrower int.
template <typename From, typename To>
concept LosslessNumber =
    std::is_arithmetic_v<From> && std::is_arithmetic_v<To> &&
    (std::same_as<From, To> ||
     (!std::same_as<From, bool> && !std::same_as<To, bool> && !std::same_as<From, char> &&
      ((std::integral<From> && std::integral<To> && sizeof(From) <= sizeof(To) &&
        std::is_signed_v<From> == std::is_signed_v<To>) ||
       (std::unsigned_integral<From> && std::signed_integral<To> && sizeof(From) < sizeof(To)) ||
       (std::integral<From> && std::same_as<To, double> && sizeof(From) <= 4) ||
       (std::floating_point<From> && std::floating_point<To> && sizeof(From) <= sizeof(To)))));

}  // namespace internal

// Whether a container of T takes a U.
template <typename U, typename T>
concept InsertableAs =
    std::same_as<std::remove_cvref_t<U>, T> ||
    (Untyped<T> && (std::constructible_from<Any, U> || std::constructible_from<AnyView, U>)) ||
    internal::LosslessNumber<std::remove_cvref_t<U>, T> ||
    (std::same_as<T, String> && internal::TextLike<U>) ||
    (!Untyped<T> && !std::is_arithmetic_v<T> && !std::is_arithmetic_v<std::remove_cvref_t<U>> &&
     std::convertible_to<U, T>);

namespace internal {

// Typed views have NameText; other types Name.
template <typename T>
std::string NameOf() {
  if constexpr (requires { AnyTraits<T>::NameText(); })
    return AnyTraits<T>::NameText();
  else
    return std::string(AnyTraits<T>::Name());
}

// Why a value is no T; ok if it is one.
template <typename T>
Status Mismatch(const TernAny& any) {
  if constexpr (requires { AnyTraits<T>::Mismatch(any); }) {
    return AnyTraits<T>::Mismatch(any);
  } else {
    return AnyTraits<T>::TryCast(any).has_value() ? OkStatus() : CastError(NameOf<T>(), any);
  }
}

Status AtItem(std::string_view container, std::string_view what, Status inner);

// The T of a value that was checked to be one. Ends the process where another holder of the same
// container, who sees it untyped, has since put something else there.
template <typename T>
T ReadAs(const TernAny& any) {
  if constexpr (requires { AnyTraits<T>::Trusted(any); }) {
    return AnyTraits<T>::Trusted(any);
  } else {
    auto value = AnyTraits<T>::TryCast(any);
    TERN_CHECK(value.has_value(), "an item of a typed container was changed to another type");
    return *std::move(value);
  }
}

// An owned value of a U that a container of T takes.
template <typename T, typename U>
Any ToItem(U&& value) {
  if constexpr (Untyped<T>) {
    if constexpr (std::constructible_from<Any, U>)
      return Any(std::forward<U>(value));
    else
      return Any(AnyView(std::forward<U>(value)));
  } else if constexpr (TextLike<U>) {
    return Any(std::string_view(value));
  } else {
    return Any(static_cast<T>(std::forward<U>(value)));
  }
}

}  // namespace internal
}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_TYPED_H_
