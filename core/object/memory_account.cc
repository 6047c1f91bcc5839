// SPDX-License-Identifier: Apache-2.0
// Each thread has a count and a window around it: only a count that leaves the window is looked at,
// so that taking a block costs one comparison besides malloc.
#include "core/object/memory_account.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

#include "core/base/check.h"
#include "core/base/strings.h"
#include "core/object/allocator.h"
#include "core/object/charge.h"

namespace tern {

// Taken counts signed, because a thread may free more than it took: objects wander between threads.
struct MemoryThread {
  int64_t taken;      // bytes taken minus bytes given back, by this thread
  int64_t low, high;  // of the window
  MemoryAccount* account;

  void Change(int64_t bytes) {
    taken += bytes;
    // Growth and shrinkage both count: a limit that was tightened by objects must be eased again
    // when they are gone.
    if (account != nullptr && (taken < low || taken > high)) [[unlikely]]
      account->Look(taken, taken > high);
  }
};

namespace {

// The model initial-exec makes access one load relative to the thread pointer. The default model of
// a shared library would call __tls_get_addr at each allocation.
#ifdef TERN_SINGLE_THREADED
constinit MemoryThread thread = {};
#else
[[gnu::tls_model("initial-exec")]] constinit thread_local MemoryThread thread = {};
#endif

// The window is a compromise: a small one looks often, a large one notices an excess late, by at
// most one chunk.
constexpr int64_t kSmallestChunk = int64_t{4} << 10;
constexpr int64_t kLargestChunk = int64_t{1} << 20;

// What malloc really gave, not what was asked for: the sum then needs no sizes at Free, and counts
// what the process has.
int64_t SizeOf(void* memory) {
#ifdef __APPLE__
  return static_cast<int64_t>(malloc_size(memory));
#else
  return static_cast<int64_t>(malloc_usable_size(memory));
#endif
}

std::string BytesText(int64_t bytes) {
  return FormatBytes(static_cast<uint64_t>(std::max<int64_t>(bytes, 0)));
}

}  // namespace

namespace internal {

void* TakeMemory(size_t bytes) {
  void* memory = std::malloc(bytes);
  // Objects are made in places that cannot fail, so an exhausted malloc ends the process. What may
  // be large asks CheckRoom before.
  TERN_CHECK(memory != nullptr, "no memory for an object");
  thread.Change(SizeOf(memory));
  return memory;
}

void* ResizeMemory(void* memory, size_t bytes) {
  const int64_t before = memory == nullptr ? 0 : SizeOf(memory);
  void* resized = std::realloc(memory, bytes);
  TERN_CHECK(resized != nullptr, "no memory for a container");
  thread.Change(SizeOf(resized) - before);
  return resized;
}

void GiveMemory(void* memory) {
  if (memory == nullptr) return;
  thread.Change(-SizeOf(memory));
  std::free(memory);
}

void CountMemory(int64_t bytes) { thread.Change(bytes); }

}  // namespace internal

void MemoryAccount::set_limit(int64_t bytes) {
  limit_ = std::max<int64_t>(bytes, 0);
  // A 64th of the limit is the error that a run may notice late.
  chunk_ = std::clamp(limit_ / 64, kSmallestChunk, kLargestChunk);
  // The tensors' allocator gets the whole limit at first; Look takes from it what objects have.
  LimitTensors();
}

void MemoryAccount::set_tensor_limit(int64_t bytes) {
  tensor_limit_ = bytes;
  LimitTensors();
}

// An account without any limit leaves the allocator's own as it is.
void MemoryAccount::LimitTensors() {
  if (limit_ == kNoLimit && tensor_limit_ == kNoLimit) return;
  const int64_t left = std::max<int64_t>(limit_ - std::max<int64_t>(objects_, 0), 0);
  allocator_.set_limit(std::min(left, tensor_limit_));
}

void MemoryAccount::Reset() {
  objects_ = 0;
  is_over_ = false;
  LimitTensors();
}

int64_t MemoryAccount::held() const { return objects_ + allocator_.stats().live_bytes; }

Status MemoryAccount::OverLimit() const {
  return OutOfMemory("no memory: objects take ", BytesText(objects_), " and tensors ",
                     BytesText(allocator_.stats().live_bytes), ", and ", subject_, " may have ",
                     BytesText(limit_))
      .SetErrorCode("E0302");
}

Status MemoryAccount::CheckRoom(uint64_t bytes) {
  // The exact count, not that of the last look, because a large request must not slip through the
  // window.
  objects_ = thread.taken - base_;
  if (!FailsNow() && bytes <= static_cast<uint64_t>(std::max<int64_t>(limit_ - held(), 0)))
    return OkStatus();
  return OutOfMemory("no memory for ", FormatBytes(bytes), ": objects take ", BytesText(objects_),
                     " and tensors ", BytesText(allocator_.stats().live_bytes), ", and ", subject_,
                     " may have ", BytesText(limit_))
      .SetErrorCode("E0302");
}

void MemoryAccount::FailAt(int64_t n) {
  // A window of zero bytes makes every change a look, so that a test can count them and fail at
  // each in turn.
  fail_at_ = n;
  charges_ = 0;
  chunk_ = 0;
}

bool MemoryAccount::FailsNow() { return ++charges_ == fail_at_; }

// The count has left the window: moves the window, gives the allocator what the objects leave, and
// tells the run if it has too much. A look after shrinking never reports, because it was no request
// that could fail.
void MemoryAccount::Look(int64_t taken, bool grew) {
  objects_ = taken - base_;
  LimitTensors();
  Watch(taken);
  if (is_over_ || !grew || (!FailsNow() && held() <= limit_)) return;
  // Set before the call, so that the callback runs once per run.
  is_over_ = true;
  if (passed_ != nullptr) passed_(context_);
}

void MemoryAccount::Watch(int64_t taken) {
  thread.low = taken - chunk_;
  thread.high = taken + chunk_;
}

void MemoryAccount::Scope::Enter(MemoryAccount* account) {
  // A run may be entered again (a suspended one goes on), perhaps on another thread: base_ is
  // placed so that its objects_ are counted on.
  account_ = account;
  outer_ = std::exchange(thread.account, account);
  account->base_ = thread.taken - account->objects_;
  account->Watch(thread.taken);
}

// The outer account keeps what the inner run left behind on this thread, and its window is where it
// was, so it looks at once.
void MemoryAccount::Scope::Leave() {
  account_->objects_ = thread.taken - account_->base_;
  thread.account = outer_;
  if (outer_ != nullptr) outer_->Look(thread.taken, true);
}

Status CheckRoom(uint64_t bytes) {
  // Requests up to kLittle are let through: the look that follows them notices an excess, and
  // asking would cost more than the allocation.
  constexpr uint64_t kLittle = 1 << 10;
  if (thread.account == nullptr || bytes <= kLittle) return OkStatus();
  return thread.account->CheckRoom(bytes);
}

bool IsMemoryOver() { return thread.account != nullptr && thread.account->is_over(); }

Status CheckMemory() { return IsMemoryOver() ? thread.account->OverLimit() : OkStatus(); }

}  // namespace tern
