// SPDX-License-Identifier: Apache-2.0
// RunContext: the scratch block and the limit of work.
#include "core/object/run_context.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"

namespace tern {

RunContext::RunContext(ObjectPtr<Allocator> allocator, const TernParallel* parallel)
    : allocator_(allocator ? std::move(allocator) : MakePooledAllocator()), parallel_(parallel) {}

RunContext::~RunContext() { ReleaseScratch(); }

TensorPtr RunContext::TakeOffered(DType dtype, Dims dims) {
  for (auto tensor = offered_.begin(); tensor != offered_.end(); ++tensor) {
    if ((*tensor)->dtype() != dtype || !std::ranges::equal((*tensor)->dims(), dims)) continue;
    TensorPtr taken = std::move(*tensor);
    offered_.erase(tensor);
    return taken;
  }
  return nullptr;
}

void* RunContext::Scratch(size_t bytes) {
  if (bytes <= scratch_bytes_ && scratch_ != nullptr) return scratch_;
  ReleaseScratch();
  bytes = std::max(bytes, kTensorAlignment);
  scratch_ = allocator_->Allocate(bytes, kTensorAlignment);
  scratch_bytes_ = scratch_ != nullptr ? bytes : 0;
  return scratch_;
}

void RunContext::ReleaseScratch() {
  allocator_->Free(scratch_, scratch_bytes_, kTensorAlignment);
  scratch_ = nullptr;
  scratch_bytes_ = 0;
}

Status RunContext::StopStatus() {
  const int32_t cause = stopped_.exchange(kGoesOn, std::memory_order_relaxed);
  return cause == kCancelled ? Stopped("the run was cancelled").SetErrorCode("S0302")
                             : Stopped("time limit reached inside a call").SetErrorCode("S0303");
}

Status RunContext::OverLimit(int64_t work) const {
  if (work > kMostWork) return OutOfRange("a call that would take more than 2^62 steps");
  return Stopped("the call would take ", FormatGrouped(work), " steps of a kernel, and ",
                 FormatGrouped(work_left_), " are left to the run")
      .SetErrorCode(work_code_);
}

}  // namespace tern
