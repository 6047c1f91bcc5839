// SPDX-License-Identifier: Apache-2.0
#include "native/platform/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace tern::native::thread_pool_test {
namespace {

struct Counts {
  std::vector<std::atomic<int>> runs;
  std::atomic<int> wrong_workers{0};
  int num_workers;
  explicit Counts(size_t tasks, int workers) : runs(tasks), num_workers(workers) {}

  static void Task(void* data, int64_t index, int32_t worker) {
    auto* counts = static_cast<Counts*>(data);
    counts->runs[static_cast<size_t>(index)].fetch_add(1);
    if (worker < 0 || worker >= counts->num_workers) counts->wrong_workers.fetch_add(1);
  }
};

void RunAndCheck(const ThreadPool& pool, size_t tasks) {
  Counts counts(tasks, pool.num_workers());
  const TernParallel* parallel = pool.parallel();
  parallel->run(parallel->context, static_cast<int64_t>(tasks), &Counts::Task, &counts);
  for (size_t i = 0; i < tasks; ++i)
    ASSERT_EQ(counts.runs[i].load(), 1) << "task " << i << " of " << tasks;
  EXPECT_EQ(counts.wrong_workers.load(), 0);
}

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int workers : {1, 2, 3, 8}) {
    const ThreadPool pool(workers);
    EXPECT_EQ(pool.num_workers(), workers);
    for (const size_t tasks : {0u, 1u, 2u, 3u, 64u, 1000u}) RunAndCheck(pool, tasks);
  }
}

TEST(ThreadPool, ZeroWorkersTakesTheProcessors) {
  const ThreadPool pool(0);
  EXPECT_GE(pool.num_workers(), 1);
  RunAndCheck(pool, 100);
}

TEST(ThreadPool, ManyShortJobsInARow) {
  const ThreadPool pool(3);
  for (int i = 0; i < 5000; ++i) RunAndCheck(pool, 4);
}

TEST(ThreadPool, WakesAfterParking) {
  const ThreadPool pool(2);
  RunAndCheck(pool, 8);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  RunAndCheck(pool, 8);
}

TEST(ThreadPool, AFewShortJobsInARowAreWorthWakingFor) {
  const ThreadPool pool(2);
  const TernParallel* parallel = pool.parallel();
  // Most rounds of a loop follow each other faster than a worker falls asleep, not each.
  const auto becomes = [&](int32_t ready, std::chrono::microseconds pause) {
    for (int i = 0; i < 10000; ++i) {
      if (parallel->ready(parallel->context) == ready) return true;
      std::this_thread::sleep_for(pause);
    }
    return false;
  };
  RunAndCheck(pool, 8);
  EXPECT_TRUE(becomes(1, std::chrono::microseconds(1000))) << "the worker never slept";
  EXPECT_TRUE(becomes(2, std::chrono::microseconds(0)));
  RunAndCheck(pool, 8);
}

TEST(ThreadPool, NestedAndConcurrentCallsRunSerially) {
  const ThreadPool pool(2);
  std::atomic<int> inner{0};
  struct Data {
    const ThreadPool* pool;
    std::atomic<int>* inner;
  } data{&pool, &inner};
  const auto outer_task = [](void* raw, int64_t, int32_t) {
    auto* d = static_cast<Data*>(raw);
    const TernParallel* parallel = d->pool->parallel();
    parallel->run(
        parallel->context, 5,
        [](void* count, int64_t, int32_t) { static_cast<std::atomic<int>*>(count)->fetch_add(1); },
        d->inner);
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back(
        [&] { pool.parallel()->run(pool.parallel()->context, 10, outer_task, &data); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(inner.load(), 4 * 10 * 5);
}

TEST(SharedJob, ThreadsShareJobsOneAfterAnother) {
  constexpr int64_t kTasks = 3;
  constexpr uint32_t kJobs = 20000;
  SharedJob job;
  std::atomic<bool> stopping{false};
  std::atomic<int64_t> sum{0};
  const SharedJob::Task add = [](void* data, int64_t index, int32_t) {
    static_cast<std::atomic<int64_t>*>(data)->fetch_add(index + 1);
  };
  std::vector<std::thread> workers;
  for (int32_t worker = 1; worker <= 2; ++worker) {
    workers.emplace_back([&, worker] {
      while (!stopping.load()) job.Drain(worker);
    });
  }
  for (uint32_t i = 1; i <= kJobs; ++i) {
    job.Begin(kTasks, add, &sum);
    job.Drain(0);
    while (job.finished() != kTasks) std::this_thread::yield();
    ASSERT_EQ(sum.load(), i * (1 + 2 + 3));
  }
  stopping.store(true);
  for (std::thread& worker : workers) worker.join();
}

}  // namespace
}  // namespace tern::native::thread_pool_test
