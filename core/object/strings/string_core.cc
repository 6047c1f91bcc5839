// SPDX-License-Identifier: Apache-2.0
// What strings do out of line: buffers, growth, sharing.
#include "core/object/strings/string_core.h"

#include <algorithm>

namespace tern {
template <typename Char>
class LongText<Char>::Large : public LongText {
 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);
  size_t extra_bytes() const { return kUnknownExtraBytes; }
};

template <typename Char>
ObjectPtr<LongText<Char>> LongText<Char>::MakeEmpty(size_t capacity) {
  TERN_CHECK(capacity <= StringCore<Char>::kMaxSize, "a string longer than can be");
  const size_t extra = (capacity + 1) * sizeof(Char);
  ObjectPtr<LongText> made;
  if (sizeof(LongText) + extra <= internal::kMaxKeptBytes)
    made = MakeObjectWithExtra<LongText>(extra);
  else
    made = MakeObjectWithExtra<Large>(extra);
  made->SetSize(0);
  return made;
}

template <typename Char>
ObjectPtr<LongText<Char>> LongText<Char>::Make(std::basic_string_view<Char> text) {
  ObjectPtr<LongText> made = MakeEmpty(text.size());
  text.copy(made->text(), text.size());
  made->SetSize(text.size());
  return made;
}

template <typename Char>
StringCore<Char>::StringCore(const Char* data, size_t size, Category category) {
  TERN_CHECK(category == kLarge || size <= (category == kSmall ? kSmallCapacity : kMediumCapacity),
             "a string core of a category too small for its text");
  if (category == kSmall)
    InitSmall(data, size);
  else
    InitHeap(data, size, category);
}

template <typename Char>
StringCore<Char>::StringCore(ObjectPtr<Buffer> buffer) noexcept {
  const size_t size = buffer->size();
  SetBuffer(buffer.Release(), size, 0, kLarge);
}

template <typename Char>
void StringCore<Char>::SetBuffer(Buffer* buffer, size_t size, uint32_t room,
                                 Category category) noexcept {
  heap_.slot = 0;
  heap_.buffer = buffer;
  heap_.size = size;
  room_ = room;
  tag_ = category;
}

template <typename Char>
size_t StringCore<Char>::capacity() const noexcept {
  if (tag_ >= 0) return kSmallCapacity;
  if (room_ == 0) return size();
  return (size_t{room_} * kGranule - sizeof(Buffer)) / sizeof(Char) - 1;
}

template <typename Char>
LongText<Char>* StringCore<Char>::NewBuffer(size_t capacity, uint32_t* room) {
  TERN_CHECK(capacity <= kMaxSize, "a string longer than can be");
  const size_t bytes = sizeof(Buffer) + (capacity + 1) * sizeof(Char);
  const size_t granules = (bytes + kGranule - 1) / kGranule;
  *room = static_cast<uint32_t>(granules);
  return Buffer::MakeEmpty((granules * kGranule - sizeof(Buffer)) / sizeof(Char) - 1).Release();
}

template <typename Char>
void StringCore<Char>::InitHeap(const Char* data, size_t size, Category category) {
  uint32_t room = 0;
  Buffer* buffer = NewBuffer(size, &room);
  if (size > 0) std::memcpy(buffer->text(), data, size * sizeof(Char));
  buffer->SetSize(size);
  SetBuffer(buffer, size, room, category);
}

template <typename Char>
void StringCore<Char>::Move(size_t capacity) {
  uint32_t room = 0;
  Buffer* buffer = NewBuffer(capacity, &room);
  const size_t size = this->size();
  std::memcpy(buffer->text(), data(), size * sizeof(Char));
  buffer->SetSize(size);
  const bool medium = capacity <= kMediumCapacity && tag_ != kLarge;
  if (tag_ < 0) Release();
  SetBuffer(buffer, size, room, medium ? kMedium : kLarge);
}

template <typename Char>
void StringCore<Char>::CopyHeap(const StringCore& other) {
  if (other.tag_ == kMedium)
    CopyMedium(other);
  else
    CopyLarge(other);
}

