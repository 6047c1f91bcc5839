// SPDX-License-Identifier: Apache-2.0
// Implementation of the worker pool; how tasks are claimed is in core/base/shared_job.h.
#include "native/platform/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace tern::native {
namespace {

// Rounds of polling, about kSpinUs: longer than the gap between two kernels of a model, shorter
// than a time slice.
constexpr int kSpinRounds = 4000;
constexpr double kSpinUs = 40;

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

}  // namespace

ThreadPool::ThreadPool(int num_workers) {
  if (num_workers <= 0) num_workers = UsableProcessors();
  parallel_ = {.context = this,
               .num_workers = num_workers,
               .run = &ThreadPool::RunEntry,
               .ready = &ThreadPool::ReadyEntry};
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
  if (num_tasks <= 1 || num_tasks >= UINT32_MAX || threads_.empty() || !busy.owns_lock()) {
    for (int64_t i = 0; i < num_tasks; ++i) task(data, i, 0);
    return;
  }
  job_.Begin(static_cast<uint32_t>(num_tasks), task, data);
  if (sleepers_.load() > 0) {
    // The empty critical section makes sure that a worker is either waiting, or sees the new epoch
    // before it waits.
    {
      std::lock_guard lock(park_mutex_);
    }
    parked_.notify_all();
  }
  job_.Drain(0);
  // Waits for finished tasks, not for workers: one that never woke up holds nothing up.
  for (int spins = 0; job_.finished() != num_tasks; ++spins) {
    if (spins < kSpinRounds) {
      Pause();
    } else {
      sched_yield();
    }
  }
}

int32_t ThreadPool::ReadyEntry(void* context) { return static_cast<ThreadPool*>(context)->Ready(); }

int32_t ThreadPool::Ready() {
  if (sleepers_.load() == 0) return num_workers();
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const double us = std::chrono::duration<double, std::micro>(now).count();
  return short_jobs_.AreWorthWaking(us, kSpinUs) ? num_workers() : 1;
}

uint32_t ThreadPool::AwaitJob(uint32_t seen) {
  const auto changed = [&] { return job_.epoch() != seen || stopping_.load(); };
  for (int spins = 0; spins < kSpinRounds; ++spins) {
    if (changed()) return job_.epoch();
    Pause();
  }
  std::unique_lock lock(park_mutex_);
  sleepers_.fetch_add(1);
  parked_.wait(lock, changed);
  sleepers_.fetch_sub(1);
  return job_.epoch();
}

void ThreadPool::WorkerLoop(int32_t worker) {
  uint32_t seen = 0;
  while (!stopping_.load()) {
    seen = AwaitJob(seen);
    job_.Drain(worker);
  }
}

}  // namespace tern::native
