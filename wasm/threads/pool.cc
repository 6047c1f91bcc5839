// SPDX-License-Identifier: Apache-2.0
// The worker pool of the entry tern-runtime/threads, as a module of its own: it imports the shared
// memory and the table of the module that runs programs, so that it lends workers to that module as
// it is, and it keeps nothing but a Pool in memory that it is given. Each thread has an instance of
// both modules. It has no stack, no data and no library: a table or a stack would lie where the
// other module has its own (check_pool.py looks).
#include <stddef.h>
#include <stdint.h>

#include "core/base/platform.h"
#include "core/base/shared_job.h"
#include "core/kernels/kernel.h"

#define TERN_POOL_EXPORT(name) __attribute__((export_name(#name)))
#define TERN_POOL_IMPORT(name) __attribute__((import_module("tern"), import_name(#name)))

extern "C" {

// Imported: milliseconds of a clock that only goes forward.
TERN_POOL_IMPORT(pool_now) double tern_pool_now(void);
// Imported: throws, because a worker has failed, or has finished no task for too long.
TERN_POOL_IMPORT(pool_lost) void tern_pool_lost(void);

}  // extern "C"

namespace {

using tern::SharedJob;

// Rounds of polling, kSpinMs and up to three times that: longer than the gap between two kernels of
// a model that are shared out, shorter than a time slice.
constexpr uint32_t kSpinRounds = 60000;
constexpr double kSpinMs = 0.1;
// One worker's task may take long; none takes longer than this on a machine that is of use.
constexpr double kPatienceMs = 120'000;
constexpr int64_t kBlockNs = 100'000'000;
constexpr int32_t kMaxWorkers = 64;

struct Pool {
  TernPlatform platform;  // the module's own, and `parallel` below
  TernParallel parallel;
  SharedJob job;
  tern::ShortJobs short_jobs;
  bool busy;                      // of the owner alone
  bool may_block;                 // the owner is no page, whose thread must not wait
  std::atomic<int32_t> jobs;      // what workers without work wait for
  std::atomic<int32_t> sleepers;  // how many do
  std::atomic<int32_t> reports;   // what an owner that may block waits for
  std::atomic<int32_t> owner_sleeps;
  std::atomic<int32_t> stopping;
  std::atomic<int32_t> failed;
  std::atomic<uint32_t> ran[kMaxWorkers];  // tasks of each worker
};

void Wait(std::atomic<int32_t>* word, int32_t seen, int64_t nanoseconds) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int32_t*>(word), seen, nanoseconds);
}

void Notify(std::atomic<int32_t>* word) {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int32_t*>(word), UINT32_MAX);
}

void Wake(std::atomic<int32_t>* word) {
  word->fetch_add(1);
  Notify(word);
}

// Waits for tasks that workers have claimed; not for workers, so one that is gone holds nothing up.
void AwaitEnd(Pool* pool, uint32_t num_tasks) {
  uint32_t done = 0;
  double since = 0;
  for (uint32_t round = 1;; ++round) {
    const int32_t reports = pool->reports.load();
    const uint32_t finished = pool->job.finished();
    if (finished == num_tasks) return;
    if (pool->failed.load() != 0) tern_pool_lost();
    if (round % kSpinRounds != 0) continue;
    const double now = tern_pool_now();
    if (finished != done || since == 0) since = now;
    done = finished;
    if (now - since > kPatienceMs) tern_pool_lost();
    if (!pool->may_block) continue;
    pool->owner_sleeps.store(1);
    if (pool->job.finished() != num_tasks) Wait(&pool->reports, reports, kBlockNs);
    pool->owner_sleeps.store(0);
  }
}

void RunAlone(int64_t num_tasks, SharedJob::Task task, void* data) {
  for (int64_t i = 0; i < num_tasks; ++i) task(data, i, 0);
}

}  // namespace

