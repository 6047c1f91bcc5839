// SPDX-License-Identifier: Apache-2.0
#include "native/kernels/lazy_road.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "native/kernels/compiled_kernel.h"

namespace tern::native {
namespace {

LazyRoad& RoadOf(void* context) { return *static_cast<LazyRoad*>(context); }

using Owner = std::shared_ptr<LazyRoad>;

int32_t CallChosen(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  return (*static_cast<Owner*>(static_cast<Function*>(self)->data()))->Call(args, num_args, result);
}

}  // namespace

LazyRoad::LazyRoad(RoadSource source)
    : source_(std::move(source)),
      may_wait_(source_.has_operators && !source_.options.allow_native_code) {}

vm::KernelRoad LazyRoad::Make(RoadSource source) {
  const vm::FunctionInfo& info = source.executable->functions()[source.function];
  const std::string signature = info.signature.ToText();
  auto lazy = std::make_unique<Owner>(std::make_shared<LazyRoad>(source));
  vm::KernelRoad road;
  road.replacement.context = lazy->get();
  road.replacement.ready = [](void* context, int64_t elements) -> int32_t {
    return RoadOf(context).Takes(elements) ? 1 : 0;
  };
  road.describe = [](void* context, const char** name, const char** why) {
    RoadOf(context).Describe(name, why);
  };
  const auto release = [](void* owner) { delete static_cast<Owner*>(owner); };
  road.replacement.function = Function::FromC(info.name, &CallChosen, lazy.release(), release,
                                              /*needs_context=*/true, signature);
  return road;
}

void LazyRoad::ChooseLocked() {
  if (is_chosen()) return;
  Result<vm::KernelRoad> chosen = ChooseRoad(source_);
  if (chosen.ok()) {
    road_ = *std::move(chosen);
  } else {
    road_.road = source_.has_operators ? "operators" : "none";
    road_.why = chosen.status().message();
  }
  is_chosen_.store(true, std::memory_order_release);
}

const vm::KernelRoad& LazyRoad::Chosen() {
  if (is_chosen()) return road_;
  const std::lock_guard<std::mutex> lock(mutex_);
  ChooseLocked();
  return road_;
}

bool LazyRoad::IsTooEarly(int64_t elements) {
  constexpr int64_t kEnough = CompiledKernel::kOperatorElements;
  if (elements_.load(std::memory_order_relaxed) + elements < kEnough) {
    elements_.fetch_add(elements, std::memory_order_relaxed);
    return true;
  }
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) ChooseLocked();
  return !lock.owns_lock();  // another thread is at it
}

bool LazyRoad::Takes(int64_t elements) {
  // Far from overflow: so much is enough for whoever counts.
  int64_t work = std::min(elements, CompiledKernel::kOperatorElements);
  if (may_wait_ && !is_chosen() && IsTooEarly(work)) return false;
  const vm::Replacement& chosen = Chosen().replacement;
  if (chosen.function == nullptr) return false;
  if (chosen.ready == nullptr) return true;
  if (elements_.load(std::memory_order_relaxed) != 0)
    work += elements_.exchange(0, std::memory_order_relaxed);
  return chosen.ready(chosen.context, work) != 0;
}

int32_t LazyRoad::Call(const TernAny* args, int32_t num_args, TernAny* result) {
  const FunctionPtr& function = Chosen().replacement.function;
  if (function == nullptr)
    return internal::ReturnError(
        Failed("the loop kernel has no road: ", road_.why).SetErrorCode("E0321"), result);
  if (function->needs_context()) return function->Call(args, num_args, result);
  return function->Call(args + 1, num_args - 1, result);
}

void LazyRoad::Describe(const char** road, const char** why) {
  const vm::KernelRoad& chosen = Chosen();
  if (chosen.describe != nullptr) return chosen.describe(chosen.replacement.context, road, why);
  *road = chosen.road.c_str();
  *why = chosen.why.c_str();
}

}  // namespace tern::native
