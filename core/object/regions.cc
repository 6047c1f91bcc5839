// SPDX-License-Identifier: Apache-2.0
#include "core/object/regions.h"

#include <bit>

#include "core/base/check.h"
#include "core/base/poison.h"

namespace tern {

// Headers stay poisoned, as guards between blocks: only what is marked here reads and writes them.
struct Regions::Block {
  size_t bytes;     // behind the header
  Block* before;    // the neighbour in the region; null: the first
  Block* previous;  // in its list, while it is free
  Block* next;
  bool is_last;  // of its region
  bool is_free;

  // Member by member: what a compiler makes of a whole assignment may be checked.
  TERN_READS_POISONED void Set(size_t own_bytes, Block* before_it, bool last) {
    bytes = own_bytes;
    before = before_it;
    previous = next = nullptr;
    is_last = last;
    is_free = false;
  }
  void* memory() { return reinterpret_cast<char*>(this) + kQuantum; }
  static Block* Of(void* memory) {
    return reinterpret_cast<Block*>(static_cast<char*>(memory) - kQuantum);
  }
  TERN_READS_POISONED Block* behind() {
    if (is_last) return nullptr;
    return reinterpret_cast<Block*>(static_cast<char*>(memory()) + bytes);
  }
  // Cuts the end off, as a block of its own. There must be room for its header.
  TERN_READS_POISONED Block* Cut(size_t kept) {
    auto* rest = reinterpret_cast<Block*>(static_cast<char*>(memory()) + kept);
    rest->Set(bytes - kept - kQuantum, this, is_last);
    if (Block* far = rest->behind()) far->before = rest;
    bytes = kept;
    is_last = false;
    return rest;
  }
  // Takes in what is behind it.
  TERN_READS_POISONED void Join(Block* rest) {
    bytes += kQuantum + rest->bytes;
    is_last = rest->is_last;
    if (Block* far = behind()) far->before = this;
  }
};

// The list that a free block of so many bytes is in: those behind it have only larger ones.
size_t Regions::ListOf(size_t bytes) {
  const size_t doubling = static_cast<size_t>(std::bit_width(bytes)) - 1;
  const size_t step = (bytes - (size_t{1} << doubling)) >> (doubling - kStepBits);
  return ((doubling - kSmallestDoubling) << kStepBits) + step;
}

// The first list from `list` on that has a block; kLists if none has.
size_t Regions::NextList(size_t list) const {
  uint64_t above = ~uint64_t{0} << (list % 64);
  for (size_t word = list / 64; word < kWords; ++word, above = ~uint64_t{0}) {
    if (const uint64_t bits = filled_[word] & above; bits != 0)
      return word * 64 + static_cast<size_t>(std::countr_zero(bits));
  }
  return kLists;
}

// Last in, first out: what was freed last is most likely still in the cache.
TERN_READS_POISONED void Regions::Insert(Block* block) {
  const size_t list = ListOf(block->bytes);
  block->is_free = true;
  block->previous = nullptr;
  block->next = lists_[list];
  if (block->next != nullptr) block->next->previous = block;
  lists_[list] = block;
  filled_[list / 64] |= uint64_t{1} << (list % 64);
}

TERN_READS_POISONED void Regions::Remove(Block* block) {
  const size_t list = ListOf(block->bytes);
  block->is_free = false;
  if (block->next != nullptr) block->next->previous = block->previous;
  if (block->previous != nullptr) {
    block->previous->next = block->next;
  } else if ((lists_[list] = block->next) == nullptr) {
    filled_[list / 64] &= ~(uint64_t{1} << (list % 64));
  }
}

TERN_READS_POISONED void* Regions::Take(size_t bytes) {
  // The list of `bytes` itself has smaller ones too. A few of its blocks are looked at; those of
  // the lists behind it are all large enough.
  constexpr int kMostTries = 8;
  for (size_t list = ListOf(bytes); (list = NextList(list)) < kLists; ++list) {
    Block* block = lists_[list];
    for (int i = 1; i < kMostTries && block->bytes < bytes && block->next != nullptr; ++i)
      block = block->next;
    if (block->bytes < bytes) continue;
    Remove(block);
    if (block->bytes >= bytes + kQuantum + kSmallest) Insert(block->Cut(bytes));
    return block->memory();
  }
  return nullptr;
}

void* Regions::Begin(void* memory, size_t bytes) {
  auto* block = static_cast<Block*>(memory);
  block->Set(bytes, nullptr, true);
  return block->memory();
}

TERN_READS_POISONED void Regions::Return(void* memory) {
  Block* block = Block::Of(memory);
  TERN_CHECK(!block->is_free, "a block is freed twice");
  if (Block* behind = block->behind(); behind != nullptr && behind->is_free) {
    Remove(behind);
    block->Join(behind);
  }
  if (Block* before = block->before; before != nullptr && before->is_free) {
    Remove(before);
    before->Join(block);
    block = before;
  }
  Insert(block);
}

TERN_READS_POISONED void* Regions::Release(size_t bytes, size_t* region_bytes) {
  for (size_t list = 0; (list = NextList(list)) < kLists; ++list) {
    for (Block* block = lists_[list]; block != nullptr; block = block->next) {
      if (block->before != nullptr || !block->is_last || block->bytes >= bytes) continue;
      Remove(block);
      *region_bytes = RegionBytes(block->bytes);
      return block;
    }
  }
  return nullptr;
}

}  // namespace tern
