// SPDX-License-Identifier: Apache-2.0
// StringCore<Char>: the 24 bytes behind String (char) and UCS4String (char32_t).
//
// Three categories, after the string of Facebook's folly library (FBString):
//   small   up to 16 bytes of text in place; the word behind is zero, so that the text always
//           ends in one
//   medium  up to 255 bytes in a buffer of its own; a copy of the core copies the text
//   large   a buffer that copies of the core share by counting; writing to a shared one copies
//           it first
// A buffer is a LongText object: header, size and text in one block. So a core whose text has left
// the small form becomes an Any, or an object, without copying, and the other way round. Because
// such a value may share a medium buffer too, every write asks whether the buffer is shared.
//
// Invariants: the text is followed by a zero; bytes of a small core behind its text are zero, so
// equal small texts are equal words; the size in the buffer equals the size in the core. A
// StringCore may be read by several threads at once, and copies may be used by different threads;
// writing needs it alone.
#ifndef TERN_CORE_OBJECT_STRINGS_STRING_CORE_H_
#define TERN_CORE_OBJECT_STRINGS_STRING_CORE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/text_word.h"
#include "core/object/object.h"

namespace tern {

// Text on the heap: TernString followed by the units and a zero. Users hold a String or UCS4String;
// inside an Any it is immutable.
template <typename Char>
class LongText : public Object {
  static_assert(sizeof(Char) == 1 || sizeof(Char) == 4);

 public:
  static constexpr TernTypeCode kTypeCode =
      sizeof(Char) == 1 ? TERN_TYPE_STRING : TERN_TYPE_UCS4_STRING;
  static constexpr bool kIsLeaf = true;
  static ObjectPtr<LongText> Make(std::basic_string_view<Char> text);
  // Empty, with room for `capacity` units and the zero.
  static ObjectPtr<LongText> MakeEmpty(size_t capacity);

  std::basic_string_view<Char> view() const { return {text(), size()}; }
  size_t size() const { return static_cast<size_t>(size_); }

  // For the one owner that still writes: units up to size, which it also terminates.
  Char* text() { return reinterpret_cast<Char*>(this + 1); }
  const Char* text() const { return reinterpret_cast<const Char*>(this + 1); }
  void SetSize(size_t size) {
    size_ = size;
    text()[size] = Char();
  }

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  // A block that is too large to be kept for reuse: its text may have become short.
  class Large;

  // A buffer that was written may have more room than text, never less: its block is kept as one of
  // at least this size.
  size_t extra_bytes() const { return (size() + 1) * sizeof(Char); }

  LongText() : Object(kTypeCode, nullptr), size_(0) {}
  ~LongText() = default;

  uint64_t size_;
};
using LongString = LongText<char>;
using LongUCS4String = LongText<char32_t>;
static_assert(sizeof(LongString) == sizeof(TernString));
static_assert(sizeof(LongUCS4String) == sizeof(TernString));
extern template class LongText<char>;
extern template class LongText<char32_t>;

template <typename Char>
class StringCore {
 public:
  using Buffer = LongText<Char>;
  using View = std::basic_string_view<Char>;

  enum Category : int32_t { kSmall = 0, kMedium = -1, kLarge = -2 };
  // In units.
  static constexpr size_t kSmallCapacity = 16 / sizeof(Char);
  static constexpr size_t kMediumCapacity = 255 / sizeof(Char);
  // Longer text ends the process, as all small allocations that fail do.
  static constexpr size_t kMaxSize =
      (sizeof(size_t) == 4 ? (size_t{1} << 30) : static_cast<size_t>(uint64_t{1} << 35)) /
      sizeof(Char);

  StringCore() noexcept : words_{0, 0}, room_(0), tag_(0) {}
  StringCore(const Char* data, size_t size) {
    if (size <= kSmallCapacity)
      InitSmall(data, size);
    else if (size <= kMediumCapacity)
      InitMedium(data, size);
    else
      InitLarge(data, size);
  }
  // In a category of the caller's choice that can hold so much.
  StringCore(const Char* data, size_t size, Category category);
  // The text of a buffer, shared with whoever else holds it.
  explicit StringCore(ObjectPtr<Buffer> buffer) noexcept;
  StringCore(const StringCore& other) {
    if (other.tag_ >= 0)
      CopySmall(other);
    else
      CopyHeap(other);
  }
  StringCore(StringCore&& other) noexcept { TakeFrom(&other); }
  StringCore& operator=(const StringCore& other) {
    if (this != &other) *this = StringCore(other);
    return *this;
  }
  StringCore& operator=(StringCore&& other) noexcept {
    if (this != &other) {
      if (tag_ < 0) Release();
      TakeFrom(&other);
    }
    return *this;
  }
  ~StringCore() {
    if (tag_ < 0) Release();
  }

  Category category() const noexcept { return tag_ >= 0 ? kSmall : static_cast<Category>(tag_); }
  const Char* data() const noexcept { return tag_ >= 0 ? small_ : heap_.buffer->text(); }
  const Char* c_str() const noexcept { return data(); }
  // Alone with its text afterwards. Valid until the next change of the core.
  Char* MutableData() {
    if (tag_ >= 0) return small_;
    return tag_ == kLarge ? MutableDataLarge() : MutableDataMedium();
  }
  size_t size() const noexcept {
    return tag_ >= 0 ? static_cast<size_t>(tag_) : static_cast<size_t>(heap_.size);
  }
  // Units that fit without another allocation, as long as the text is not shared.
  size_t capacity() const noexcept;
  View view() const noexcept { return {data(), size()}; }
  // Null where the text is small.
  Buffer* buffer() const noexcept { return tag_ >= 0 ? nullptr : heap_.buffer; }

