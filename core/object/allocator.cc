// SPDX-License-Identifier: Apache-2.0
// The two allocators. Small blocks of the pool are segregated free lists: one list per size class,
// linked through the free blocks themselves, so that it needs no memory of its own. Classes are
// multiples of 64 bytes up to 1 KiB, then eight per doubling, so that at most an eighth of a larger
// block is wasted. Large blocks, which decide what a run takes at its peak, are cut to measure from
// regions.
#include "core/object/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/poison.h"
#include "core/object/regions.h"

namespace tern {
namespace {

constexpr size_t kMaxAlignment = 4096;
constexpr size_t kLimit = SIZE_MAX / 4;  // no allocation is larger, so sums cannot overflow

size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// C11's aligned_alloc wants a size that is a multiple of the alignment; some C libraries return
// null otherwise.
void* SystemAllocate(void*, size_t bytes, size_t alignment) {
  return std::aligned_alloc(alignment, RoundUp(bytes, alignment));
}
void SystemFree(void*, void* pointer, size_t, size_t) { std::free(pointer); }

class NaiveAllocator final : public Allocator {
 public:
  explicit NaiveAllocator(const TernPlatform* platform) : Allocator(platform) {}

 private:
  void* DoAllocate(size_t bytes, size_t alignment, bool* hit) override {
    *hit = false;
    return PlatformAllocate(bytes, alignment);
  }
  void DoFree(void* pointer, size_t bytes, size_t alignment) override {
    PlatformFree(pointer, bytes, alignment);
  }
};

// A size class: its index, and the bytes of its blocks.
struct SizeClass {
  size_t index;
  size_t bytes;
};

constexpr size_t kQuantum = Regions::kQuantum;  // alignment and smallest block
constexpr size_t kLinearMax = 1024;
constexpr size_t kSteps = 8;  // per doubling above

// The smallest class that holds `bytes`. Every request of a class gets a block of the class's size,
// so that Free, which knows only the request, finds the same list again.
SizeClass ClassOf(size_t bytes) {
  if (bytes <= kLinearMax) {
    const size_t index = (bytes + kQuantum - 1) / kQuantum;
    return {index, index * kQuantum};
  }
  // Above the linear part, 2^doubling < bytes <= 2^(doubling + 1) is cut into kSteps equal steps.
  // The subtraction of one keeps an exact power of two in the lower range, where it wastes nothing.
  const size_t doubling = static_cast<size_t>(std::bit_width(bytes - 1)) - 1;  // 2^doubling < bytes
  const size_t step = (size_t{1} << doubling) / kSteps;
  const size_t steps = (bytes - (size_t{1} << doubling) + step - 1) / step;  // 1 … 8
  const size_t base = kLinearMax / kQuantum;
  return {base + (doubling - 10) * kSteps + steps, (size_t{1} << doubling) + steps * step};
}
// One class for each linear size, zero included, and kSteps for each doubling that a size_t has.
constexpr size_t kClasses = kLinearMax / kQuantum + (sizeof(size_t) * 8 - 10) * kSteps + 1;

class PooledAllocator final : public Allocator {
 public:
  explicit PooledAllocator(const TernPlatform* platform) : Allocator(platform) {}
  ~PooledAllocator() override { DoTrim(); }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };

  void* DoAllocate(size_t bytes, size_t alignment, bool* hit) override {
    if (IsLarge(bytes, alignment)) return AllocateLarge(bytes, hit);
    const SizeClass size = ClassOf(bytes);
    FreeBlock** const list =
        alignment > kQuantum ? ListOf(size.bytes, alignment) : &free_[size.index];
    // The list is last in, first out: the block that was freed last is most likely still in the
    // cache.
    if (FreeBlock* block = *list) {
      TERN_UNPOISON(block, size.bytes);
      *list = block->next;
      *hit = true;
      return block;
    }
    *hit = false;
    return AllocateOrTrim(size.bytes, std::max(alignment, kQuantum));
  }

  // A full platform may be full of our own free blocks of other sizes, so they go back before the
  // request fails.
  void* AllocateOrTrim(size_t bytes, size_t alignment) {
    if (void* memory = PlatformAllocate(bytes, alignment)) return memory;
    DoTrim();
    return PlatformAllocate(bytes, alignment);
  }

