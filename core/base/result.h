// SPDX-License-Identifier: Apache-2.0
// Result<T>: a T, or the Status that says why there is none; and the two macros that pass errors
// up.
//
// Used at module boundaries (per file, per function, per pass), never per byte or per instruction:
// in inner loops it costs 2.6 times the code of a sticky reader. T need not be default
// constructible.
#ifndef TERN_CORE_BASE_RESULT_H_
#define TERN_CORE_BASE_RESULT_H_

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "core/base/status.h"

namespace tern {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // From an error; an ok Status here is a bug.
  Result(Status status) : status_(std::move(status)) {  // NOLINT: implicit by design
    TERN_CHECK(!status_.ok(), "a Result made from an ok Status holds no value");
  }
  template <typename U = T>
    requires(std::constructible_from<T, U &&> && !std::same_as<std::remove_cvref_t<U>, Result> &&
             !std::same_as<std::remove_cvref_t<U>, Status>)
  Result(U&& value) {  // NOLINT: implicit by design
    new (&value_) T(std::forward<U>(value));
    has_value_ = true;
  }
  // A moved-from Result still has its (moved-from) value, or still has none.
  Result(Result&& other) noexcept
      : status_(std::move(other.status_)), has_value_(other.has_value_) {
    if (has_value_) new (&value_) T(std::move(other.value_));
  }
  Result& operator=(Result&& other) noexcept {
    if (this != &other) {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (has_value_) value_.~T();
  }

  bool ok() const { return has_value_; }
  const Status& status() const& { return status_; }
  // The error, moved out of a Result that has one.
  Status status() && {
    TERN_CHECK(!has_value_, "the error of a Result that has a value");
    return std::move(status_);
  }

  T& value() & { return Checked(); }
  const T& value() const& { return const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(Checked()); }
  // Behind a test of ok(), so that it is not asked twice.
  T&& KnownValue() && { return std::move(value_); }
  T& operator*() & { return Checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->Checked(); }
  T&& operator*() && { return std::move(Checked()); }
  T* operator->() { return &Checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->Checked(); }

 private:
  T& Checked() {
    TERN_CHECK(has_value_, "the value of a Result that holds an error");
    return value_;
  }

  Status status_;
  bool has_value_ = false;
  union {
    T value_;
  };
};

namespace internal {
inline Status TakeStatus(Status&& status) { return std::move(status); }
template <typename T>
Status TakeStatus(Result<T>&& result) {
  return result.ok() ? Status() : std::move(result).status();
}
}  // namespace internal

}  // namespace tern

#define TERN_CONCAT_(a, b) a##b
#define TERN_CONCAT(a, b) TERN_CONCAT_(a, b)

// TERN_TRY(DoIt()); returns the error, if any, from the enclosing function (of Status or any
// Result<T>).
#define TERN_TRY(...)                                                           \
  do {                                                                          \
    ::tern::Status tern_try_status = ::tern::internal::TakeStatus(__VA_ARGS__); \
    if (!tern_try_status.ok()) [[unlikely]]                                     \
      return tern_try_status;                                                   \
  } while (false)

// TERN_TRY_ASSIGN(auto x, MakeX()): the same for a Result<T>, whose value goes into x. It is two
// statements, so it may not be the body of an `if` without braces.
#define TERN_TRY_ASSIGN(lhs, ...) \
  TERN_TRY_ASSIGN_(TERN_CONCAT(tern_try_, __LINE__), lhs, __VA_ARGS__)
#define TERN_TRY_ASSIGN_(name, lhs, ...) \
  auto name = (__VA_ARGS__);             \
  if (!name.ok()) [[unlikely]]           \
    return std::move(name).status();     \
  lhs = std::move(name).KnownValue()

#endif  // TERN_CORE_BASE_RESULT_H_
