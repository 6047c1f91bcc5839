// SPDX-License-Identifier: Apache-2.0
// What List<T> and Array<T> have in common: typed reading and writing of a Sequence.
#ifndef TERN_CORE_OBJECT_CONTAINERS_SEQUENCE_VIEW_H_
#define TERN_CORE_OBJECT_CONTAINERS_SEQUENCE_VIEW_H_

#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>

#include "core/object/containers/container_view.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/typed.h"

namespace tern::internal {

// The T of an item; AnyView for Any.
template <typename T>
using ReadOf = std::conditional_t<Untyped<T>, AnyView, T>;

template <typename T>
ReadOf<T> ReadItem(Item item) {
  if constexpr (Untyped<T>) {
    return AnyView(item.View());
  } else {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      if (item.tag() == Item::kInt && std::in_range<T>(item.AsInt())) [[likely]]
        return static_cast<T>(item.AsInt());
    } else if constexpr (std::same_as<T, double>) {
      if (item.tag() == Item::kFloat) return __builtin_bit_cast(double, item.bits() & ~uint64_t{7});
    }
    return ReadAs<T>(item.View());
  }
}

// kCopyOnWrite: an array, else a list.
template <typename T, bool kCopyOnWrite>
class SequenceView : public ContainerView<Sequence, kCopyOnWrite> {
  using Base = ContainerView<Sequence, kCopyOnWrite>;
  static_assert(!std::same_as<T, std::string_view> && !std::same_as<T, AnyView>,
                "a container owns its items: use String, or Any");

 public:
  using value_type = T;
  using Read = ReadOf<T>;
  using Base::object, Base::size;

  // index < size(). An AnyView is borrowed until the next write.
  Read operator[](size_t index) const {
    TERN_DCHECK(index < size());
    return ReadItem<T>(object()->items()[index]);
  }
  // For indices that come from outside.
  Result<T> At(int64_t index) const {
    TERN_TRY_ASSIGN(Any value, object()->At(index));
    if constexpr (Untyped<T>)
      return value;
    else
      return value.template As<T>();
  }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Read;

    Iterator() = default;
    explicit Iterator(const Item* at) : at_(at) {}
    Read operator*() const { return ReadItem<T>(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    const Item* at_ = nullptr;
  };
  // Good until the next write.
  Iterator begin() const { return Iterator(object()->items().data()); }
  Iterator end() const { return Iterator(object()->items().data() + size()); }

  template <InsertableAs<T> U>
  void PushBack(U&& value) {
    Push(Writable(), std::forward<U>(value));
  }
  // The name that std::back_inserter looks for.
  template <InsertableAs<T> U>
  void push_back(U&& value) {
    PushBack(std::forward<U>(value));
  }
  template <InsertableAs<T> U>
  void Set(size_t index, U&& value) {
    Writable()->Set(index, ToItem<T>(std::forward<U>(value)));
  }
  template <InsertableAs<T> U>
  void Insert(size_t index, U&& value) {
    Writable()->Insert(index, ToItem<T>(std::forward<U>(value)));
  }
  void Erase(size_t index) { Writable()->Erase(index); }
  T PopBack() {
    Any last = Writable()->PopBack();
    if constexpr (Untyped<T>)
      return last;
    else
      return ReadAs<T>(last.c_any());
  }

 protected:
  using Base::Base, Base::Writable;

  template <typename U>
  static void Push(Sequence* sequence, U&& value) {
    using Value = std::remove_cvref_t<U>;
    if constexpr (std::integral<Value> && !std::same_as<Value, bool> &&
                  (Untyped<T> || std::integral<T>)) {
      sequence->PushInt(static_cast<int64_t>(value));
    } else if constexpr (TextLike<U>) {
      sequence->PushText(value);
    } else if constexpr (Untyped<T> && !std::same_as<Value, Any> &&
                         std::constructible_from<AnyView, U>) {
      sequence->PushBack(AnyView(value));
    } else {
      sequence->PushBack(ToItem<T>(std::forward<U>(value)));
    }
  }
};

// AnyTraits of a view F of Sequence.
template <typename F>
struct SequenceTraits : ViewTraits<F> {
  using T = typename F::value_type;

  static std::string NameText() {
    if constexpr (Untyped<T>)
      return F::kName;
    else
      return StrCat(F::kName, "<", NameOf<T>(), ">");
  }
  inline static const std::string kNameText = NameText();
  static std::string_view Name() { return kNameText; }
  static Status Mismatch(const TernAny& any) {
    const SequencePtr sequence = SequenceOf(any, F::kIsValue);
    if (sequence == nullptr) return CastError(Name(), any);
    return ItemMismatch(*sequence);
  }
  static std::optional<F> TryCast(const TernAny& any) {
    SequencePtr sequence = SequenceOf(any, F::kIsValue);
    if (sequence == nullptr || !ItemMismatch(*sequence).ok()) return std::nullopt;
    return F(std::move(sequence));
  }
  // Shares a sequence of its own kind, copies one of the other; arrays are made of tuples too.
  static F Trusted(const TernAny& any) { return F(SequenceOf(any, F::kIsValue)); }

 private:
  static Status ItemMismatch([[maybe_unused]] const Sequence& sequence) {
    if constexpr (!Untyped<T>) {
      for (size_t i = 0; i < sequence.size(); ++i) {
        Status status = internal::Mismatch<T>(sequence[i].c_any());
        if (!status.ok()) return AtItem(Name(), StrCat("item ", i), std::move(status));
      }
    }
    return OkStatus();
  }
};

}  // namespace tern::internal

#endif  // TERN_CORE_OBJECT_CONTAINERS_SEQUENCE_VIEW_H_
