// SPDX-License-Identifier: Apache-2.0
// LazyBackend: a kernel whose backend is chosen when it is needed, so that kernels that do not run
// cost a program's load nothing.
//
// Needed: at the first call where the function has no operators or may have native code; else once
// as many elements went through the operators as make compiling worth while; or when somebody asks
// which backend it is.
#ifndef TERN_NATIVE_BACKENDS_LAZY_BACKEND_H_
#define TERN_NATIVE_BACKENDS_LAZY_BACKEND_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "native/backends/choose_backend.h"

namespace tern::native {

class LazyBackend {
 public:
  // What the program takes for the kernel.
  static vm::KernelBackend Make(BackendSource source);

  explicit LazyBackend(BackendSource source);

  // The functions of vm::KernelBackend. Any thread.
  bool Takes(int64_t elements);
  int32_t Call(const TernAny* args, int32_t num_args, TernAny* result);
  void Describe(const char** backend, const char** why);
  bool is_chosen() const { return is_chosen_.load(std::memory_order_acquire); }

 private:
  // One thread chooses, others wait.
  const vm::KernelBackend& Chosen();
  void ChooseLocked();
  // Whether this call is to be left to the operators without a look at the kernel.
  bool IsTooEarly(int64_t elements);

  const BackendSource source_;
  const bool may_wait_;
  std::atomic<int64_t> elements_{0};  // that were counted here and not told to the chosen backend
  std::atomic<bool> is_chosen_{false};
  std::mutex mutex_;
  vm::KernelBackend backend_;  // not written once is_chosen_
};

}  // namespace tern::native

#endif  // TERN_NATIVE_BACKENDS_LAZY_BACKEND_H_
