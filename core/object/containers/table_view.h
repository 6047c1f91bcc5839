// SPDX-License-Identifier: Apache-2.0
// What Map<K, V> and Dict<K, V> have in common: typed reading and writing of a Table.
#ifndef TERN_CORE_OBJECT_CONTAINERS_TABLE_VIEW_H_
#define TERN_CORE_OBJECT_CONTAINERS_TABLE_VIEW_H_

#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>

#include "core/object/containers/sequence_view.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"

namespace tern::internal {

// kCopyOnWrite: a map, else a dict.
template <typename K, typename V, bool kCopyOnWrite>
class TableView : public ContainerView<Table, kCopyOnWrite> {
  using Base = ContainerView<Table, kCopyOnWrite>;
  static_assert(!std::same_as<K, std::string_view> && !std::same_as<V, std::string_view>,
                "a container owns its items: use String, or Any");

 public:
  using key_type = K;
  using mapped_type = V;
  struct Entry {
    ReadOf<K> key;
    ReadOf<V> value;
  };

  using Base::object;

  template <InsertableAs<K> U>
  bool Contains(const U& key) const {
    return FindItem(key) != nullptr;
  }
  // An AnyView is borrowed until the next write.
  template <InsertableAs<K> U>
  std::optional<ReadOf<V>> Find(const U& key) const {
    const Item* item = FindItem(key);
    if (item == nullptr) return std::nullopt;
    return ReadItem<V>(*item);
  }
  // The key must be there; Find and At are for keys that may not be.
  template <InsertableAs<K> U>
  ReadOf<V> operator[](const U& key) const {
    const Item* item = FindItem(key);
    TERN_CHECK(item != nullptr, "a key that is not in the map");
    return ReadItem<V>(*item);
  }
  // The error names the key.
  template <InsertableAs<K> U>
  Result<V> At(const U& key) const {
    TERN_TRY_ASSIGN(Any value, object()->At(AnyView(ToItem<K>(key))));
    if constexpr (Untyped<V>)
      return value;
    else
      return value.template As<V>();
  }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Entry;

    Iterator() = default;
    explicit Iterator(Table::Iterator at) : at_(at) {}
    Entry operator*() const {
      return {ReadItem<K>(at_.items().key), ReadItem<V>(at_.items().value)};
    }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    Table::Iterator at_;
  };
  // In the order of insertion; good until the next write.
  Iterator begin() const { return Iterator(object()->begin()); }
  Iterator end() const { return Iterator(object()->end()); }

  // Puts or replaces; a key that is there keeps its place. True if it was not there.
  template <InsertableAs<K> U, InsertableAs<V> W>
  bool Set(const U& key, W&& value) {
    if constexpr (TextLike<U>)
      return Writable()->SetText(std::string_view(key), ToItem<V>(std::forward<W>(value)));
    else if constexpr (std::same_as<U, String>)
      return SetString(key, ToItem<V>(std::forward<W>(value)));
    else if constexpr (std::constructible_from<AnyView, const U&>)
      return Writable()->Set(AnyView(key), ToItem<V>(std::forward<W>(value)));
    else
      return Writable()->Set(AnyView(ToItem<K>(key)), ToItem<V>(std::forward<W>(value)));
  }
  // True if there was one.
  template <InsertableAs<K> U>
  bool Erase(const U& key) {
    if (FindItem(key) == nullptr) return false;  // nothing to copy for
    return Writable()->Erase(AnyView(ToItem<K>(key)));
  }

 protected:
  using Base::Base, Base::Writable;

 private:
  // Longer text is shared, shorter text copied into the item or its slot.
  bool SetString(const String& key, Any value) {
    if (key.size() <= Item::kMaxSlotText) return Writable()->SetText(key.view(), std::move(value));
    return Writable()->Set(AnyView(key), std::move(value));
  }
  template <typename U>
  const Item* FindItem(const U& key) const {
    if constexpr (TextLike<U>)
      return object()->FindTextItem(std::string_view(key));
    else if constexpr (std::same_as<U, String>)
      return object()->FindTextItem(key.view());
    else if constexpr (std::constructible_from<AnyView, const U&>)
      return object()->FindItem(AnyView(key));
    else
      return object()->FindItem(AnyView(ToItem<K>(key)));
  }
};

// AnyTraits of a view F of Table.
template <typename F>
struct TableTraits : ViewTraits<F> {
  using K = typename F::key_type;
  using V = typename F::mapped_type;

  static std::string NameText() {
    if constexpr (Untyped<K> && Untyped<V>)
      return F::kName;
    else
      return StrCat(F::kName, "<", NameOf<K>(), ", ", NameOf<V>(), ">");
  }
  inline static const std::string kNameText = NameText();
  static std::string_view Name() { return kNameText; }
  static Status Mismatch(const TernAny& any) {
    const Table* table = AnyView(any).TryCast<Table>();
    if (table == nullptr) return CastError(Name(), any);
    if constexpr (Untyped<K> && Untyped<V>) return OkStatus();
    for (const Table::Entry& entry : *table) {
      Status status = internal::Mismatch<K>(entry.key.c_any());
      if (!status.ok())
        return AtItem(Name(), StrCat("key ", PrintValue(entry.key)), std::move(status));
      status = internal::Mismatch<V>(entry.value.c_any());
      if (!status.ok())
        return AtItem(Name(), StrCat("value of ", PrintValue(entry.key)), std::move(status));
    }
    return OkStatus();
  }
  static std::optional<F> TryCast(const TernAny& any) {
    if (!Mismatch(any).ok()) return std::nullopt;
    return Trusted(any);
  }
  // Shares a table of its own kind, copies one of the other.
  static F Trusted(const TernAny& any) { return F(TablePtr(AnyView(any).TryCast<Table>())); }
};

}  // namespace tern::internal

#endif  // TERN_CORE_OBJECT_CONTAINERS_TABLE_VIEW_H_
