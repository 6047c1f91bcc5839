// SPDX-License-Identifier: Apache-2.0
// RunContext: the scratch block, offered results, and what ends a run.
#include "core/object/run_context.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/object/regions.h"
#include "core/object/tensor_window.h"

namespace tern {

RunContext::RunContext(ObjectPtr<Allocator> allocator, const TernParallel* parallel)
    : allocator_(allocator ? std::move(allocator) : MakePooledAllocator()), parallel_(parallel) {}

RunContext::~RunContext() {
  CloseArena();
  ReleaseScratch();
}

// First fit, in the order of the offer. Each tensor is given once, so that two results of a call
// never share memory. Calls have few results, so the search is short.
TensorPtr RunContext::TakeOffered(DType dtype, Dims dims) {
  for (auto tensor = offered_.begin(); tensor != offered_.end(); ++tensor) {
    if ((*tensor)->dtype() != dtype || !std::ranges::equal((*tensor)->dims(), dims)) continue;
    TensorPtr taken = std::move(*tensor);
    offered_.erase(tensor);
    return taken;
  }
  return places_.empty() ? nullptr : TakePlace(dtype, dims);
}

TensorPtr RunContext::TakePlace(DType dtype, Dims dims) {
  const Result<int64_t> bytes = TensorBytes(dtype, dims);
  if (!bytes.ok() || dtype.is_string()) return nullptr;
  StoragePtr storage = StorageIn(static_cast<size_t>(*bytes));
  if (storage == nullptr) return nullptr;
  return Tensor::OfStorage(std::move(storage), dtype, dims, allocator());
}

// First fit, as above. What fits no place is something that the operator makes for itself; if it is
// small, the lists of the allocator serve it.
StoragePtr RunContext::StorageIn(size_t bytes) {
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const uint64_t bit = uint64_t{1} << i;
    if (place.bytes < bytes || place.bytes - bytes >= Arena::kAlignment ||
        (taken_places_ & bit) != 0)
      continue;
    taken_places_ |= bit;
    return Storage::NewAt(arena_, place, bytes);
  }
  return bytes > Regions::kSmallest ? Storage::NewIn(arena_, places_, bytes) : nullptr;
}

bool RunContext::OpenArena(uint64_t bytes) {
  CloseArena();
  if (bytes <= SIZE_MAX) arena_ = allocator_->OpenArena(static_cast<size_t>(bytes));
  return arena_ != nullptr;
}

void RunContext::CloseOpenArena() {
  WithdrawPlaces();
  allocator_->CloseArena(arena_);
  arena_ = nullptr;
}

void RunContext::OfferPlaces(std::span<const Place> places) {
  if (arena_ == nullptr) return;
  places_ = places.first(std::min<size_t>(places.size(), 64));  // bits of taken_places_
  taken_places_ = 0;
}

void RunContext::WithdrawPlaces() {
  places_ = {};
  scratch_place_ = nullptr;
}

void* RunContext::Scratch(size_t bytes) {
  if (bytes <= scratch_bytes_ && scratch_ != nullptr) return scratch_;
  scratch_place_ = nullptr;
  if (!places_.empty() && bytes > Regions::kSmallest) {
    scratch_place_ = Storage::NewIn(arena_, places_, bytes);
    if (scratch_place_ != nullptr) return scratch_place_->data();
  }
  // The old block is released before the new one is taken: scratch has no content to keep, and both
  // together might pass the limit.
  ReleaseScratch();
  // A request of 0 bytes gets memory too, so that null always means failure.
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
  // The cause is taken away with the error, so that the context can serve the next call.
  const int32_t cause = stopped_.exchange(kGoesOn, std::memory_order_relaxed);
  return cause == kCancelled ? Stopped("the run was cancelled").SetErrorCode("S0302")
                             : Stopped("time limit reached inside a call").SetErrorCode("S0303");
}

Status RunContext::OverLimit(int64_t work) const {
  // Above kMostWork even an unlimited run refuses: sizes computed from such a cost would overflow.
  if (work > kMostWork) return OutOfRange("a call that would take more than 2^62 steps");
  return Stopped("the call would take ", FormatGrouped(work), " steps of a kernel, and ",
                 FormatGrouped(work_left_), " are left to the run")
      .SetErrorCode(work_code_);
}

}  // namespace tern
