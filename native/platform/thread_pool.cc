// SPDX-License-Identifier: Apache-2.0
// Implementation of the worker pool; the protocol is explained at ThreadPool::ticket_.
#include "native/platform/thread_pool.h"

#include <sched.h>

#include <algorithm>

namespace tern::native {
namespace {

// Rounds of polling, about 20-50 us: longer than the gap between two kernels of a model, shorter
// than a time slice.
constexpr int kSpinRounds = 4000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// As many as the process may use, which in a container may be fewer than the machine has.
int UsableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

uint32_t EpochOf(uint64_t ticket) { return static_cast<uint32_t>(ticket >> 32); }

}  // namespace

ThreadPool::ThreadPool(int num_workers) {
  if (num_workers <= 0) num_workers = UsableProcessors();
  parallel_ = {.context = this, .num_workers = num_workers, .run = &ThreadPool::RunEntry};
  for (int32_t worker = 1; worker < num_workers; ++worker) {
    threads_.emplace_back([this, worker] { WorkerLoop(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(park_mutex_);
    stopping_.store(true);
  }
  parked_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::RunEntry(void* context, int64_t num_tasks, Task task, void* data) {
  static_cast<ThreadPool*>(context)->Run(num_tasks, task, data);
}

void ThreadPool::Run(int64_t num_tasks, Task task, void* data) {
  // A nested or concurrent call finds the pool busy and runs its tasks on its own thread: no
  // deadlock, and results do not depend on it.
  std::unique_lock busy(run_mutex_, std::try_to_lock);
  if (num_tasks <= 1 || num_tasks > UINT32_MAX || threads_.empty() || !busy.owns_lock()) {
    for (int64_t i = 0; i < num_tasks; ++i) task(data, i, 0);
    return;
  }
  const uint32_t epoch = EpochOf(ticket_.load(std::memory_order_relaxed)) + 1;
  // First an exhausted ticket of the new epoch, so that a late worker of the old job cannot claim a
  // task while the fields change.
  ticket_.store(uint64_t{epoch - 1} << 32 | UINT32_MAX);
  num_tasks_.store(static_cast<uint32_t>(num_tasks));
  task_.store(task);
  data_.store(data);
  finished_.store(0);
  ticket_.store(uint64_t{epoch} << 32);
  if (sleepers_.load() > 0) {
    // The empty critical section makes sure that a worker is either waiting, or sees the new ticket
    // before it waits.
    {
      std::lock_guard lock(park_mutex_);
    }
    parked_.notify_all();
  }
  Drain(epoch, 0);
  // Waits for finished tasks, not for workers: one that never woke up holds nothing up.
  for (int spins = 0; finished_.load(std::memory_order_acquire) != num_tasks; ++spins) {
    if (spins < kSpinRounds) {
      Pause();
    } else {
      sched_yield();
    }
  }
}

void ThreadPool::Drain(uint32_t epoch, int32_t worker) {
  uint64_t ticket = ticket_.load();
  for (;;) {
    const uint32_t index = static_cast<uint32_t>(ticket);
    const Task task = task_.load();
    void* const data = data_.load();
    // The fields were read before the exchange; if the epoch is still ours, so are they.
    if (EpochOf(ticket) != epoch || index >= num_tasks_.load()) return;
    if (!ticket_.compare_exchange_weak(ticket, ticket + 1)) continue;
    task(data, index, worker);
    finished_.fetch_add(1, std::memory_order_release);
    ticket = ticket_.load();
  }
}

uint32_t ThreadPool::AwaitJob(uint32_t seen) {
  const auto changed = [&] { return EpochOf(ticket_.load()) != seen || stopping_.load(); };
  for (int spins = 0; spins < kSpinRounds; ++spins) {
    if (changed()) return EpochOf(ticket_.load());
    Pause();
  }
  std::unique_lock lock(park_mutex_);
  sleepers_.fetch_add(1);
  parked_.wait(lock, changed);
  sleepers_.fetch_sub(1);
  return EpochOf(ticket_.load());
}

void ThreadPool::WorkerLoop(int32_t worker) {
  uint32_t seen = 0;
  while (!stopping_.load()) {
    seen = AwaitJob(seen);
    Drain(seen, worker);
  }
}

}  // namespace tern::native
