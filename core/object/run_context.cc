// SPDX-License-Identifier: Apache-2.0
// RunContext: the scratch block.
#include "core/object/run_context.h"

#include <algorithm>
#include <utility>

namespace tern {

RunContext::RunContext(ObjectPtr<Allocator> allocator, const TernParallel* parallel)
    : allocator_(allocator ? std::move(allocator) : MakePooledAllocator()), parallel_(parallel) {}

RunContext::~RunContext() { ReleaseScratch(); }

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

}  // namespace tern
