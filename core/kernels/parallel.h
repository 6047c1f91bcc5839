// SPDX-License-Identifier: Apache-2.0
// Splitting one kernel call over the workers that the platform lends. Work is cut statically into
// equal ranges, one per worker. A kernel says how much of it is a grain, some 20 us natively, and
// no worker gets less than a kPartsOfGrain-th of one: between two kernels of a model workers wait
// awake, and one that has not come when the others are done is not waited for. Where they sleep,
// which takes some 20 us to end, less than a grain does not wake them.
// A range is run in slices of kSliceGrains grains, between which the kernel looks whether the run
// is over.

#ifndef TERN_CORE_KERNELS_PARALLEL_H_
#define TERN_CORE_KERNELS_PARALLEL_H_

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

namespace tern::kernels::TERN_TARGET_NAME {

inline constexpr int64_t kSliceGrains = 512;  // about 10 ms
// 2.5 us natively, some 10 in WebAssembly, whose vectors have 128 bits.
inline constexpr int64_t kPartsOfGrain = 8;

inline bool IsStopped(const TernKernelContext* context) {
  return context->stopped != nullptr && context->stopped(context->scratch_context) != 0;
}

template <class Task>
struct ParallelRange {
  const Task* task;
  const TernKernelContext* context;
  int64_t total, step, slice;

  // Never inlined: a kernel's body is there once, for one worker and for many.
  static HWY_NOINLINE void Run(void* data, int64_t index, int32_t worker) {
    const ParallelRange* self = static_cast<const ParallelRange*>(data);
    int64_t begin = index * self->step;
    const int64_t end = self->total - begin < self->step ? self->total : begin + self->step;
    while (true) {
      const int64_t next = end - begin < self->slice ? end : begin + self->slice;
      (*self->task)(begin, next, worker);
      if (next == end || IsStopped(self->context)) return;
      begin = next;
    }
  }
};

// Workers of any call, each of whom has scratch of its own.
inline int64_t MostWorkers(const TernKernelContext* context) {
  return context->parallel == nullptr ? 1 : context->parallel->num_workers;
}

// The number of workers that total units of work are worth, at least 1.
HWY_NOINLINE inline int32_t WorkersFor(const TernKernelContext* context, int64_t total,
                                       int64_t grain) {
  const int64_t wanted = total / (grain > kPartsOfGrain ? grain / kPartsOfGrain : 1);
  const TernParallel* parallel = context->parallel;
  if (wanted < 2 || parallel == nullptr) return 1;
  const bool is_short = parallel->ready != nullptr && total < grain;
  const int64_t have = is_short ? parallel->ready(parallel->context) : parallel->num_workers;
  return static_cast<int32_t>(wanted < have ? wanted : have);
}

// Calls task(begin, end, worker) for ranges that make up [0, total); range bounds are multiples of
// `align`.
template <class Task>
void ParallelFor(const TernKernelContext* context, int64_t total, int64_t grain, int64_t align,
                 const Task& task) {
  const int64_t workers = WorkersFor(context, total, grain);
  if (total <= 0) return;
  // Rounded up to `align`, and everything where that would overflow.
  const int64_t slice =
      grain < total / kSliceGrains ? (grain * kSliceGrains + align - 1) / align * align : total;
  ParallelRange<Task> range{&task, context, total, total, slice};
  if (workers == 1) {
    range.Run(&range, 0, 0);
    return;
  }
  int64_t step = (total + workers - 1) / workers;
  step = (step + align - 1) / align * align;
  range.step = step;
  context->parallel->run(context->parallel->context, (total + step - 1) / step,
                         ParallelRange<Task>::Run, &range);
}

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_PARALLEL_H_