  static bool IsLarge(size_t bytes, size_t alignment) {
    return bytes > Regions::kSmallest && alignment <= kQuantum;
  }

  void* AllocateLarge(size_t bytes, bool* hit) {
    void* block = regions_.Take(RoundUp(bytes, kQuantum));
    *hit = block != nullptr;
    if (!*hit) block = NewRegion(bytes);
    if (block != nullptr) TERN_UNPOISON(block, bytes);
    return block;
  }

  // Regions that are free and too small go back first: what was wanted in pieces before is wanted
  // as a whole now, and otherwise both would be kept. A region is replaced by a larger one only, so
  // that runs of one program come to an end with it. Blocks are cut to measure, but a region is up
  // to a thirty-second larger than the first of them: tensors that grow by little with each run, as
  // those of a decoder do, need a new one every few runs only.
  void* NewRegion(size_t bytes) {
    const size_t room = RoundUp(bytes, std::max(std::bit_floor(bytes) / 32, kQuantum));
    ReleaseRegions(room);
    const size_t region_bytes = Regions::RegionBytes(room);
    void* memory = AllocateOrTrim(region_bytes, kQuantum);
    if (memory == nullptr) return nullptr;
    TERN_POISON(memory, region_bytes);
    return Regions::Begin(memory, room);
  }

  // Those whose one block has less than `bytes`.
  void ReleaseRegions(size_t bytes) {
    size_t region_bytes = 0;
    while (void* region = regions_.Release(bytes, &region_bytes)) {
      TERN_UNPOISON(region, region_bytes);
      PlatformFree(region, region_bytes, kQuantum);
    }
  }

  void DoFree(void* pointer, size_t bytes, size_t alignment) override {
    if (IsLarge(bytes, alignment)) {
      TERN_POISON(pointer, bytes);
      return regions_.Return(pointer);
    }
    const SizeClass size = ClassOf(bytes);
    FreeBlock* block = static_cast<FreeBlock*>(pointer);
    FreeBlock** list = &free_[size.index];
    if (alignment > kQuantum) {
      list = ListOf(size.bytes, alignment);
      // What DoTrim must know about a class is noted when the first block enters its list. The
      // inverse of ClassOf would be the alternative.
    } else {
      used_ = std::max(used_, size.index + 1);
      block_bytes_[size.index] = size.bytes;
    }
    block->next = *list;
    *list = block;
    // Poisoned last: the link in the block's first word is written above.
    TERN_POISON(block, size.bytes);
  }

  void DoTrim() override {
    for (size_t i = 0; i < used_; ++i) Empty(&free_[i], block_bytes_[i], kQuantum);
    for (AlignedList& list : aligned_) Empty(&list.free, list.bytes, list.alignment);
    ReleaseRegions(SIZE_MAX);
    DropIdleArena();
  }
  bool keeps_memory() const override { return true; }

  void Empty(FreeBlock** list, size_t bytes, size_t alignment) {
    while (FreeBlock* block = *list) {
      TERN_UNPOISON(block, bytes);
      *list = block->next;
      PlatformFree(block, bytes, alignment);
    }
  }

  // Alignments above kQuantum are rare (page-aligned weights), so a linear search over their lists
  // is enough. The pointer is valid until the next call, which may move the vector.
  FreeBlock** ListOf(size_t bytes, size_t alignment) {
    for (AlignedList& list : aligned_) {
      if (list.bytes == bytes && list.alignment == alignment) return &list.free;
    }
    aligned_.push_back({bytes, alignment, nullptr});
    return &aligned_.back().free;
  }

  struct AlignedList {
    size_t bytes;  // of its class
    size_t alignment;
    FreeBlock* free;
  };
  std::vector<AlignedList> aligned_;
  Regions regions_;
  FreeBlock* free_[kClasses] = {};
  size_t block_bytes_[kClasses] = {};
  size_t used_ = 0;
};

}  // namespace

