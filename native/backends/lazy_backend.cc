// SPDX-License-Identifier: Apache-2.0
#include "native/backends/lazy_backend.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "native/backends/compiled_kernel.h"

namespace tern::native {
namespace {

LazyBackend& BackendOf(void* context) { return *static_cast<LazyBackend*>(context); }

// The function holds a reference, so that the backend lives while a machine may call it.
using Owner = std::shared_ptr<LazyBackend>;

int32_t CallChosen(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  return (*static_cast<Owner*>(static_cast<Function*>(self)->data()))->Call(args, num_args, result);
}

}  // namespace

LazyBackend::LazyBackend(BackendSource source)
    : source_(std::move(source)),
      // Code that may run is taken at once; without it nothing is gained by choosing early.
      may_wait_(source_.has_operators && !source_.options.allow_native_code &&
                source_.options.libraries.empty()) {}

vm::KernelBackend LazyBackend::Make(BackendSource source) {
  const vm::FunctionInfo& info = source.executable->functions()[source.function];
  const std::string signature = info.signature.ToText();
  auto lazy = std::make_unique<Owner>(std::make_shared<LazyBackend>(source));
  vm::KernelBackend backend;
  backend.replacement.context = lazy->get();
  backend.replacement.ready = [](void* context, int64_t elements) -> int32_t {
    return BackendOf(context).Takes(elements) ? 1 : 0;
  };
  backend.describe = [](void* context, const char** name, const char** why) {
    BackendOf(context).Describe(name, why);
  };
  const auto release = [](void* owner) { delete static_cast<Owner*>(owner); };
  backend.replacement.function = Function::FromC(info.name, &CallChosen, lazy.release(), release,
                                                 /*needs_context=*/true, signature);
  return backend;
}

// mutex_ must be held.
void LazyBackend::ChooseLocked() {
  if (is_chosen()) return;
  Result<vm::KernelBackend> chosen = ChooseBackend(source_);
  if (chosen.ok()) {
    backend_ = *std::move(chosen);
  } else {
    backend_.backend = source_.has_operators ? "operators" : "none";
    backend_.why = chosen.status().message();
  }
  is_chosen_.store(true, std::memory_order_release);
}

const vm::KernelBackend& LazyBackend::Chosen() {
  // Checked twice: the usual call takes no lock, because backend_ does not change once is_chosen_
  // is set.
  if (is_chosen()) return backend_;
  const std::lock_guard<std::mutex> lock(mutex_);
  ChooseLocked();
  return backend_;
}

// Whether too little work came by to be worth choosing. Sums are relaxed: a lost addition only
// delays.
bool LazyBackend::IsTooEarly(int64_t elements) {
  constexpr int64_t kEnough = CompiledKernel::kOperatorElements;
  if (elements_.load(std::memory_order_relaxed) + elements < kEnough) {
    elements_.fetch_add(elements, std::memory_order_relaxed);
    return true;
  }
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) ChooseLocked();
  return !lock.owns_lock();  // another thread is at it
}

bool LazyBackend::Takes(int64_t elements) {
  // This much work is enough to compile, and the limit keeps the sum from overflowing.
  int64_t work = std::min(elements, CompiledKernel::kOperatorElements);
  if (may_wait_ && !is_chosen() && IsTooEarly(work)) return false;
  const vm::Replacement& chosen = Chosen().replacement;
  if (chosen.function == nullptr) return false;
  if (chosen.ready == nullptr) return true;
  // Work that was counted before the choice counts for the chosen backend too.
  if (elements_.load(std::memory_order_relaxed) != 0)
    work += elements_.exchange(0, std::memory_order_relaxed);
  return chosen.ready(chosen.context, work) != 0;
}

int32_t LazyBackend::Call(const TernAny* args, int32_t num_args, TernAny* result) {
  const FunctionPtr& function = Chosen().replacement.function;
  if (function == nullptr)
    return internal::ReturnError(
        Failed("the loop kernel has no backend: ", backend_.why).SetErrorCode("E0321"), result);
  if (function->needs_context()) return function->Call(args, num_args, result);
  // The context comes first where a function needs one; this one asked for it, the chosen need not.
  return function->Call(args + 1, num_args - 1, result);
}

void LazyBackend::Describe(const char** backend, const char** why) {
  const vm::KernelBackend& chosen = Chosen();
  if (chosen.describe != nullptr) return chosen.describe(chosen.replacement.context, backend, why);
  *backend = chosen.backend.c_str();
  *why = chosen.why.c_str();
}

}  // namespace tern::native
