// SPDX-License-Identifier: Apache-2.0
// Sequence: the one container behind List<T> (list.h) and Array<T> (array.h): a vector of 8-byte
// items (item.h) of values of any kind.
//
// Reads give AnyView, borrowed until the sequence is next written, or Any. A sequence belongs
// either to lists, which share it and see each other's writes, or to arrays, which copy it before
// they write to one that others hold; is_frozen() tells which. Handed from the one to the other it
// is reused where nobody else holds it, else copied, so an array never changes under its reader.
// Concurrent reads are safe; writes need the sequence to themselves.
#ifndef TERN_CORE_OBJECT_CONTAINERS_SEQUENCE_H_
#define TERN_CORE_OBJECT_CONTAINERS_SEQUENCE_H_

#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "core/object/containers/item.h"

namespace tern {

class Sequence : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_LIST;
  static ObjectPtr<Sequence> Make() { return MakeObject<Sequence>(); }
  static ObjectPtr<Sequence> Make(std::span<const AnyView> values);
  static ObjectPtr<Sequence> Make(std::initializer_list<AnyView> values) {
    return Make(std::span(values.begin(), values.size()));
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }
  AnyView operator[](size_t index) const {
    TERN_DCHECK(index < size_);
    return AnyView(items_[index].View());
  }
  // For indices that come from outside; the error names index and size.
  Result<Any> At(int64_t index) const;

  // For readers that know the kind, such as the typed views.
  std::span<const internal::Item> items() const { return {items_, size_}; }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = AnyView;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = AnyView;

    Iterator() = default;
    explicit Iterator(const internal::Item* at) : at_(at) {}
    AnyView operator*() const { return AnyView(at_->View()); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    const internal::Item* at_ = nullptr;
  };
  // Good until the next write.
  Iterator begin() const { return Iterator(items_); }
  Iterator end() const { return Iterator(items_ + size_); }

  // Writes. Indices must be in range (insertion also takes size()).
  void Reserve(size_t count);
  void PushBack(const AnyView& value) { Append(pool_.Share(value.c_any())); }
  template <std::same_as<Any> T>
  void PushBack(T&& value) {  // an owned value gives its reference
    Append(pool_.Adopt(value.Release()));
  }
  void PushInt(int64_t value) { Append(pool_.OfInt(value)); }
  void PushText(std::string_view text) { Append(pool_.OfText(text)); }
  // A UCS4String of one code point.
  void PushCodePoint(char32_t c) { Append(pool_.OfCodePoint(c)); }
  void Set(size_t index, Any value);
  void Insert(size_t index, Any value);
  void Erase(size_t index) { Erase(index, index + 1); }
  void Erase(size_t first, size_t last);
  Any PopBack();  // the sequence must not be empty
  void Clear();
  void ShrinkToFit();

  // A new sequence of the same items; slots are copied, objects shared.
  ObjectPtr<Sequence> Copy() const;
  bool is_frozen() const { return frozen_; }
  // Only for the sole holder.
  void set_frozen(bool frozen) { frozen_ = frozen; }
  // At most what putting `more` items behind the last takes at once; 0 where there is room.
  uint64_t GrowthBytes(size_t more) const {
    return size_ + more > capacity_ ? 2 * uint64_t{size_ + more} * sizeof(internal::Item) : 0;
  }
  // Memory held besides this object and the objects in it.
  size_t memory_bytes() const { return capacity_ * sizeof(internal::Item) + pool_.bytes(); }

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  Sequence() : Object(kTypeCode, nullptr) {}
  ~Sequence();

  void Append(internal::Item item) {
    if (size_ == capacity_) [[unlikely]]
      Grow();
    items_[size_++] = item;
  }
  void Grow();
  void SetCapacity(size_t capacity);

  internal::Item* items_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  internal::ItemPool pool_;
  bool frozen_ = false;
};

using SequencePtr = ObjectPtr<Sequence>;

namespace internal {
// The sequence that a value holds; with `tuples` also a new one of a tuple's fields; else null.
SequencePtr SequenceOf(const TernAny& any, bool tuples);
}  // namespace internal

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CONTAINERS_SEQUENCE_H_
