// SPDX-License-Identifier: Apache-2.0
// AnyPad<N>: an Any with N more words behind it, for text of up to 7 + 8 N bytes, or 2 + 2 N code
// points, without a heap object.
// RFC 97 calls this feature padded Any; the reader's side of it is internal::Resolve in any.cc.
//
// The layout is TernAny's, with v.bytes going on (core/abi/abi.h). Empty, it tells its capacity, so
// that a callee that gets it as its result can put longer text there (Function::InvokeInto). An
// AnyPad is passed on as a view: by value where its content fits 16 bytes, else by address, in
// which case the view must not outlive it. Where it is kept in an Any, longer text becomes a string
// object.
#ifndef TERN_CORE_OBJECT_ANY_PAD_H_
#define TERN_CORE_OBJECT_ANY_PAD_H_

#include <concepts>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/object/any.h"

namespace tern {

namespace internal {
// Bytes from v.bytes on that an empty value has.
inline size_t CapacityOf(const TernAny& empty) {
  const bool told = empty.type_code == TERN_TYPE_NONE && empty.small_len > 8;
  return told ? static_cast<size_t>(empty.small_len) : sizeof(TernAny::v);
}
// Puts owned text into an empty value of any capacity: in place if it and its zero fit; code points
// have no zero behind them.
void StoreText(std::string_view text, TernAny* empty);
void StoreText(std::u32string_view text, TernAny* empty);
// The same for a value: padded or indirect text that fits, else what OwnAny gives.
void StoreAny(const TernAny& value, TernAny* empty);
}  // namespace internal

template <int N>
class AnyPad {
 public:
  static_assert(N > 0 && N < 1024, "an Any has no padding");
  static constexpr size_t kCapacity = 8 + 8 * size_t{N};  // bytes, the zero included

  AnyPad() { SetEmpty(); }
  AnyPad(const AnyPad& other) : AnyPad() { *this = other; }
  AnyPad(AnyPad&& other) noexcept {
    std::memcpy(static_cast<void*>(this), &other, sizeof *this);
    other.SetEmpty();
  }
  template <typename T>
    requires(
        requires(T v) { Any(std::move(v)); } && !requires(T v) { v.kCapacity; })
  AnyPad(T value) : AnyPad() {  // NOLINT: implicit by design
    if constexpr (requires { value.is_inline(); }) {  // String, UCS4String
      if (value.is_inline())
        internal::StoreText(value.view(), &any_);
      else  // shares its buffer
        Set(AnyView(Any(std::move(value))));
    } else if constexpr (requires { std::string_view(value); }) {
      internal::StoreText(value, &any_);
    } else {
      Set(AnyView(static_cast<const T&>(value)));
    }
  }
  AnyPad(AnyView view) : AnyPad() { Set(view); }  // NOLINT
  template <int M>
    requires(M != N)
  AnyPad(const AnyPad<M>& other) : AnyPad(other.view()) {}  // NOLINT
  AnyPad& operator=(const AnyPad& other) {
    if (this != &other) Set(other.view());
    return *this;
  }
  AnyPad& operator=(AnyPad&& other) noexcept {
    if (this == &other) return *this;
    Reset();
    std::memcpy(static_cast<void*>(this), &other, sizeof *this);
    other.SetEmpty();
    return *this;
  }
  ~AnyPad() { internal::ReleaseAny(any_); }

  // Borrows this. Text too long for 16 bytes is seen by address.
  AnyView view() const {
    if (any_.type_code == TERN_TYPE_NONE) return AnyView();
    if (!IsLong()) return AnyView(any_);
    return AnyView(internal::MakePointerAny(TERN_TYPE_PADDED, const_cast<TernAny*>(&any_)));
  }
  operator AnyView() const { return view(); }  // NOLINT: as Any does
  // Boxes longer text.
  Any Narrow() const { return Any(view()); }
  void Set(AnyView value) {
    AnyPad old(std::move(*this));  // value may be a view of this
    if (value.c_any().type_code == TERN_TYPE_PADDED && value.c_any().v.p == &any_)
      value = old.view();
    internal::StoreAny(value.c_any(), &any_);
  }
  void Reset() {
    internal::ReleaseAny(any_);
    SetEmpty();
  }

  TernTypeCode type_code() const { return any_.type_code; }
  bool is_none() const { return any_.type_code == TERN_TYPE_NONE; }
  bool is_object() const { return internal::HoldsObject(any_); }
  // As AnyView; text points into this.
  template <typename T>
  auto TryCast() const {
    if constexpr (kPointsIntoThis<T>)
      return AnyTraits<T>::TryCast(any_);
    else
      return view().template TryCast<T>();
  }
  template <typename T>
  auto As() const {
    if constexpr (kPointsIntoThis<T>) {
      std::optional<T> cast = AnyTraits<T>::TryCast(any_);
      return cast.has_value() ? Result<T>(*cast) : Result<T>(internal::ExplainCast<T>(any_));
    } else {
      return view().template As<T>();
    }
  }

  // Emptied, as the result of a call. Read type_code and small_len of c_any() only: a copy of it
  // may be cut.
  TernAny* result() {
    Reset();
    return &any_;
  }
  const TernAny& c_any() const { return any_; }
  // Moves out a value of 16 bytes, longer text in a box.
  [[nodiscard]] TernAny Release() {
    Any narrow = Narrow();
    Reset();
    return narrow.Release();
  }

 private:
  template <typename T>
  static constexpr bool kPointsIntoThis =
      std::same_as<T, std::string_view> || std::same_as<T, const char*>;

  bool IsLong() const {
    return (any_.type_code == TERN_TYPE_SMALL_STRING && any_.small_len > 7) ||
           (any_.type_code == TERN_TYPE_SMALL_UCS4 && any_.small_len > 2);
  }
  void SetEmpty() {
    std::memset(static_cast<void*>(this), 0, sizeof *this);
    any_.small_len = static_cast<int32_t>(kCapacity);
  }

  TernAny any_;
  uint64_t pad_[N];
};

// Parameters and results of typed functions.
template <int N>
struct AnyTraits<AnyPad<N>> {
  static std::string_view Name() { return "anything"; }
  static std::optional<AnyPad<N>> TryCast(const TernAny& any) {
    if (!AnyTraits<AnyView>::TryCast(any).has_value()) return std::nullopt;
    return AnyPad<N>(AnyView(any));
  }
};

static_assert(sizeof(AnyPad<1>) == 24 && sizeof(AnyPad<3>) == 40);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ANY_PAD_H_
