// SPDX-License-Identifier: Apache-2.0
// The worker pool behind TernParallel: workers spin briefly after a job, then park; one job at a
// time. A caller that finds the pool busy (another thread's job, or a nested call) runs its tasks
// itself, so that calls never wait for each other and never deadlock. Safe to share between
// threads.
#ifndef TERN_NATIVE_PLATFORM_THREAD_POOL_H_
#define TERN_NATIVE_PLATFORM_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/shared_job.h"
#include "core/kernels/kernel.h"

namespace tern::native {

class ThreadPool {
 public:
  // num_workers >= 1 counts the calling thread; 0 takes the number of processors this process may
  // use.
  explicit ThreadPool(int num_workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Lives as long as the pool.
  const TernParallel* parallel() const { return &parallel_; }
  int num_workers() const { return parallel_.num_workers; }

 private:
  using Task = SharedJob::Task;

  static void RunEntry(void* context, int64_t num_tasks, Task task, void* data);
  void Run(int64_t num_tasks, Task task, void* data);
  static int32_t ReadyEntry(void* context);
  int32_t Ready();
  void WorkerLoop(int32_t worker);
  // Waits until the epoch differs from `seen` and returns it.
  uint32_t AwaitJob(uint32_t seen);

  TernParallel parallel_;
  std::mutex run_mutex_;

  SharedJob job_;

  std::mutex park_mutex_;
  std::condition_variable parked_;
  std::atomic<int> sleepers_{0};
  ShortJobs short_jobs_;  // that have found workers asleep
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_THREAD_POOL_H_