Allocator::Allocator(const TernPlatform* platform) : platform_{}, limit_(INT64_MAX) {
  // A platform without functions counts as none: its struct may have been filled by a caller that
  // only sets other members.
  if (platform != nullptr && platform->allocate != nullptr) platform_ = *platform;
  if (platform_.allocate == nullptr) {
    platform_.allocate = SystemAllocate;
    platform_.free = SystemFree;
  }
}

Allocator::~Allocator() { DropIdleArena(); }

void* Allocator::Allocate(size_t bytes, size_t alignment) {
  TERN_CHECK(std::has_single_bit(alignment) && alignment <= kMaxAlignment, "impossible alignment");
  // Requests that no machine can serve fail here, so that rounding up in ClassOf and RoundUp cannot
  // overflow.
  if (bytes > kLimit) return nullptr;
  bytes = std::max(bytes, size_t{1});
  alignment = std::max(alignment, size_t{16});
  bool hit = false;
  void* pointer = CountedAllocate(bytes, alignment, &hit);
  TellAllocation(pointer, bytes, alignment, hit);
  return pointer;
}

// After the lock was released, because the observer may allocate itself.
void Allocator::TellAllocation(void* pointer, size_t bytes, size_t alignment, bool hit) {
  if (observer_ != nullptr && pointer != nullptr) [[unlikely]]
    observer_->OnAllocation({false, hit, pointer, bytes, alignment});
}

void* Allocator::CountedAllocate(size_t bytes, size_t alignment, bool* was_hit) {
  SpinLockGuard guard(&lock_);
  const auto size = static_cast<int64_t>(bytes);
  // Written as a subtraction: live_bytes + size could overflow, and the limit may lie below
  // live_bytes after set_limit.
  if (size > limit_ - stats_.live_bytes) return nullptr;
  bool hit = false;
  void* pointer = DoAllocate(bytes, alignment, &hit);
  if (pointer == nullptr) return nullptr;
  *was_hit = hit;
  Count(bytes, hit);
  return pointer;
}

void Allocator::Count(size_t bytes, bool hit) {
  stats_.live_bytes += static_cast<int64_t>(bytes);
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  ++stats_.live_blocks;
  ++stats_.allocations;
  stats_.hits += hit ? 1 : 0;
}

void Allocator::Free(void* pointer, size_t bytes, size_t alignment) {
  if (pointer == nullptr) return;
  // The same clamps as in Allocate, so that both ends agree on size class and statistics.
  bytes = std::max(bytes, size_t{1});
  // The observer comes first: after DoFree another thread may already have the block, and its event
  // would be seen before ours.
  if (observer_ != nullptr) [[unlikely]]
    observer_->OnAllocation({true, false, pointer, bytes, alignment});
  SpinLockGuard guard(&lock_);
  stats_.live_bytes -= static_cast<int64_t>(bytes);
  --stats_.live_blocks;
  DoFree(pointer, bytes, std::max(alignment, size_t{16}));
}

// --- arenas

Arena* Allocator::OpenArena(size_t bytes) {
  SpinLockGuard guard(&lock_);
  // The plan of a run may have more than the run will ever hold, since it has places for every
  // branch: a run that would end at its limit with it may do without.
  if (!keeps_memory() || bytes > kLimit ||
      static_cast<int64_t>(bytes) > limit_ - stats_.live_bytes)
    return nullptr;
  if (idle_arena_ != nullptr && idle_arena_->bytes() >= bytes) {
    Arena* const arena = std::exchange(idle_arena_, nullptr);
    arena->set_closed(false);
    return arena;
  }
  // Too small, so both would be kept otherwise.
  DropIdleArena();
  void* memory = PlatformAllocate(bytes, Arena::kAlignment);
  if (memory == nullptr) {
    DoTrim();
    memory = PlatformAllocate(bytes, Arena::kAlignment);
  }
  return memory == nullptr ? nullptr : new Arena(this, memory, bytes);
}

void Allocator::CloseArena(Arena* arena) {
  SpinLockGuard guard(&lock_);
  arena->set_closed(true);
  // FreeAt drops one that is in use when its last place is free.
  if (!arena->is_idle()) return;
  if (idle_arena_ != nullptr && idle_arena_->bytes() >= arena->bytes()) return DropArena(arena);
  DropIdleArena();
  idle_arena_ = arena;
}

