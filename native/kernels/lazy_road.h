// SPDX-License-Identifier: Apache-2.0
// LazyRoad: a kernel whose road is chosen when it is needed, so that kernels that do not run cost a
// program's load nothing.
//
// Needed: at the first call where the function has no operators or may have native code; else once
// as many elements went through the operators as make compiling worth while; or when somebody asks
// which road it is.
#ifndef TERN_NATIVE_KERNELS_LAZY_ROAD_H_
#define TERN_NATIVE_KERNELS_LAZY_ROAD_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "native/kernels/choose_road.h"

namespace tern::native {

class LazyRoad {
 public:
  // What the program takes for the kernel.
  static vm::KernelRoad Make(RoadSource source);

  explicit LazyRoad(RoadSource source);

  // The functions of vm::KernelRoad. Any thread.
  bool Takes(int64_t elements);
  int32_t Call(const TernAny* args, int32_t num_args, TernAny* result);
  void Describe(const char** road, const char** why);
  bool is_chosen() const { return is_chosen_.load(std::memory_order_acquire); }

 private:
  // One thread chooses, others wait.
  const vm::KernelRoad& Chosen();
  void ChooseLocked();
  // Whether this call is to be left to the operators without a look at the kernel.
  bool IsTooEarly(int64_t elements);

  const RoadSource source_;
  const bool may_wait_;
  std::atomic<int64_t> elements_{0};  // that were counted here and not told to the chosen road
  std::atomic<bool> is_chosen_{false};
  std::mutex mutex_;
  vm::KernelRoad road_;  // not written once is_chosen_
};

}  // namespace tern::native

#endif  // TERN_NATIVE_KERNELS_LAZY_ROAD_H_
