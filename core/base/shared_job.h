// SPDX-License-Identifier: Apache-2.0
// A job of numbered tasks that threads claim without a lock: what worker pools have in common,
// natively (native/platform/thread_pool.h) and in WebAssembly (wasm/threads/pool.cc). How workers
// wait for a job, and their owner for its end, is the pools' own matter.
//
// Each worker begins with the task of its own number and then looks for those that are left. So a
// part of a tensor that one worker has written is read by the same worker in the next kernel, out
// of its own cache.
#ifndef TERN_CORE_BASE_SHARED_JOB_H_
#define TERN_CORE_BASE_SHARED_JOB_H_

#include <atomic>
#include <cstdint>

namespace tern {

class SharedJob {
 public:
  using Task = void (*)(void* data, int64_t index, int32_t worker);

  // Differs from one job to the next; 0 is before the first one.
  uint32_t epoch() const { return epoch_.load(); }

  // By the owner, once the job before is done: tasks can be claimed from now on.
  void Begin(uint32_t num_tasks, Task task, void* data) {
    finished_.store(0);
    task_.store(task);
    data_.store(data);
    num_tasks_.store(num_tasks);
    for (uint64_t lot = 0; lot < NumLots(num_tasks); ++lot) open_[lot].store(1);
    epoch_.fetch_add(1);
  }

  // Runs tasks until none is left to claim: how many it ran. They may be those of a job that began
  // meanwhile.
  uint32_t Drain(int32_t worker) {
    const uint64_t num_lots = NumLots(num_tasks_.load());
    uint32_t ran = 0;
    for (uint64_t i = 0; i < num_lots; ++i) {
      const uint64_t lot = (static_cast<uint64_t>(worker) + i) % num_lots;
      if (Claim(lot)) ran += RunLot(lot, worker);
    }
    return ran;
  }

  // How many tasks of the job are done.
  uint32_t finished() const { return finished_.load(std::memory_order_acquire); }

 private:
  // Tasks are claimed in lots: of one task each, and of several where there are more of them.
  static constexpr uint64_t kMaxLots = 256;

  static uint64_t NumLots(uint64_t num_tasks) {
    return num_tasks < kMaxLots ? num_tasks : kMaxLots;
  }

  // Only one worker finds 1 there; lots that are none of this job have less. An exchange that
  // compares would do as well, but V8 11, in Node 20, was seen to write it to another address.
  bool Claim(uint64_t lot) { return open_[lot].load() == 1 && open_[lot].fetch_sub(1) == 1; }

  // A job is not replaced while one of its lots is claimed and not finished, so the fields are
  // those of the job that the lot is of, whichever that is.
  uint32_t RunLot(uint64_t lot, int32_t worker) {
    const uint64_t num_tasks = num_tasks_.load(), num_lots = NumLots(num_tasks);
    const uint64_t begin = lot * num_tasks / num_lots, end = (lot + 1) * num_tasks / num_lots;
    const Task task = task_.load();
    void* const data = data_.load();
    for (uint64_t index = begin; index < end; ++index) {
      task(data, static_cast<int64_t>(index), worker);
    }
    const uint32_t ran = static_cast<uint32_t>(end - begin);
    finished_.fetch_add(ran, std::memory_order_release);
    return ran;
  }

  std::atomic<uint32_t> epoch_{0};
  std::atomic<uint32_t> num_tasks_{0};
  std::atomic<Task> task_{nullptr};
  std::atomic<void*> data_{nullptr};
  std::atomic<int32_t> open_[kMaxLots] = {};
  std::atomic<uint32_t> finished_{0};
};

// Jobs that end before a worker that sleeps would come. One does not wake them, but a few, each so
// soon after the other that a worker would still be awake, do. Several threads may ask: what they
// lose to each other is a wake that comes later.
class ShortJobs {
 public:
  // That one begins now, of a clock in any unit; a worker without work stays awake for so long.
  bool AreWorthWaking(double now, double awake) {
    const double last = last_.exchange(now, std::memory_order_relaxed);
    const int32_t count = now - last < awake ? count_.load(std::memory_order_relaxed) + 1 : 1;
    count_.store(count < kEnough ? count : 0, std::memory_order_relaxed);
    return count >= kEnough;
  }

 private:
  // Kernels ask up to twice.
  static constexpr int32_t kEnough = 4;

  std::atomic<double> last_{0};
  std::atomic<int32_t> count_{0};
};

}  // namespace tern

#endif  // TERN_CORE_BASE_SHARED_JOB_H_
