// SPDX-License-Identifier: Apache-2.0
// Growth, insertion and removal in the vector of items.
#include "core/object/containers/sequence.h"

#include <algorithm>
#include <cstring>

#include "core/object/containers/adt.h"
#include "core/object/memory_account.h"

namespace tern {

using internal::Item;

namespace {
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

void Sequence::SetCapacity(size_t capacity) {
  TERN_CHECK(capacity <= kMaxCapacity, "no memory for so long a list");
  items_ = static_cast<Item*>(internal::ResizeMemory(items_, capacity * sizeof(Item)));
  capacity_ = capacity;
}

void Sequence::Set(size_t index, Any value) {
  TERN_CHECK(index < size_, "index of Set");
  // The new item first: the old one may be what keeps the value alive.
  const Item item = pool_.Adopt(value.Release());
  pool_.Drop(std::exchange(items_[index], item));
}

void Sequence::Insert(size_t index, Any value) {
  TERN_CHECK(index <= size_, "index of Insert");
  const Item item = pool_.Adopt(value.Release());
  Append(Item());
  memmove(static_cast<void*>(items_ + index + 1), items_ + index,
          (size_ - 1 - index) * sizeof(Item));
  items_[index] = item;
}

void Sequence::Erase(size_t first, size_t last) {
  TERN_CHECK(first <= last && last <= size_, "range of Erase");
  std::rotate(items_ + first, items_ + last, items_ + size_);
  // Out of the sequence before they are dropped: what ends with them may look at it.
  for (size_t left = last - first; left > 0 && size_ > 0; --left) pool_.Drop(items_[--size_]);
}

Any Sequence::PopBack() {
  TERN_CHECK(size_ > 0, "PopBack of an empty list");
  return pool_.Take(items_[--size_]);
}

void Sequence::Clear() {
  while (size_ > 0) pool_.Drop(items_[--size_]);
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
