// SPDX-License-Identifier: Apache-2.0
// What strings do out of line: buffers, growth, sharing. Instantiated for both character types at
// the end, so that no user compiles it again.
#include "core/object/strings/string_core.h"

#include <algorithm>

namespace tern {
// A class of its own because extra_bytes() is asked when the block is freed: the text of a large
// block may have become short by then, and the block must not enter a list of small ones.
template <typename Char>
class LongText<Char>::Large : public LongText {
 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);
  size_t extra_bytes() const { return kUnknownExtraBytes; }
};

template <typename Char>
ObjectPtr<LongText<Char>> LongText<Char>::MakeEmpty(size_t capacity) {
  // Texts are bounded so that sizes in bytes cannot overflow, here and in ExpandNoInit.
  TERN_CHECK(capacity <= StringCore<Char>::kMaxSize, "a string longer than can be");
  const size_t extra = (capacity + 1) * sizeof(Char);
  ObjectPtr<LongText> made;
  // The choice is made by the capacity, which never changes, not by the text.
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
  // For tests and for callers that know: a category may be larger than needed, never smaller.
  TERN_CHECK(category == kLarge || size <= (category == kSmall ? kSmallCapacity : kMediumCapacity),
             "a string core of a category too small for its text");
  if (category == kSmall)
    InitSmall(data, size);
  else
    InitHeap(data, size, category);
}

template <typename Char>
StringCore<Char>::StringCore(ObjectPtr<Buffer> buffer) noexcept {
  // room_ 0: we do not know what the buffer's maker asked for, so its capacity is its text.
  const size_t size = buffer->size();
  SetBuffer(buffer.Release(), size, 0, kLarge);
}

template <typename Char>
void StringCore<Char>::SetBuffer(Buffer* buffer, size_t size, uint32_t room,
                                 Category category) noexcept {
  // The slot has 8 bytes also where a pointer has 4; the upper half must be zero, as small cores
  // are compared as words.
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
  // Granules count the whole block: header, units, and the zero.
  return (size_t{room_} * kGranule - sizeof(Buffer)) / sizeof(Char) - 1;
}

template <typename Char>
LongText<Char>* StringCore<Char>::NewBuffer(size_t capacity, uint32_t* room) {
  TERN_CHECK(capacity <= kMaxSize, "a string longer than can be");
  const size_t bytes = sizeof(Buffer) + (capacity + 1) * sizeof(Char);
  // Rounded up to granules, and the buffer gets all of the last one.
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

// The text's new home is filled before the old one is released, which may be the last reference.
template <typename Char>
void StringCore<Char>::Move(size_t capacity) {
  uint32_t room = 0;
  Buffer* buffer = NewBuffer(capacity, &room);
  const size_t size = this->size();
  std::memcpy(buffer->text(), data(), size * sizeof(Char));
  buffer->SetSize(size);
  // A large core stays large: its copies are expected to share.
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

// Copying up to 255 bytes costs less than sharing: no atomic count, and a later write finds its own
// buffer.
template <typename Char>
void StringCore<Char>::CopyMedium(const StringCore& other) {
  InitHeap(other.data(), other.size(), kMedium);
}

template <typename Char>
void StringCore<Char>::CopyLarge(const StringCore& other) noexcept {
  // noexcept: nothing is allocated.
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
  // The unused bytes of a small core are zero (string_core.h), so that equality is two words.
  std::memset(small_ + tag_, 0, delta * sizeof(Char));
}

template <typename Char>
void StringCore<Char>::ShrinkMedium(size_t delta) {
  // Another holder sees the old text, so the shorter one becomes a new core, perhaps a small one.
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
  // Also medium buffers may be shared: an Any may hold one.
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
  // On return the text has its new size, but the last delta units are whatever was there.
  const size_t old_size = size();
  TERN_CHECK(delta <= kMaxSize - old_size, "a string longer than can be");
  const size_t new_size = old_size + delta;
  if (tag_ >= 0 && new_size <= kSmallCapacity) {
    tag_ = static_cast<int32_t>(new_size);
    return small_ + old_size;
  }
  const bool grows = new_size > capacity();
  // A shared buffer is copied even where it has room, since the other holder's text ends where ours
  // grows.
  if (grows || is_shared()) {
    // One and a half: freed blocks of a growing text add up to room for a later one, which doubling
    // never allows.
    const size_t generous = std::min(old_size + old_size / 2, kMaxSize);
    Move(exponential_growth && grows ? std::max(new_size, generous) : new_size);
  }
  SetHeapSize(new_size);
  return heap_.buffer->text() + old_size;
}

template <typename Char>
ObjectPtr<LongText<Char>> StringCore<Char>::TakeBuffer() {
  // Small text has no buffer yet. Otherwise the core's reference moves to the result.
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
