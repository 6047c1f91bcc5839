// SPDX-License-Identifier: Apache-2.0
// Item: how a container holds one value, in 8 bytes on every target. Nothing outside of Sequence
// and Table ever sees one: what they give is Any or AnyView.
//
// The low three bits tell what the others are:
//   0  an int of 61 bits                           4  up to 2 code points: count, 21 bits each
//   1  an Object*, counted                         5  none, bool or dtype: kind, 32 bits
//   2  a float whose low three bits are zero       6  a PodSlot* of the container's pool
//   3  up to 7 bytes of text: length, bytes        7  a hole (only in Table)
// So ints, bools, characters, short text, dtypes, none and every float that a 32-bit float can hold
// cost 8 bytes and no memory besides; what goes to a slot costs 32. A value has one form only, so
// that two items that are neither objects nor slots are equal exactly when their bits are. Objects
// and slots are aligned to 8 bytes, which leaves the low bits free, also where pointers have 32
// bits.
#ifndef TERN_CORE_OBJECT_CONTAINERS_ITEM_H_
#define TERN_CORE_OBJECT_CONTAINERS_ITEM_H_

#include <cstdint>
#include <string_view>

#include "core/object/any.h"
#include "core/object/containers/pod_pool.h"

namespace tern::internal {

class Item {
 public:
  enum Tag : uint64_t {
    kInt = 0,  // zero, since it is asked for most
    kObject = 1,
    kFloat = 2,
    kText = 3,
    kCodePoints = 4,
    kWord = 5,
    kSlot = 6,
    kHole = 7,
  };
  static constexpr int kTagBits = 3;
  static constexpr int64_t kMaxInt = INT64_MAX >> kTagBits;
  static constexpr int64_t kMinInt = INT64_MIN >> kTagBits;
  static constexpr size_t kMaxText = 7;
  static constexpr size_t kMaxSlotText = 15;

  constexpr Item() : bits_(kWord) {}  // none: the kind is 0
  static constexpr Item OfBits(uint64_t bits) {
    Item item;
    item.bits_ = bits;
    return item;
  }
  static constexpr bool FitsInt(int64_t value) { return value >= kMinInt && value <= kMaxInt; }
  static constexpr Item OfInt(int64_t value) {  // FitsInt(value)
    return OfBits(static_cast<uint64_t>(value) << kTagBits | kInt);
  }
  static constexpr Item Hole() { return OfBits(kHole); }
  static Item OfPointer(const void* pointer, Tag tag) {
    return OfBits(uint64_t{reinterpret_cast<uintptr_t>(pointer)} | tag);
  }
  // A hole for what needs a slot, and for objects.
  static Item Immediate(const TernAny& any) {
    if (any.type_code == TERN_TYPE_INT) return FitsInt(any.v.i) ? OfInt(any.v.i) : Hole();
    if (any.type_code == TERN_TYPE_SMALL_STRING)
      return OfTextWord(static_cast<uint64_t>(any.v.i), static_cast<uint32_t>(any.small_len));
    return ImmediateOther(any);
  }
  // Text of at most kMaxText bytes.
  static Item OfText(std::string_view text);
  // One code point, of at most kMaxCodePointBits.
  static Item OfCodePoint(char32_t c) {
    return OfBits(uint64_t{c} << 8 | uint64_t{1} << kTagBits | kCodePoints);
  }
  static constexpr uint32_t kMaxCodePointBits = 0x1FFFFF;

  uint64_t bits() const { return bits_; }
  Tag tag() const { return static_cast<Tag>(bits_ & 7); }
  bool is_hole() const { return bits_ == kHole; }
  bool is_object() const { return tag() == kObject; }
  // An object or in a slot, not in the bits.
  bool is_pointer() const { return tag() == kObject || tag() == kSlot; }
  int64_t AsInt() const { return static_cast<int64_t>(bits_) >> kTagBits; }  // tag() == kInt
  Object* object() const { return static_cast<Object*>(Pointer()); }
  PodSlot* slot() const { return static_cast<PodSlot*>(Pointer()); }

  // The value, borrowed. Long text of a slot is a RAW_STRING into it, good until the item is
  // dropped.
  TernAny View() const {
    if (tag() == kInt) return MakeIntAny(TERN_TYPE_INT, AsInt());
    return ViewOther();
  }

 private:
  static Item ImmediateOther(const TernAny& any);
  // The bytes of text as a little-endian word, zeros behind them.
  static Item OfTextWord(uint64_t word, uint32_t length) {
    return OfBits(word << 8 | uint64_t{length} << kTagBits | kText);
  }
  void* Pointer() const {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(bits_ & ~uint64_t{7}));
  }
  TernAny ViewOther() const;

  uint64_t bits_;
};
static_assert(sizeof(Item) == 8);

inline Item Item::OfText(std::string_view text) {
  TERN_DCHECK(text.size() <= kMaxText);
  return OfTextWord(LoadTextWord(text.data(), text.size()), static_cast<uint32_t>(text.size()));
}

static_assert(std::is_trivially_copyable_v<Item>);

// Makes items, with slots where they need them, and unmakes them.
class ItemPool {
 public:
  // Takes over the reference of an owned value.
  Item Adopt(const TernAny& owned) {
    const Item item = Item::Immediate(owned);
    return item.is_hole() ? AdoptOther(owned) : item;
  }
  // Adds a reference; borrowed text is copied.
  Item Share(const TernAny& view) {
    const Item item = Item::Immediate(view);
    return item.is_hole() ? ShareOther(view) : item;
  }
  Item OfInt(int64_t value) { return Item::FitsInt(value) ? Item::OfInt(value) : InSlot(value); }
  Item OfText(std::string_view text);
  Item OfCodePoint(char32_t c) {
    return c <= Item::kMaxCodePointBits ? Item::OfCodePoint(c) : InSlot(CodePointAny(c));
  }
  // An item of another container.
  Item Copy(Item item);
  void Drop(Item item) {
    if (item.is_pointer()) DropPointer(item);
  }
  // The value, owned; the item ends.
  Any Take(Item item);
  void Clear() { slots_.Clear(); }
  size_t bytes() const { return slots_.bytes(); }

 private:
  Item AdoptOther(const TernAny& owned);
  Item ShareOther(const TernAny& view);
  Item InSlot(const TernAny& any);
  Item InSlot(int64_t value);
  static TernAny CodePointAny(char32_t c) {
    TernAny any = MakeAny(TERN_TYPE_SMALL_UCS4);
    any.small_len = 1;
    any.v.char32[0] = c;
    return any;
  }
  void DropPointer(Item item);

  PodPool slots_;
};

}  // namespace tern::internal

#endif  // TERN_CORE_OBJECT_CONTAINERS_ITEM_H_
