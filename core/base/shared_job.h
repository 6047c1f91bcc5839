// SPDX-License-Identifier: Apache-2.0
// A job of numbered tasks that threads claim one by one without a lock: what worker pools have in
// common, natively (native/platform/thread_pool.h) and in WebAssembly (wasm/threads/pool.cc). How
// workers wait for a job, and their owner for its end, is the pools' own matter.
#ifndef TERN_CORE_BASE_SHARED_JOB_H_
#define TERN_CORE_BASE_SHARED_JOB_H_

#include <atomic>
#include <cstdint>

namespace tern {

class SharedJob {
 public:
  using Task = void (*)(void* data, int64_t index, int32_t worker);

  // Jobs are numbered; 0 is before the first one.
  uint32_t epoch() const { return EpochOf(ticket_.load()); }

  // By the owner, once the job before is done: the number of the new one, whose tasks can be
  // claimed from now on. There are fewer than UINT32_MAX of them.
  uint32_t Begin(uint32_t num_tasks, Task task, void* data) {
    const uint32_t epoch = EpochOf(ticket_.load(std::memory_order_relaxed)) + 1;
    // First an exhausted ticket of the new epoch, so that a late worker of the old job cannot claim
    // a task while the fields change.
    ticket_.store(uint64_t{epoch - 1} << 32 | UINT32_MAX);
    num_tasks_.store(num_tasks);
    task_.store(task);
    data_.store(data);
    finished_.store(0);
    ticket_.store(uint64_t{epoch} << 32);
    return epoch;
  }

  // Runs tasks of that job until none is left to claim: how many it ran.
  uint32_t Drain(uint32_t epoch, int32_t worker) {
    uint32_t ran = 0;
    uint64_t ticket = ticket_.load();
    for (;;) {
      const uint32_t index = static_cast<uint32_t>(ticket);
      const Task task = task_.load();
      void* const data = data_.load();
      // The fields were read before the exchange; if the epoch is still ours, so are they.
      if (EpochOf(ticket) != epoch || index >= num_tasks_.load()) return ran;
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1)) continue;
      task(data, index, worker);
      ++ran;
      finished_.fetch_add(1, std::memory_order_release);
      ticket = ticket_.load();
    }
  }

  // How many tasks of the job are done.
  uint32_t finished() const { return finished_.load(std::memory_order_acquire); }

 private:
  static uint32_t EpochOf(uint64_t ticket) { return static_cast<uint32_t>(ticket >> 32); }

  // A ticket is (epoch << 32 | next index). A claim is a compare-exchange of the whole ticket: it
  // succeeds only while the job of that epoch still has tasks, and a job is not replaced before its
  // claimed tasks are finished; so a worker that read the fields below and then claimed has read
  // the fields of its own job.
  std::atomic<uint64_t> ticket_{0};
  std::atomic<uint32_t> num_tasks_{0};
  std::atomic<Task> task_{nullptr};
  std::atomic<void*> data_{nullptr};
  std::atomic<uint32_t> finished_{0};
};

}  // namespace tern

#endif  // TERN_CORE_BASE_SHARED_JOB_H_
