// SPDX-License-Identifier: Apache-2.0
// Call: one call of a bound operator. It hands out arguments as contiguous tensors, makes results,
// and keeps the first error (sticky: later reads give null), so that operators read their arguments
// first and test once:
//
//   const Tensor* x = call.F32(0);
//   const Tensor* bias = call.OptionalF32(1);
//   TERN_TRY(call.TakeStatus());
//
// Errors name the parameter and what was expected; binding.cc puts the operator in front.

#ifndef TERN_CORE_KERNELS_BIND_CALL_H_
#define TERN_CORE_KERNELS_BIND_CALL_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels/bind/bind.h"
#include "core/kernels/kernel_table.h"
#include "core/object/run_context.h"
#include "core/object/tensor.h"
#include "core/ops/attr_fields.h"
#include "core/ops/dims.h"
#include "core/ops/ops.h"

namespace tern::kernels::bind {

using Extents = ops::Dims<int64_t>;
using ops::Ints;

class Call {
 public:
  Call(const ops::OpInfo& info, RunContext& context, AnyArgs args);

  const ops::OpInfo& info() const { return info_; }
  ops::Op op() const { return info_.op; }
  RunContext& context() { return context_; }
  const KernelTable& kernels() const { return kernels_; }
  const TernKernelContext* kernel_context() const { return &kernel_context_; }

  int size() const { return static_cast<int>(args_.size()); }
  bool Has(int index) const {
    return index < size() && !args_[static_cast<size_t>(index)].is_none();
  }

  // The argument as a contiguous tensor of rank <= 8 and, where given, of that dtype. Null after an
  // error. Elements are text or one number of whole bytes, but for Any's, which are not looked at.
  const Tensor* Input(int index);
  const Tensor* Input(int index, DType dtype);
  const Tensor* InputOfAnyType(int index);
  // The same for numbers of any size, packed ones too.
  const Tensor* InputOfNumbers(int index);
  const Tensor* F32(int index) { return Input(index, kF32); }
  // Null without an error where the argument is absent.
  const Tensor* Optional(int index, DType dtype) {
    return Has(index) ? Input(index, dtype) : nullptr;
  }
  const Tensor* OptionalF32(int index) { return Optional(index, kF32); }

  // The argument itself as the result; tensors are values, so sharing is not seen.
  Any Share(int index) const { return Any(args_[static_cast<size_t>(index)]); }

  // All elements of an i64 or i32 tensor of rank 0 or 1 (or an int).
  void ReadInts(int index, Ints* values);
  int64_t ReadInt(int index);
  // One element of any number type.
  double ReadNumber(int index);

  bool ok() const { return status_.ok(); }
  void Fail(Status status);
  Status TakeStatus() { return std::move(status_); }

  // An uninitialised tensor for the result, for data in between or for a table whose size the file
  // decides: memory is counted, and its elements are charged.
  Result<TensorPtr> New(DType dtype, const Extents& extents);
  Result<TensorPtr> NewF32(const Extents& extents) { return New(kF32, extents); }
  // An uninitialised table of indices.
  Result<TensorPtr> NewTable(int64_t size) { return New(kI64, Extents{size}); }

  // Inputs and what New makes are charged an element each. An operator that does more with one, and
  // every one whose attributes say how much, charges the product before it starts; saturated
  // arithmetic (ops/dims.h) will do.
  Status Charge(int64_t work) { return context_.Charge(work); }
  bool IsStopped() const { return context_.IsStopped(); }

  // Calls task(begin, end) for ranges that make up [0, total), one for each worker that is worth
  // it: `grain` of them take some 20 us. Ranges begin at multiples of 256, so that no two workers
  // write to one byte of packed elements, or often to one line of the cache.
  template <class Task>
  void ForRanges(int64_t total, int64_t grain, const Task& task) const;

  // The status of a kernel's return value.
  static Status Check(int32_t code);

 private:
  const Tensor* Hold(const Tensor& tensor, int index);
  Status ChargeElements(Dims dims, int64_t count);

  const ops::OpInfo& info_;
  RunContext& context_;
  AnyArgs args_;
  const KernelTable& kernels_;
  TernKernelContext kernel_context_;
  Status status_;
  std::vector<TensorPtr> held_;  // contiguous copies of arguments
};

template <class Task>
void Call::ForRanges(int64_t total, int64_t grain, const Task& task) const {
  constexpr int64_t kAlign = 256;
  struct Ranges {
    const Task* task;
    int64_t total, step;

    static void Run(void* data, int64_t index, int32_t) {
      const Ranges& self = *static_cast<const Ranges*>(data);
      const int64_t begin = index * self.step;
      (*self.task)(begin, std::min(begin + self.step, self.total));
    }
  };
  const TernParallel* parallel = kernel_context_.parallel;
  const int64_t workers = parallel == nullptr ? 1 : parallel->num_workers;
  const int64_t parts = std::min(workers, total / grain);
  if (parts < 2) return task(int64_t{0}, total);
  const int64_t step = ops::CeilDiv(ops::CeilDiv(total, parts), kAlign) * kAlign;
  Ranges ranges{&task, total, step};
  parallel->run(parallel->context, ops::CeilDiv(total, step), &Ranges::Run, &ranges);
}

inline Extents ExtentsOf(const Tensor& tensor) { return Extents(tensor.dims()); }
inline const float* FloatsOf(const Tensor* tensor) {
  return tensor != nullptr ? tensor->data_as<float>() : nullptr;
}
inline int64_t CountOf(const Extents& extents) {
  return ops::ProductOf(extents, 0, extents.rank());
}

// "x is f32[2, 3], expected …".
Status WrongTensor(const Call& call, int index, const Tensor& tensor, std::string_view expected);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_CALL_H_
