// SPDX-License-Identifier: Apache-2.0
// PodPool: the slots of one container for values that neither are objects nor fit an 8-byte item.
//
// A slot is an Any with one word of padding (the layout of AnyPad<1>, 24 bytes): a float or an int
// in full width, a device, a pointer, or text of 8 to 15 bytes in place. Slots lie in blocks that
// are linked and never move, so an address stays good until its slot is given back; free slots are
// linked through `next` and reused first, last in first out. Not safe for concurrent writers.
#ifndef TERN_CORE_OBJECT_CONTAINERS_POD_POOL_H_
#define TERN_CORE_OBJECT_CONTAINERS_POD_POOL_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/abi/abi.h"

namespace tern::internal {

union PodSlot {
  struct {
    TernAny any;
    char more_bytes[8];  // go on where any.v.bytes ends
  } value;
  struct {
    TernAny any;  // none
    PodSlot* next;
  } free;
};
static_assert(sizeof(PodSlot) == 24 && alignof(PodSlot) == 8);

class PodPool {
 public:
  PodPool() = default;
  PodPool(PodPool&& other) noexcept
      : blocks_(std::exchange(other.blocks_, nullptr)),
        free_(std::exchange(other.free_, nullptr)) {}
  PodPool& operator=(PodPool&& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(free_, other.free_);
    return *this;
  }
  ~PodPool() { Clear(); }

  // Contents are whatever was there; ends the process where there is no memory.
  PodSlot* Take() {
    PodSlot* slot = free_;
    if (slot == nullptr) return TakeFresh();
    free_ = slot->free.next;
    return slot;
  }
  // slot came from this pool and is not used any more.
  void Give(PodSlot* slot) {
    slot->free.any = TernAny{};
    slot->free.next = free_;
    free_ = slot;
  }
  // All slots at once; their addresses end.
  void Clear();
  // Memory held, slots in use or not.
  size_t bytes() const;

 private:
  struct alignas(8) Block {
    Block* next;
    uint32_t count;
    uint32_t used;  // slots ever handed out; those after them are fresh

    PodSlot* slots() { return reinterpret_cast<PodSlot*>(this + 1); }
  };
  static_assert(sizeof(Block) == 16);

  PodSlot* TakeFresh();

  Block* blocks_ = nullptr;  // newest first; only the newest has fresh slots
  PodSlot* free_ = nullptr;
};

}  // namespace tern::internal

#endif  // TERN_CORE_OBJECT_CONTAINERS_POD_POOL_H_
