// SPDX-License-Identifier: Apache-2.0
// RunContext: what a running function may use besides its arguments: memory, workers, scratch.
//
// Owned by the virtual machine (or a test) and used by one thread at a time. Functions marked
// needs_context get it as their first argument, an opaque pointer; typed functions take
// `RunContext&` first.
#ifndef TERN_CORE_OBJECT_RUN_CONTEXT_H_
#define TERN_CORE_OBJECT_RUN_CONTEXT_H_

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "core/object/allocator.h"
#include "core/object/device.h"
#include "core/object/tensor.h"

struct TernParallel;  // core/kernels/kernel.h

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

  // Uninitialised; errors as Tensor::New.
  Result<TensorPtr> NewTensor(DType dtype, Dims dims) {
    return Tensor::New(allocator(), dtype, dims);
  }
  Result<TensorPtr> NewTensor(DType dtype, std::initializer_list<int64_t> dims) {
    return NewTensor(dtype, Dims(dims.begin(), dims.size()));
  }

  // >= bytes of 64-byte aligned memory, valid until the next call of Scratch, or null. One block,
  // kept and grown.
  void* Scratch(size_t bytes);
  // For C callbacks such as TernKernelContext::scratch: context is the RunContext.
  static void* ScratchCallback(void* context, size_t bytes) {
    return static_cast<RunContext*>(context)->Scratch(bytes);
  }
  void ReleaseScratch();

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
  ObjectPtr<Allocator> allocator_;
  const TernParallel* parallel_;
  void* scratch_ = nullptr;
  size_t scratch_bytes_ = 0;
  Writer writer_ = nullptr;
  void* writer_context_ = nullptr;
  DeviceList devices_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_RUN_CONTEXT_H_