extern "C" {

// How many bytes the memory needs that is given to tern_pool_make.
TERN_POOL_EXPORT(tern_pool_bytes) size_t tern_pool_bytes(void) { return sizeof(Pool); }
TERN_POOL_EXPORT(tern_pool_most) int32_t tern_pool_most(void) { return kMaxWorkers; }

// A pool in memory that is zero. `run` and `ready` are where the table has tern_pool_run and
// tern_pool_ready. The result is for tern_runtime_create: `platform`, and who lends it workers.
// num_workers counts the owner.
TERN_POOL_EXPORT(tern_pool_make)
const TernPlatform* tern_pool_make(void* memory, const TernPlatform* platform, int32_t num_workers,
                                   decltype(TernParallel::run) run,
                                   decltype(TernParallel::ready) ready, int32_t may_block) {
  Pool* pool = static_cast<Pool*>(memory);
  pool->platform = *platform;
  pool->platform.parallel = &pool->parallel;
  pool->parallel = {.context = pool, .num_workers = num_workers, .run = run, .ready = ready};
  pool->may_block = may_block != 0;
  return &pool->platform;
}

// TernParallel::run. A nested call finds the pool busy and runs its tasks alone.
TERN_POOL_EXPORT(tern_pool_run)
void tern_pool_run(void* context, int64_t num_tasks, SharedJob::Task task, void* data) {
  Pool* pool = static_cast<Pool*>(context);
  if (num_tasks <= 1 || num_tasks >= UINT32_MAX || pool->busy || pool->stopping.load() != 0)
    return RunAlone(num_tasks, task, data);
  pool->busy = true;
  pool->job.Begin(static_cast<uint32_t>(num_tasks), task, data);
  pool->jobs.fetch_add(1);
  if (pool->sleepers.load() > 0) Notify(&pool->jobs);
  pool->ran[0].fetch_add(pool->job.Drain(0));
  AwaitEnd(pool, static_cast<uint32_t>(num_tasks));
  pool->busy = false;
}

// TernParallel::ready.
TERN_POOL_EXPORT(tern_pool_ready) int32_t tern_pool_ready(void* context) {
  Pool* pool = static_cast<Pool*>(context);
  if (pool->sleepers.load() == 0 || pool->short_jobs.AreWorthWaking(tern_pool_now(), kSpinMs))
    return pool->parallel.num_workers;
  return 1;
}

// What a worker does until the pool is stopped: spins briefly for a job, then sleeps.
TERN_POOL_EXPORT(tern_pool_work) void tern_pool_work(Pool* pool, int32_t worker) {
  uint32_t seen = 0;
  uint32_t spins = 0;
  for (;;) {
    // Before all that it announces, tern_pool_stop too: what comes after it changes the word that
    // Wait compares, so that no worker sleeps through it.
    const int32_t jobs = pool->jobs.load();
    if (pool->stopping.load() != 0) return;
    const uint32_t epoch = pool->job.epoch();
    if (epoch != seen) {
      seen = epoch;
      spins = 0;
      const uint32_t ran = pool->job.Drain(worker);
      pool->ran[worker].fetch_add(ran);
      if (ran > 0 && pool->owner_sleeps.load() != 0) Wake(&pool->reports);
    } else if (++spins > kSpinRounds) {
      pool->sleepers.fetch_add(1);
      // A job that begins now counts `jobs` up before it looks for sleepers: so this one either
      // does not fall asleep, or is woken.
      Wait(&pool->jobs, jobs, -1);
      pool->sleepers.fetch_sub(1);
    }
  }
}

// By a worker whose task did not return: the owner does not wait for it.
TERN_POOL_EXPORT(tern_pool_fail) void tern_pool_fail(Pool* pool) {
  pool->failed.store(1);
  Wake(&pool->reports);
}

// Ends all workers. The owner goes on alone.
TERN_POOL_EXPORT(tern_pool_stop) void tern_pool_stop(Pool* pool) {
  pool->stopping.store(1);
  Wake(&pool->jobs);
}

// How many tasks a worker has run; worker 0 is the owner.
TERN_POOL_EXPORT(tern_pool_ran) uint32_t tern_pool_ran(Pool* pool, int32_t worker) {
  return worker < 0 || worker >= kMaxWorkers ? 0 : pool->ran[worker].load();
}

}  // extern "C"
