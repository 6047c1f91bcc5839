// SPDX-License-Identifier: Apache-2.0
// Table: the one container behind Map<K, V> (map.h) and Dict<K, V> (dict.h): keys and values of any
// kind, in the order of insertion.
//
// Entries are pairs of 8-byte items (item.h) in a dense array; an index of (hash, position) cells,
// open addressing with linear probing and no tombstones, finds them. Removal leaves a hole in the
// array, which is closed up when holes outnumber entries. Hashes are seeded per table, and a probe
// that grows longer than chance makes it gives the table a new seed, so keys made to collide do not
// stay so.
//
// Keys are equal when they are of one kind and value: text by its characters however it is held,
// bytes, code points and shapes by content, floats by value (all NaNs are one key, -0 is 0), other
// objects by identity. An int, a bool and a float are never equal.
//
// Dicts share a table, maps copy one that others hold before they write (see Sequence). Concurrent
// reads are safe; writes need the table to themselves.
#ifndef TERN_CORE_OBJECT_CONTAINERS_TABLE_H_
#define TERN_CORE_OBJECT_CONTAINERS_TABLE_H_

#include <cstddef>
#include <iterator>
#include <optional>

#include "core/object/containers/item.h"

namespace tern {

class Table : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_MAP;
  static constexpr uint32_t kMaxProbe = 128;  // of a small table
  static ObjectPtr<Table> Make() { return MakeObject<Table>(); }

  struct Entry {
    AnyView key;
    AnyView value;
  };
  // For readers that know the kinds.
  struct Items {
    internal::Item key;
    internal::Item value;
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // The value, borrowed until the next write.
  std::optional<AnyView> Find(const AnyView& key) const;
  std::optional<AnyView> FindText(std::string_view key) const;
  // Null if there is none.
  const internal::Item* FindItem(const AnyView& key) const;
  const internal::Item* FindTextItem(std::string_view key) const;
  bool Contains(const AnyView& key) const { return FindItem(key) != nullptr; }
  // The error names the key.
  Result<Any> At(const AnyView& key) const;

  // Puts or replaces; a key that is there keeps its place. True if it was not there: then what a
  // moved key offers is taken. Finding and erasing only look at it.
  bool Set(const AnyView& key, Any value);
  bool SetText(std::string_view key, Any value);
  // True if there was one.
  bool Erase(const AnyView& key);
  void Clear();
  void Reserve(size_t count);

  // Walks past holes; good until the next write.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Entry;

    Iterator() = default;
    Iterator(const Items* at, const Items* end) : at_(at), end_(end) { SkipHoles(); }
    Entry operator*() const { return {AnyView(at_->key.View()), AnyView(at_->value.View())}; }
    const Items& items() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      SkipHoles();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void SkipHoles() {
      while (at_ != end_ && at_->key.is_hole()) ++at_;
    }
    const Items* at_ = nullptr;
    const Items* end_ = nullptr;
  };
  Iterator begin() const { return {entries_, entries_ + used_}; }
  Iterator end() const { return {entries_ + used_, entries_ + used_}; }

  // The same entries in the same order; slots are copied, objects shared.
  ObjectPtr<Table> Copy() const;
  bool is_frozen() const { return frozen_; }
  // Only for the sole holder.
  void set_frozen(bool frozen) { frozen_ = frozen; }
  // What putting one more entry takes at once; 0 where there is room.
  uint64_t GrowthBytes() const {
    const uint64_t cells = cells_ == nullptr ? 0 : 2 * (uint64_t{cell_mask_} + 1);
    return used_ < capacity_ ? 0 : cells * (sizeof(Cell) + sizeof(Items));
  }
  // Memory held besides this object and the objects in it.
  size_t memory_bytes() const;
  // The most cells that finding any of the keys looks at; for tests.
  size_t LongestProbe() const;
  // What it may be before the table takes a new seed; grows with the table, as chance has it.
  uint32_t MostProbes() const;
  // How often that was passed since the table was made.
  uint32_t reseeds() const { return reseeds_; }

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  struct Cell {
    uint32_t hash;
    uint32_t position;  // kEmpty: free
  };
  // A key in the form in which it is compared, and its hash.
  struct Probe;
  static constexpr uint32_t kEmpty = UINT32_MAX;
  Table();
  ~Table();

  Probe MakeProbe(const TernAny& key) const;
  Probe MakeTextProbe(std::string_view text) const;
  // The cell of a key, or the free cell where it would go. The index must not be empty.
  template <typename Matches>
  Cell* FindCell(uint32_t hash, Matches matches) const;
  Cell* FindImmediate(internal::Item key, uint32_t hash) const;
  Cell* FindOther(const Probe& probe) const;
  const internal::Item* ValueAt(const Cell* cell) const {
    return cell->position == kEmpty ? nullptr : &entries_[cell->position].value;
  }
  bool SetProbed(const Probe& probe, Any value);
  // Puts a value where there is one; else false.
  bool Replace(const Cell* cell, Any* value);
  void Append(Cell* cell, uint32_t hash, internal::Item key, Any value);
  internal::Item MakeKey(const Probe& probe);
  uint32_t HashOf(internal::Item key) const;
  // Room for one more entry: closes holes up, or grows.
  void MakeRoom();
  void CloseHoles();
  void SetCells(size_t count);
  void PlaceCell(Cell cell);
  void PlaceCells();
  void Reseed();
  void RemoveCell(Cell* cell);

  Items* entries_ = nullptr;
  Cell* cells_ = nullptr;
  uint32_t size_ = 0;
  uint32_t used_ = 0;       // entries and holes
  uint32_t capacity_ = 0;   // of entries_
  uint32_t cell_mask_ = 0;  // number of cells - 1, where there are any
  uint64_t seed_;
  internal::ItemPool pool_;
  uint32_t reseeds_ = 0;
  bool frozen_ = false;
};

using TablePtr = ObjectPtr<Table>;

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_TABLE_H_
