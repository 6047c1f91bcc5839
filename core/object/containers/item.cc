// SPDX-License-Identifier: Apache-2.0
// The forms of an item. Text is put together by shifting a little-endian load, so that the word
// holds the first byte lowest on every machine that we support.
#include "core/object/containers/item.h"

#include <cstring>

#include "core/object/strings/string.h"

namespace tern::internal {
namespace {

// Layout: tag 3 bits, count 2, at bit 8 and bit 32 a code point of 21 bits each (the largest,
// U+10FFFF, needs 21).
Item CodePointsItem(const TernAny& any) {
  return Item::OfBits((uint64_t{any.v.char32[1]} << 32) | (uint64_t{any.v.char32[0]} << 8) |
                      (static_cast<uint64_t>(any.small_len) << 3) | Item::kCodePoints);
}

TernAny CodePointsView(uint64_t bits) {
  TernAny any = MakeAny(TERN_TYPE_SMALL_UCS4);
  any.small_len = static_cast<int32_t>(bits >> 3 & 3);
  any.v.char32[0] = static_cast<uint32_t>(bits >> 8) & Item::kMaxCodePointBits;
  any.v.char32[1] = static_cast<uint32_t>(bits >> 32);
  return any;
}

// The kind is the negated type code: codes of values are small negative numbers, so it fits 5 bits.
Item WordItem(TernTypeCode code, uint32_t payload) {
  return Item::OfBits((uint64_t{payload} << 32) | (static_cast<uint64_t>(-code) << 3) |
                      Item::kWord);
}

// Text in a slot is longer than a TernAny can hold, so it is lent as a raw string into the slot.
TernAny SlotView(const PodSlot& slot) {
  const TernAny& any = slot.value.any;
  if (any.type_code != TERN_TYPE_SMALL_STRING) return any;
  return MakeRawString({any.v.bytes, static_cast<size_t>(any.small_len)});
}

// The low three bits carry the tag; a foreign allocator with less alignment would corrupt it.
void CheckAligned([[maybe_unused]] const void* pointer) {
  TERN_DCHECK((reinterpret_cast<uintptr_t>(pointer) & 7) == 0);
}

}  // namespace

Item Item::ImmediateOther(const TernAny& any) {
  switch (any.type_code) {
    case TERN_TYPE_NONE: return Item();
    case TERN_TYPE_FLOAT:
      // Only a float whose last three mantissa bits are zero leaves room for the tag: every f32
      // widened to f64 does, and so do small whole numbers. The others go to a slot, as nothing may
      // be rounded.
      return (any.v.i & 7) != 0 ? Hole() : OfBits(static_cast<uint64_t>(any.v.i) | kFloat);
    case TERN_TYPE_BOOL: return WordItem(TERN_TYPE_BOOL, any.v.i != 0 ? 1 : 0);
    case TERN_TYPE_DTYPE: {
      uint32_t payload;
      memcpy(&payload, &any.v.dtype, sizeof payload);
      return WordItem(TERN_TYPE_DTYPE, payload);
    }
    case TERN_TYPE_SMALL_UCS4:
      // UCS-4 text need not be valid Unicode; larger values go to a slot.
      if (any.v.char32[0] > kMaxCodePointBits || any.v.char32[1] > kMaxCodePointBits) return Hole();
      return CodePointsItem(any);
    default: return Hole();
  }
}

TernAny Item::ViewOther() const {
  switch (tag()) {
    case kObject: return MakeObjectAny(object());
    case kInt: return MakeIntAny(TERN_TYPE_INT, AsInt());
    case kFloat: return MakeIntAny(TERN_TYPE_FLOAT, static_cast<int64_t>(bits_ & ~uint64_t{7}));
    case kText: {
      TernAny any = MakeIntAny(TERN_TYPE_SMALL_STRING, static_cast<int64_t>(bits_ >> 8));
      any.small_len = static_cast<int32_t>(bits_ >> kTagBits & 7);
      return any;
    }
    case kCodePoints: return CodePointsView(bits_);
    case kWord: {
      const auto code = -static_cast<TernTypeCode>(bits_ >> kTagBits & 31);
      return MakeIntAny(code, static_cast<int64_t>(bits_ >> 32));
    }
    case kSlot: return SlotView(*slot());
    case kHole: break;
  }
  return MakeAny(TERN_TYPE_NONE);
}

Item ItemPool::AdoptOther(const TernAny& owned) {
  if (!HoldsObject(owned)) return InSlot(owned);
  Object* object = ObjectOf(owned);
  CheckAligned(object);
  // The caller gave us its reference; if that is the only one, we may replace the object.
  if (owned.type_code == TERN_TYPE_STRING && object->unique()) {
    // Nobody else has this text: short text is cheaper in a slot than as an object.
    const std::string_view text = *AnyToText(owned);
    if (text.size() <= Item::kMaxSlotText) {
      const Item item = OfText(text);
      object->DecRef();
      return item;
    }
  }
  return Item::OfPointer(object, Item::kObject);
}

Item ItemPool::ShareOther(const TernAny& view) {
  // Borrowed text is copied into the item itself where it fits, without an object in between.
  if (view.type_code == TERN_TYPE_RAW_STRING || view.type_code == TERN_TYPE_PADDED) {
    if (const std::optional<std::string_view> text = AnyToText(view)) return OfText(*text);
  }
  return Adopt(OwnAny(view));
}

Item ItemPool::OfText(std::string_view text) {
  if (text.size() <= Item::kMaxText) return Item::OfText(text);
  if (text.size() > Item::kMaxSlotText)
    return Item::OfPointer(LongString::Make(text).Release(), Item::kObject);
  PodSlot* slot = slots_.Take();
  // Zeroed first, as readers compare slots as words, padding included.
  memset(slot, 0, sizeof *slot);
  slot->value.any.type_code = TERN_TYPE_SMALL_STRING;
  slot->value.any.small_len = static_cast<int32_t>(text.size());
  memcpy(reinterpret_cast<char*>(slot) + offsetof(TernAny, v), text.data(), text.size());
  return Item::OfPointer(slot, Item::kSlot);
}

Item ItemPool::Copy(Item item) {
  if (item.tag() == Item::kSlot) {
    PodSlot* slot = slots_.Take();
    *slot = *item.slot();
    return Item::OfPointer(slot, Item::kSlot);
  }
  if (item.is_object()) item.object()->IncRef();
  return item;
}

// An object's reference moves to the result. Any other value is copied out, then the slot is free.
Any ItemPool::Take(Item item) {
  if (item.is_object()) return Any::Adopt(item.View());  // the item's reference
  Any value{AnyView(item.View())};
  Drop(item);
  return value;
}

Item ItemPool::InSlot(const TernAny& any) {
  PodSlot* slot = slots_.Take();
  memset(slot, 0, sizeof *slot);
  slot->value.any = any;
  return Item::OfPointer(slot, Item::kSlot);
}

Item ItemPool::InSlot(int64_t value) { return InSlot(MakeIntAny(TERN_TYPE_INT, value)); }

void ItemPool::DropPointer(Item item) {
  if (item.tag() == Item::kSlot) {
    slots_.Give(item.slot());
  } else {
    item.object()->DecRef();
  }
}

}  // namespace tern::internal
