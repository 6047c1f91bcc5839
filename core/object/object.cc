// SPDX-License-Identifier: Apache-2.0
// The heap that objects come from.
//
// Small blocks are kept for reuse by the thread that frees them, in one list per 16 bytes of size,
// so that making and dropping an object costs a few instructions and no lock. Each thread counts
// its objects; LiveObjectCount adds them up. Under AddressSanitizer nothing is kept, so that it
// sees every use of dead memory.
//
// Objects that hold objects are deleted from the stack down to kMaxDeleteDepth; what lies deeper
// waits in a list of the thread until the outermost is gone.
//
// A block of a custom allocator has a prefix that remembers it. Its object's deleter is
// DeleteCustom, which tells FreeObject by the thread's state that the block being freed is such a
// one.
#include "core/object/object.h"

#include <cstdlib>
#include <utility>

#include "core/base/spin_lock.h"
#include "core/object/allocator.h"
#include "core/object/memory_account.h"

#if defined(__SANITIZE_ADDRESS__)
#define TERN_KEEP_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_KEEP_BLOCKS 0
#endif
#endif
#ifndef TERN_KEEP_BLOCKS
#define TERN_KEEP_BLOCKS 1
#endif

namespace tern {
namespace {

// malloc's own alignment on 64-bit systems, and what alignof(T) <= 16 in MakeObject asks for.
constexpr size_t kBlockQuantum = 16;
// Class i: blocks of at least 16 i bytes.
constexpr size_t kBlockClasses = internal::kMaxKeptBytes / kBlockQuantum + 1;
constexpr uint32_t kMaxBlocks = 1024;  // kept of one class, so that no thread hoards

struct FreeBlock {
  FreeBlock* next;
};

// An object whose deletion waits.
struct Pending {
  TernObject* object;
  void (*really)(TernObject*);
  bool custom;
};

// 64 levels of destructors take some KiB of stack, so a thread with a small stack survives them
// too.
constexpr uint32_t kMaxDeleteDepth = 64;  // of objects in objects on the stack

struct ThreadHeap {
  FreeBlock* free[kBlockClasses];
  uint32_t count[kBlockClasses];
  int64_t live;  // objects made minus objects freed here; read by other threads
  void* custom;  // a custom block whose object is being deleted
  uint32_t delete_depth, pending_count, pending_capacity;
  Pending* pending;
  ThreadHeap* next;  // all heaps, under heaps_lock
  ThreadHeap** before;
  bool registered, dead;
};

#ifdef TERN_SINGLE_THREADED
constinit ThreadHeap heap = {};
#else
// The initial-exec model needs room in the static block that a program reserves for libraries that
// it loads at run time; the struct is small enough for it.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadHeap heap = {};
#endif

constinit SpinLock heaps_lock;
constinit ThreadHeap* heaps = nullptr;  // of threads that run
constinit int64_t retired_live = 0;     // of those that ended, and of objects counted elsewhere
constinit Allocator* custom_allocator = nullptr;

void Count(int64_t* counter, int64_t change) {  // no atomic addition: one writer
  __atomic_store_n(counter, *counter + change, __ATOMIC_RELAXED);
}

#ifndef TERN_SINGLE_THREADED
// Runs when its thread ends: its objects are counted among the retired, and its blocks go back to
// malloc. Objects may still be freed on this thread after it, by destructors of other
// thread-locals; `dead` makes them go straight to malloc.
// A use of the thread-local, without which the compiler need not construct it or run its
// destructor.
struct Retirement {
  void Arm() {}
  ~Retirement() {
    heap.dead = true;
    SpinLockGuard guard(&heaps_lock);
    // The list is doubly linked through addresses of `next`, so that the first heap needs no
    // special case.
    *heap.before = heap.next;
    if (heap.next != nullptr) heap.next->before = heap.before;
    retired_live += heap.live;
    std::free(std::exchange(heap.pending, nullptr));
    heap.pending_capacity = 0;
    for (FreeBlock*& list : heap.free) {
      while (FreeBlock* block = list) {
        list = block->next;
        internal::GiveMemory(block);
      }
    }
  }
};
thread_local Retirement retirement;
#endif

// Puts the heap into the list at the thread's first object. False if the thread has ended already:
// then it keeps nothing.
[[gnu::noinline]] bool Register() {
  if (heap.dead) return false;
  heap.registered = true;
  SpinLockGuard guard(&heaps_lock);
  heap.next = heaps;
  heap.before = &heaps;
  if (heaps != nullptr) heaps->before = &heap.next;
  heaps = &heap;
#ifndef TERN_SINGLE_THREADED
  retirement.Arm();
#endif
  return true;
}

// For threads that are ending, whose heap is no longer in the list.
void CountElsewhere(int64_t change) {
  SpinLockGuard guard(&heaps_lock);
  retired_live += change;
}

// What lies in front of a custom block. It holds the allocator alive, and the object's own deleter,
// which DeleteCustom has replaced. Its size is a multiple of the quantum, so that the object behind
// it is aligned.
struct alignas(kBlockQuantum) Prefix {
  Allocator* allocator;  // one reference
  size_t bytes;          // of the whole block
  void (*deleter)(TernObject*);
};

void* AllocateCustom(Allocator* allocator, size_t bytes) {
  bytes += sizeof(Prefix);
  void* block = allocator->Allocate(bytes, kBlockQuantum);
  TERN_CHECK(block != nullptr, "no memory for a small object");
  allocator->IncRef();
  return new (block) Prefix{allocator, bytes, nullptr} + 1;
}

// The deleter ends in FreeObject, which knows an address only. heap.custom tells it that this
// address has a prefix. Deleters nest (an object frees what it holds), so the outer address is put
// back.
void DeleteCustom(TernObject* object) {
  void* const outer = heap.custom;
  heap.custom = object;
  (static_cast<Prefix*>(static_cast<void*>(object)) - 1)->deleter(object);
  heap.custom = outer;
}

void FreeCustom(void* memory) {
  Prefix* prefix = static_cast<Prefix*>(memory) - 1;
  Allocator* allocator = prefix->allocator;
  allocator->Free(prefix, prefix->bytes, kBlockQuantum);
  // The allocator outlives its block by one reference, taken in AllocateCustom.
  allocator->DecRef();
}

[[gnu::noinline]] internal::ObjectBlock AllocateSlowly(size_t bytes) {
  internal::CountObject(1);
  // A first look without the lock keeps the common case cheap. The reference is taken under the
  // lock, because SetObjectAllocator may release the allocator at any time.
  if (__atomic_load_n(&custom_allocator, __ATOMIC_RELAXED) != nullptr) {
    ObjectPtr<Allocator> allocator;
    {
      SpinLockGuard guard(&heaps_lock);
      allocator = ObjectPtr<Allocator>(custom_allocator);
    }
    if (allocator != nullptr) return {AllocateCustom(allocator.get(), bytes), true};
  }
  // Rounded up to the class, because the block may enter this class's list when it is freed.
  const size_t size_class = (bytes + kBlockQuantum - 1) / kBlockQuantum;
  return {internal::TakeMemory(size_class * kBlockQuantum), false};
}

// A plain array of malloc, not a vector: ThreadHeap must be constant-initialised and trivially
// destructible.
[[gnu::noinline]] void Defer(const Pending& pending) {
  ThreadHeap& here = heap;
  if (here.pending_count == here.pending_capacity) {
    here.pending_capacity = here.pending_capacity == 0 ? 16 : here.pending_capacity * 2;
    void* memory = std::realloc(here.pending, here.pending_capacity * sizeof(Pending));
    TERN_CHECK(memory != nullptr, "no memory to delete objects by");
    here.pending = static_cast<Pending*>(memory);
  }
  here.pending[here.pending_count++] = pending;
}

// Deletes what waits. Each object may lead to others that have to wait, which the loop finds at the
// end of the list. The depth is lifted while one is deleted, so that its children nest from there
// and DeleteNested does not start this loop again.
[[gnu::noinline]] void DeletePending() {
  ThreadHeap& here = heap;
  void* const outer = here.custom;
  while (here.pending_count > 0) {
    const Pending next = here.pending[--here.pending_count];
    here.custom = next.custom ? next.object : nullptr;
    ++here.delete_depth;
    next.really(next.object);
    --here.delete_depth;
  }
  here.custom = outer;
}

}  // namespace

int64_t LiveObjectCount() {
  SpinLockGuard guard(&heaps_lock);
  int64_t sum = retired_live;
  for (const ThreadHeap* each = heaps; each != nullptr; each = each->next)
    sum += __atomic_load_n(&each->live, __ATOMIC_RELAXED);
  return sum;
}

void SetObjectAllocator(ObjectPtr<Allocator> allocator) {
  Allocator* old;
  {
    SpinLockGuard guard(&heaps_lock);
    old = custom_allocator;
    __atomic_store_n(&custom_allocator, allocator.Release(), __ATOMIC_RELAXED);
  }
  // Outside the lock: the last reference may run a destructor that frees objects.
  if (old != nullptr) old->DecRef();
}

namespace internal {

void CountObject(int64_t change) {
  if (heap.registered || Register())
    Count(&heap.live, change);
  else
    CountElsewhere(change);
}

ObjectBlock AllocateObject(size_t bytes) {
  const size_t size_class = (bytes + kBlockQuantum - 1) / kBlockQuantum;
  // One access to the thread-local; the compiler would compute its address at each use otherwise.
  ThreadHeap& here = heap;
  const bool plain = __atomic_load_n(&custom_allocator, __ATOMIC_RELAXED) == nullptr;
  // The hot path: one load of a global that nearly never changes, one list head, one count.
  if (size_class < kBlockClasses && plain) [[likely]] {
    if (FreeBlock* block = here.free[size_class]; block != nullptr) [[likely]] {
      here.free[size_class] = block->next;
      --here.count[size_class];
      Count(&here.live, 1);
      return {block, false};
    }
  }
  return AllocateSlowly(bytes);
}

void FreeObject(void* memory, size_t bytes) {
  const size_t size_class = (bytes + kBlockQuantum - 1) / kBlockQuantum;
  ThreadHeap& here = heap;
  // Set by DeleteCustom for exactly the object that is being deleted.
  if (memory == here.custom) [[unlikely]] {
    CountObject(-1);
    return FreeCustom(memory);
  }
  // `bytes` may be less than what was asked for (an object whose extra bytes shrank), so the block
  // may enter a smaller class. It is never more, so no block is ever handed out too small.
  if (TERN_KEEP_BLOCKS && size_class < kBlockClasses && here.registered &&
      here.count[size_class] < kMaxBlocks) [[likely]] {
    auto* block = static_cast<FreeBlock*>(memory);
    block->next = here.free[size_class];
    here.free[size_class] = block;
    ++here.count[size_class];
    Count(&here.live, -1);
    return;
  }
  CountObject(-1);
  GiveMemory(memory);
}

void DeleteNested(TernObject* object, void (*really)(TernObject*)) {
  ThreadHeap& here = heap;
  // Beyond the limit an object waits. Whether it is a custom one is remembered with it, because
  // heap.custom will be another's by then.
  if (here.delete_depth == kMaxDeleteDepth) [[unlikely]]
    return Defer({object, really, here.custom == object});
  ++here.delete_depth;
  really(object);
  if (--here.delete_depth == 0 && here.pending_count > 0) [[unlikely]]
    DeletePending();
}

#ifndef TERN_SINGLE_THREADED
void DropShared(TernObject* object) {
  // The only holder needs no atomic change: nobody else can take a reference, but through a weak
  // pointer; and weak pointers are made by holders, so their deleter would be there by now.
  if (__atomic_load_n(&object->ref_count, __ATOMIC_ACQUIRE) == 1 &&
      object->deleter.call != &DeleteWatched) {
    // Deleters may read the count, so it is set although nobody else can see it.
    __atomic_store_n(&object->ref_count, 0, __ATOMIC_RELAXED);
    object->deleter.call(object);
  } else if (__atomic_fetch_sub(&object->ref_count, 1, __ATOMIC_ACQ_REL) == 1) {
    object->deleter.call(object);
  }
}
#endif

void WrapDeleter(TernObject* object) {
  (static_cast<Prefix*>(static_cast<void*>(object)) - 1)->deleter = object->deleter.call;
  object->deleter.call = &DeleteCustom;
}

}  // namespace internal
}  // namespace tern
