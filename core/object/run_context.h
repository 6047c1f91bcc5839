// SPDX-License-Identifier: Apache-2.0
// RunContext: what a running function may use besides its arguments: memory, workers, scratch.
//
// Owned by the virtual machine (or a test) and used by one thread at a time. Functions marked
// needs_context get it as their first argument, an opaque pointer; typed functions take
// `RunContext&` first.
#ifndef TERN_CORE_OBJECT_RUN_CONTEXT_H_
#define TERN_CORE_OBJECT_RUN_CONTEXT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "core/object/allocator.h"
#include "core/object/device.h"
#include "core/object/tensor.h"

struct TernParallel;  // core/kernels/kernel.h

namespace tern::kernels {
struct KernelTable;
}

namespace tern {

class RunContext {
 public:
  // Null allocator: a pooled one of its own. Null parallel: serial. parallel must outlive the
  // context.
  explicit RunContext(ObjectPtr<Allocator> allocator = nullptr,
                      const TernParallel* parallel = nullptr);
  ~RunContext();
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  Allocator* allocator() const { return allocator_.get(); }
  // By number, less one (device.h).
  std::span<const ObjectPtr<DeviceAllocator>> devices() const { return devices_; }
  void set_devices(DeviceList devices) { devices_ = std::move(devices); }
  const TernParallel* parallel() const { return parallel_; }
  void set_parallel(const TernParallel* parallel) { parallel_ = parallel; }
  // What operators compute with (core/kernels/choose.h), null for what every processor of the build
  // can run. The table lives for ever.
  const kernels::KernelTable* kernels() const { return kernels_; }
  void set_kernels(const kernels::KernelTable* kernels) { kernels_ = kernels; }

  // Uninitialised; errors as Tensor::New.
  Result<TensorPtr> NewTensor(DType dtype, Dims dims) {
    if (!offered_.empty() || !places_.empty()) [[unlikely]] {
      if (TensorPtr tensor = TakeOffered(dtype, dims); tensor != nullptr) return tensor;
    }
    return Tensor::New(allocator(), dtype, dims);
  }
  Result<TensorPtr> NewTensor(DType dtype, std::initializer_list<int64_t> dims) {
    return NewTensor(dtype, Dims(dims.begin(), dims.size()));
  }

  // Tensors that NewTensor may hand out, each once, where data type and extents agree: they are
  // contiguous, can be written, and nothing else looks at their memory. Until the next call.
  void OfferResults(std::vector<TensorPtr> tensors) { offered_ = std::move(tensors); }

  // An arena for the run that begins. False: there is no room for it (Allocator::OpenArena).
  bool OpenArena(uint64_t bytes);
  // The run is over.
  void CloseArena() {
    if (arena_ != nullptr) [[unlikely]]
      CloseOpenArena();
  }
  // Places of the arena that NewTensor may use, each once, for a tensor that fills it (but for what
  // rounding up to Arena::kAlignment adds). They are the caller's, until WithdrawPlaces, and are
  // those of all results of a call: what it makes besides, scratch too, ends with it, and may lie
  // wherever there is room.
  void OfferPlaces(std::span<const Place> places);
  void WithdrawPlaces();

  // >= bytes of 64-byte aligned memory, valid until the next call of Scratch and the end of the
  // function that runs, or null. One block, kept and grown, or room in the arena.
  void* Scratch(size_t bytes);
  // For C callbacks such as TernKernelContext::scratch: context is the RunContext.
  static void* ScratchCallback(void* context, size_t bytes) {
    return static_cast<RunContext*>(context)->Scratch(bytes);
  }
  void ReleaseScratch();

  // --- what a run may still do

  // One unit is an element read or written or one multiply-add; a function that may take long says
  // before it starts how many it needs. An error, S0301 or `code`, where so many are not left.
  Status Charge(int64_t work) {
    if (work <= work_left_) [[likely]] {
      work_left_ -= work;
      return OkStatus();
    }
    return OverLimit(work);
  }
  // Half of what can be counted is the most in any case, so that sizes derived from a cost that was
  // paid do not overflow.
  static constexpr int64_t kMostWork = INT64_MAX / 2;
  // code: of the error where the limit is reached, a literal.
  void set_work_left(int64_t work, const char* code) {
    work_left_ = work;
    work_code_ = code;
    limits_work_ = work < kMostWork;
  }
  int64_t work_left() const { return work_left_; }
  bool limits_work() const { return limits_work_; }

  // What the other run may still do and whether it is over: for one part of it on another thread.
  // Spend says to the whole afterwards what the part has done.
  void ShareLimits(const RunContext& whole) {
    work_left_ = whole.work_left_;
    work_code_ = whole.work_code_;
    limits_work_ = whole.limits_work_;
    stop_query_ = whole.stop_query_;
    stop_context_ = whole.stop_context_;
  }
  void Spend(int64_t work) { work_left_ = work < work_left_ ? work_left_ - work : 0; }

  // Why the run is over, if it is, from any thread: what takes long asks now and then, and ends.
  enum StopCause : int32_t { kGoesOn = 0, kCancelled, kOutOfTime };
  using StopQuery = StopCause (*)(void* context);
  void set_stop_query(StopQuery query, void* context) {
    stop_query_ = query;
    stop_context_ = context;
  }
  bool IsStopped() {
    if (stop_query_ == nullptr) return false;
    const StopCause cause = stop_query_(stop_context_);
    if (cause != kGoesOn) stopped_.store(cause, std::memory_order_relaxed);
    return cause != kGoesOn;
  }
  // An error where IsStopped was true since the last look: what the function made is not whole.
  Status TakeStop() {
    if (stopped_.load(std::memory_order_relaxed) == kGoesOn) [[likely]]
      return OkStatus();
    return StopStatus();
  }
  // For C callbacks such as TernKernelContext::stopped: context is the RunContext.
  static int32_t StoppedCallback(void* context) {
    return static_cast<RunContext*>(context)->IsStopped() ? 1 : 0;
  }

  // Where programs write lines of text; without a writer they are dropped.
  using Writer = void (*)(void* context, std::string_view line);
  void set_writer(Writer writer, void* context) {
    writer_ = writer;
    writer_context_ = context;
  }
  void Write(std::string_view line) const {
    if (writer_ != nullptr) writer_(writer_context_, line);
  }

 private:
  Status OverLimit(int64_t work) const;
  Status StopStatus();
  TensorPtr TakeOffered(DType dtype, Dims dims);
  TensorPtr TakePlace(DType dtype, Dims dims);
  StoragePtr StorageIn(size_t bytes);
  void CloseOpenArena();

  ObjectPtr<Allocator> allocator_;
  const TernParallel* parallel_;
  const kernels::KernelTable* kernels_ = nullptr;
  void* scratch_ = nullptr;
  size_t scratch_bytes_ = 0;
  int64_t work_left_ = kMostWork;
  bool limits_work_ = false;
  const char* work_code_ = "S0301";
  StopQuery stop_query_ = nullptr;
  void* stop_context_ = nullptr;
  std::atomic<int32_t> stopped_{kGoesOn};
  Writer writer_ = nullptr;
  void* writer_context_ = nullptr;
  DeviceList devices_;
  std::vector<TensorPtr> offered_;
  std::span<const Place> places_;
  uint64_t taken_places_ = 0;  // bit i: places_[i]
  StoragePtr scratch_place_;   // in the arena, instead of scratch_
  Arena* arena_ = nullptr;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_RUN_CONTEXT_H_