void* Allocator::AllocateAt(Arena* arena, const Place& place, size_t bytes) {
  void* pointer = nullptr;
  {
    SpinLockGuard guard(&lock_);
    pointer = TakePlace(arena, place, bytes);
  }
  TellAllocation(pointer, bytes, Arena::kAlignment, true);
  return pointer;
}

void* Allocator::AllocateIn(Arena* arena, std::span<const Place> kept, size_t bytes) {
  void* pointer = nullptr;
  {
    SpinLockGuard guard(&lock_);
    pointer = TakePlace(arena, arena->FindGap(bytes, kept), bytes);
  }
  TellAllocation(pointer, bytes, Arena::kAlignment, true);
  return pointer;
}

void* Allocator::TakePlace(Arena* arena, const Place& place, size_t bytes) {
  if (static_cast<int64_t>(bytes) > limit_ - stats_.live_bytes) return nullptr;
  void* pointer = arena->Take(place);
  if (pointer == nullptr) return nullptr;
  Count(bytes, true);
  ++stats_.placed;
  return pointer;
}

void Allocator::FreeAt(Arena* arena, void* pointer, size_t bytes) {
  if (observer_ != nullptr) [[unlikely]]
    observer_->OnAllocation({true, false, pointer, bytes, Arena::kAlignment});
  SpinLockGuard guard(&lock_);
  stats_.live_bytes -= static_cast<int64_t>(bytes);
  --stats_.live_blocks;
  arena->Return(pointer);
  if (arena->is_closed() && arena->is_idle()) DropArena(arena);
}

void Allocator::DropArena(Arena* arena) {
  void* const memory = arena->memory();
  const size_t bytes = arena->bytes();
  delete arena;
  PlatformFree(memory, bytes, Arena::kAlignment);
}

void Allocator::DropIdleArena() {
  if (idle_arena_ != nullptr) DropArena(std::exchange(idle_arena_, nullptr));
}

void Allocator::Trim() {
  SpinLockGuard guard(&lock_);
  DoTrim();
}

AllocatorStats Allocator::stats() const {
  SpinLockGuard guard(&lock_);
  return stats_;
}

void Allocator::ResetPeak() {
  SpinLockGuard guard(&lock_);
  stats_.peak_bytes = stats_.live_bytes;
}

void Allocator::set_limit(int64_t bytes) {
  SpinLockGuard guard(&lock_);
  limit_ = bytes;
}

void* Allocator::PlatformAllocate(size_t bytes, size_t alignment) {
  void* pointer = platform_.allocate(platform_.context, bytes, alignment);
  if (pointer != nullptr) stats_.reserved_bytes += static_cast<int64_t>(bytes);
  return pointer;
}

void Allocator::PlatformFree(void* pointer, size_t bytes, size_t alignment) {
  stats_.reserved_bytes -= static_cast<int64_t>(bytes);
  platform_.free(platform_.context, pointer, bytes, alignment);
}

// The usual protocol of shared counts: taking a reference needs no order, but the last release must
// see every write that happened before the other releases.
void Allocator::IncRef() { __atomic_fetch_add(&ref_count_, 1, __ATOMIC_RELAXED); }
void Allocator::DecRef() {
  if (__atomic_fetch_sub(&ref_count_, 1, __ATOMIC_ACQ_REL) == 1) delete this;
}

ObjectPtr<Allocator> MakeNaiveAllocator(const TernPlatform* platform) {
  return ObjectPtr<Allocator>::Adopt(new NaiveAllocator(platform));
}
ObjectPtr<Allocator> MakePooledAllocator(const TernPlatform* platform) {
  return ObjectPtr<Allocator>::Adopt(new PooledAllocator(platform));
}

namespace {
// Made before main, never destroyed: tensors in statics may outlive any order of destruction.
const ObjectPtr<Allocator>* const default_allocator =
    new ObjectPtr<Allocator>(MakeNaiveAllocator());
}  // namespace

const ObjectPtr<Allocator>& DefaultAllocator() { return *default_allocator; }

}  // namespace tern