  // Drops `delta` <= size() units off the end.
  void Shrink(size_t delta);
  void Reserve(size_t min_capacity);
  // Appends delta units, which the caller must fill: returns the first. The zero behind them is
  // set. exponential_growth: room for as much again as half of what is there, for repeated
  // appending.
  Char* ExpandNoInit(size_t delta, bool exponential_growth = false);
  void PushBack(Char c) {
    if (tag_ >= 0 && static_cast<size_t>(tag_) < kSmallCapacity)
      small_[tag_++] = c;
    else
      *ExpandNoInit(1, true) = c;
  }
  // Another core, or an Any, holds the same buffer.
  bool is_shared() const noexcept { return tag_ < 0 && !heap_.buffer->unique(); }
  // Makes a large text this core's own, with room for min_capacity.
  void Unshare(size_t min_capacity = 0);
  // Empty and small.
  void Reset() noexcept {
    if (tag_ < 0) Release();
    SetEmpty();
  }
  // The text as an object, leaving this core empty: without copying where it has a buffer.
  ObjectPtr<Buffer> TakeBuffer();

  friend bool operator==(const StringCore& a, const StringCore& b) {
    if ((a.tag_ & b.tag_) >= 0)  // one of them is small; equal texts may differ in category
      return a.tag_ == b.tag_ ? a.words_[0] == b.words_[0] && a.words_[1] == b.words_[1]
                              : a.view() == b.view();
    return a.view() == b.view();
  }

  // What the above is made of. Copy… and Init… expect a core that holds nothing yet, Shrink… and
  // Reserve… one of the category they name.
 protected:
  void CopySmall(const StringCore& other) noexcept {
    words_[0] = other.words_[0];
    words_[1] = other.words_[1];
    room_ = 0;
    tag_ = other.tag_;
  }
  void CopyMedium(const StringCore& other);
  void CopyLarge(const StringCore& other) noexcept;

  void InitSmall(const Char* data, size_t size) noexcept;
  void InitMedium(const Char* data, size_t size) { InitHeap(data, size, kMedium); }
  void InitLarge(const Char* data, size_t size) { InitHeap(data, size, kLarge); }

  void ReserveSmall(size_t min_capacity);
  void ReserveMedium(size_t min_capacity);
  void ReserveLarge(size_t min_capacity);

  void ShrinkSmall(size_t delta) noexcept;
  void ShrinkMedium(size_t delta);
  void ShrinkLarge(size_t delta);

  Char* MutableDataMedium();
  Char* MutableDataLarge();

 private:
  // A buffer's room is kept in steps of so many bytes, which is how allocators round anyway.
  static constexpr size_t kGranule = 16;

  void SetEmpty() noexcept {
    words_[0] = words_[1] = 0;
    room_ = 0;
    tag_ = 0;
  }
  void TakeFrom(StringCore* other) noexcept {
    words_[0] = other->words_[0];
    words_[1] = other->words_[1];
    room_ = other->room_;
    tag_ = other->tag_;
    other->SetEmpty();
  }
  void CopyHeap(const StringCore& other);
  void InitHeap(const Char* data, size_t size, Category category);
  void Release() noexcept { heap_.buffer->DecRef(); }
  // A new, empty buffer with room for capacity, and the granules it takes.
  static Buffer* NewBuffer(size_t capacity, uint32_t* room);
  // Puts a new buffer with room for capacity, holding the text, in place of what is there.
  void Move(size_t capacity);
  void SetBuffer(Buffer* buffer, size_t size, uint32_t room, Category category) noexcept;
  void SetHeapSize(size_t size) noexcept {
    heap_.size = size;
    heap_.buffer->SetSize(size);
  }

  struct Heap {
    union {
      Buffer* buffer;
      uint64_t slot;
    };
    uint64_t size;
  };
  union {
    uint64_t words_[2];
    Char small_[kSmallCapacity];
    Heap heap_;
  };
  // Small: zero, which ends a text of full length. Heap: granules of the buffer; 0: just its text.
  uint32_t room_;
  int32_t tag_;  // >= 0: units of a small text; else the category
};
static_assert(sizeof(StringCore<char>) == 24 && sizeof(StringCore<char32_t>) == 24);
static_assert(alignof(StringCore<char>) == 8);

// Whole words in, whole words out: the reader's 8-byte load finds one store to forward from.
template <typename Char>
inline void StringCore<Char>::InitSmall(const Char* data, size_t size) noexcept {
  room_ = 0;
  tag_ = static_cast<int32_t>(size);
  words_[0] = words_[1] = 0;
  if constexpr (sizeof(Char) == 1) {
    if (size < 8) {
      words_[0] = LoadTextWord(data, size);
    } else {
      words_[0] = LoadWord<uint64_t>(data);
      if (size > 8) words_[1] = LoadWord<uint64_t>(data + size - 8) >> (8 * (16 - size));
    }
  } else {
    for (size_t i = 0; i < size; ++i) words_[i / 2] |= uint64_t{data[i]} << (32 * (i % 2));
  }
}

extern template class StringCore<char>;
extern template class StringCore<char32_t>;

}  // namespace tern

#endif  // TERN_CORE_OBJECT_STRINGS_STRING_CORE_H_
