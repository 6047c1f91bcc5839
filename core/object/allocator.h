// SPDX-License-Identifier: Apache-2.0
// Allocator: where tensors get their memory. Naive asks the platform each time; pooled keeps freed
// blocks by size class, so that a steady run asks nothing of the platform. Both count.
//
// Counted by reference: every Storage holds its allocator, so memory may outlive the run that made
// it. Calls are safe from several threads. Failure is null (tensor code turns it into a Status).
#ifndef TERN_CORE_OBJECT_ALLOCATOR_H_
#define TERN_CORE_OBJECT_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/platform.h"
#include "core/base/spin_lock.h"
#include "core/object/arena.h"
#include "core/object/object.h"

namespace tern {

struct AllocatorStats {
  int64_t live_bytes = 0;  // handed out now, as asked for
  int64_t peak_bytes = 0;  // the most that ever was
  int64_t live_blocks = 0;
  int64_t reserved_bytes =
      0;  // got from the platform and not given back, free blocks of the pool included
  int64_t allocations = 0;  // calls to Allocate that gave memory
  int64_t hits = 0;         // of them, served by the pool or an arena
  int64_t placed = 0;       // of them, in an arena
};

// One block handed out or given back.
struct AllocationEvent {
  bool is_free = false;
  bool hit = false;  // served by the pool
  void* pointer = nullptr;
  size_t bytes = 0;  // as asked for
  size_t alignment = 0;
};

// An observer of blocks that are handed out and given back. It is called outside the allocator's
// lock, so it may use the allocator: for a new block after it was counted, for one that is given
// back before, while its memory is still the caller's.
class AllocationObserver {
 public:
  virtual void OnAllocation(const AllocationEvent& event) = 0;

 protected:
  ~AllocationObserver() = default;
};

class Allocator {
 public:
  // >= bytes (0 counts as 1) aligned to alignment (a power of two <= 4096), or null. Not zeroed.
  void* Allocate(size_t bytes, size_t alignment);
  // The same bytes and alignment as were asked for. Null is fine.
  void Free(void* pointer, size_t bytes, size_t alignment);

  // --- memory that is laid out before it is used

  // An arena for one run, of at least so many bytes; null where the platform or the limit has no
  // room for it, or an allocator that keeps no free memory is asked. Its bytes are reserved, and
  // what lies in it is counted as other blocks are.
  Arena* OpenArena(size_t bytes);
  // Kept for the next run where nothing lies in it and no larger one is kept. Otherwise its memory
  // is given back, as soon as it is free.
  void CloseArena(Arena* arena);
  // The memory of a place (`bytes` of it are counted), or null where it cannot be had: see Arena.
  void* AllocateAt(Arena* arena, const Place& place, size_t bytes);
  // The same wherever there is room, but not where something `kept` for others will lie.
  void* AllocateIn(Arena* arena, std::span<const Place> kept, size_t bytes);
  void FreeAt(Arena* arena, void* pointer, size_t bytes);

  // Gives free blocks back to the platform.
  void Trim();
  AllocatorStats stats() const;
  void ResetPeak();
  // Allocations that would lift live_bytes past the limit fail. Default: no limit.
  void set_limit(int64_t bytes);
  // Null: nobody looks on. Not owned. Set while no other thread allocates.
  void set_observer(AllocationObserver* observer) { observer_ = observer; }

  void IncRef();
  void DecRef();

  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

 protected:
  // platform may be null (malloc); its struct is copied.
  explicit Allocator(const TernPlatform* platform);
  explicit Allocator(const TernPlatform& platform) : Allocator(&platform) {}
  virtual ~Allocator();

  // Called with the lock held. *hit says that no memory came from the platform.
  virtual void* DoAllocate(size_t bytes, size_t alignment, bool* hit) = 0;
  virtual void DoFree(void* pointer, size_t bytes, size_t alignment) = 0;
  virtual void DoTrim() {}
  virtual bool keeps_memory() const { return false; }
  // The arena that waits for the next run, if there is one, goes back to the platform. The lock is
  // held.
  void DropIdleArena();

  void* PlatformAllocate(size_t bytes, size_t alignment);
  void PlatformFree(void* pointer, size_t bytes, size_t alignment);

 private:
  void* CountedAllocate(size_t bytes, size_t alignment, bool* hit);
  // With the lock held.
  void Count(size_t bytes, bool hit);
  void* TakePlace(Arena* arena, const Place& place, size_t bytes);
  void TellAllocation(void* pointer, size_t bytes, size_t alignment, bool hit);
  void DropArena(Arena* arena);

  TernPlatform platform_;
  mutable SpinLock lock_;
  AllocatorStats stats_;
  int64_t limit_;
  AllocationObserver* observer_ = nullptr;
  Arena* idle_arena_ = nullptr;  // closed, for the next run
  int32_t ref_count_ = 1;
};

ObjectPtr<Allocator> MakeNaiveAllocator(const TernPlatform* platform = nullptr);
ObjectPtr<Allocator> MakePooledAllocator(const TernPlatform* platform = nullptr);
// A process-wide naive allocator on malloc, for tensors made outside any run.
const ObjectPtr<Allocator>& DefaultAllocator();

// Sets where the memory of objects comes from from now on (tensors and storages have allocators of
// their own). Null means free lists of each thread over malloc, which is how a process starts.
// Objects that are alive go back to where they came from. Safe while other threads make objects.
void SetObjectAllocator(ObjectPtr<Allocator> allocator);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_ALLOCATOR_H_