template <typename Char>
void StringCore<Char>::CopyMedium(const StringCore& other) {
  InitHeap(other.data(), other.size(), kMedium);
}

template <typename Char>
void StringCore<Char>::CopyLarge(const StringCore& other) noexcept {
  other.heap_.buffer->IncRef();
  SetBuffer(other.heap_.buffer, other.size(), other.room_, kLarge);
}

template <typename Char>
void StringCore<Char>::Shrink(size_t delta) {
  TERN_CHECK(delta <= size(), "a string shrunk by more than its size");
  switch (category()) {
    case kSmall: return ShrinkSmall(delta);
    case kMedium: return ShrinkMedium(delta);
    case kLarge: return ShrinkLarge(delta);
  }
}

template <typename Char>
void StringCore<Char>::ShrinkSmall(size_t delta) noexcept {
  tag_ -= static_cast<int32_t>(delta);
  std::memset(small_ + tag_, 0, delta * sizeof(Char));
}

template <typename Char>
void StringCore<Char>::ShrinkMedium(size_t delta) {
  if (is_shared())
    *this = StringCore(data(), size() - delta);
  else
    SetHeapSize(size() - delta);
}

template <typename Char>
void StringCore<Char>::ShrinkLarge(size_t delta) {
  if (delta > 0) ShrinkMedium(delta);
}

template <typename Char>
void StringCore<Char>::Reserve(size_t min_capacity) {
  switch (category()) {
    case kSmall: return ReserveSmall(min_capacity);
    case kMedium: return ReserveMedium(min_capacity);
    case kLarge: return ReserveLarge(min_capacity);
  }
}

template <typename Char>
void StringCore<Char>::ReserveSmall(size_t min_capacity) {
  if (min_capacity > kSmallCapacity) Move(min_capacity);
}

template <typename Char>
void StringCore<Char>::ReserveMedium(size_t min_capacity) {
  if (is_shared() || min_capacity > capacity()) Move(std::max(min_capacity, size()));
}

template <typename Char>
void StringCore<Char>::ReserveLarge(size_t min_capacity) {
  Unshare(std::max(min_capacity, size()));
}

template <typename Char>
void StringCore<Char>::Unshare(size_t min_capacity) {
  if (tag_ >= 0) return ReserveSmall(min_capacity);
  if (is_shared() || min_capacity > capacity()) Move(std::max(min_capacity, size()));
}

template <typename Char>
Char* StringCore<Char>::MutableDataMedium() {
  if (is_shared()) Move(size());
  return heap_.buffer->text();
}

template <typename Char>
Char* StringCore<Char>::MutableDataLarge() {
  if (is_shared()) Unshare();
  return heap_.buffer->text();
}

template <typename Char>
Char* StringCore<Char>::ExpandNoInit(size_t delta, bool exponential_growth) {
  const size_t old_size = size();
  TERN_CHECK(delta <= kMaxSize - old_size, "a string longer than can be");
  const size_t new_size = old_size + delta;
  if (tag_ >= 0 && new_size <= kSmallCapacity) {
    tag_ = static_cast<int32_t>(new_size);
    return small_ + old_size;
  }
  const bool grows = new_size > capacity();
  if (grows || is_shared()) {
    const size_t generous = std::min(old_size + old_size / 2, kMaxSize);
    Move(exponential_growth && grows ? std::max(new_size, generous) : new_size);
  }
  SetHeapSize(new_size);
  return heap_.buffer->text() + old_size;
}

template <typename Char>
ObjectPtr<LongText<Char>> StringCore<Char>::TakeBuffer() {
  if (tag_ >= 0) {
    ObjectPtr<Buffer> made = Buffer::Make(view());
    SetEmpty();
    return made;
  }
  Buffer* buffer = heap_.buffer;
  SetEmpty();
  return ObjectPtr<Buffer>::Adopt(buffer);
}

template class LongText<char>;
template class LongText<char32_t>;
template class StringCore<char>;
template class StringCore<char32_t>;

}  // namespace tern
