// SPDX-License-Identifier: Apache-2.0
// Growth, insertion and removal in the vector of items. Item is a plain word without destructor, so
// moves are memmove; dropping items is explicit.
#include "core/object/containers/sequence.h"

#include <algorithm>
#include <cstring>

#include "core/object/containers/adt.h"
#include "core/object/memory_account.h"

namespace tern {

using internal::Item;

namespace {
// Four items and their header fit one small block of malloc.
constexpr size_t kFirstCapacity = 4;
constexpr size_t kMaxCapacity = SIZE_MAX / 2 / sizeof(Item);
}  // namespace

SequencePtr Sequence::Make(std::span<const AnyView> values) {
  SequencePtr sequence = Make();
  sequence->Reserve(values.size());
  for (const AnyView& value : values) sequence->PushBack(value);
  return sequence;
}

Sequence::~Sequence() {
  for (const Item item : items()) pool_.Drop(item);
  internal::GiveMemory(items_);
}

Result<Any> Sequence::At(int64_t index) const {
  if (index >= 0 && static_cast<uint64_t>(index) < size_)
    return Any((*this)[static_cast<size_t>(index)]);
  return OutOfRange("index ", index, " of a list of ", size_, size_ == 1 ? " item" : " items");
}

void Sequence::Reserve(size_t count) {
  if (count > capacity_) SetCapacity(count);
}

void Sequence::Grow() { SetCapacity(capacity_ == 0 ? kFirstCapacity : capacity_ * 2); }

// Doubling makes PushBack constant on average; realloc often grows in place.
void Sequence::SetCapacity(size_t capacity) {
  TERN_CHECK(capacity <= kMaxCapacity, "no memory for so long a list");
  items_ = static_cast<Item*>(internal::ResizeMemory(items_, capacity * sizeof(Item)));
  capacity_ = capacity;
}

void Sequence::Set(size_t index, Any value) {
  TERN_CHECK(index < size_, "index of Set");
  // The new item is made first: the old one may be what keeps the value alive.
  const Item item = pool_.Adopt(value.Release());
  pool_.Drop(std::exchange(items_[index], item));
}

void Sequence::Insert(size_t index, Any value) {
  TERN_CHECK(index <= size_, "index of Insert");
  const Item item = pool_.Adopt(value.Release());
  // A placeholder makes room; the move leaves items behind `index` in order.
  Append(Item());
  memmove(static_cast<void*>(items_ + index + 1), items_ + index,
          (size_ - 1 - index) * sizeof(Item));
  items_[index] = item;
}

void Sequence::Erase(size_t first, size_t last) {
  TERN_CHECK(first <= last && last <= size_, "range of Erase");
  std::rotate(items_ + first, items_ + last, items_ + size_);
  // Items leave the sequence before they are dropped, because a destructor that runs then may look
  // at it, or even write to it: hence the test of size_ in each round.
  for (size_t left = last - first; left > 0 && size_ > 0; --left) pool_.Drop(items_[--size_]);
}

Any Sequence::PopBack() {
  TERN_CHECK(size_ > 0, "PopBack of an empty list");
  return pool_.Take(items_[--size_]);
}

// From the end, one by one, for the same reason as in Erase.
void Sequence::Clear() {
  while (size_ > 0) pool_.Drop(items_[--size_]);
  // The slots at once: items that used them are gone.
  pool_.Clear();
}

void Sequence::ShrinkToFit() {
  if (size_ == capacity_) return;
  if (size_ > 0) return SetCapacity(size_);
  internal::GiveMemory(std::exchange(items_, nullptr));
  capacity_ = 0;
}

SequencePtr Sequence::Copy() const {
  SequencePtr copy = Make();
  copy->Reserve(size_);
  for (const Item item : items()) copy->Append(copy->pool_.Copy(item));
  return copy;
}

namespace internal {

SequencePtr SequenceOf(const TernAny& any, bool tuples) {
  // The caller's own sequence where there is one; a tuple has no items, so it is copied into one.
  const AnyView view(any);
  if (Sequence* sequence = view.TryCast<Sequence>()) return SequencePtr(sequence);
  const Adt* adt = tuples ? view.TryCast<Adt>() : nullptr;
  if (adt == nullptr || !adt->is_tuple()) return nullptr;
  SequencePtr made = Sequence::Make();
  made->Reserve(adt->size());
  for (const Any& field : adt->fields()) made->PushBack(AnyView(field));
  return made;
}

}  // namespace internal
}  // namespace tern
