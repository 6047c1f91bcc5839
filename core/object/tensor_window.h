// SPDX-License-Identifier: Apache-2.0
// What tensor.cc and dlpack.cc share: the description of a new tensor, and checks. Internal to this
// folder.
#ifndef TERN_CORE_OBJECT_TENSOR_WINDOW_H_
#define TERN_CORE_OBJECT_TENSOR_WINDOW_H_

#include <optional>

#include "core/object/tensor.h"

namespace tern {

// All of it checked by the caller.
struct Tensor::Window {
  void* data = nullptr;
  uint64_t byte_offset = 0;
  DType dtype;
  Dims dims;
  Dims strides = {};
  bool has_strides = false;  // else contiguous
  Object* owner = nullptr;   // a reference is taken
  TernDLManagedTensorVersioned* manager = nullptr;
  bool read_only = false;
};

// Bytes of a contiguous tensor, or what is wrong with dtype or dims.
Result<int64_t> TensorBytes(DType dtype, Dims dims);
void FillContiguousStrides(Dims dims, int64_t* strides);

// The lowest and highest element offsets that are touched; low > high where there are no elements.
struct Reach {
  int64_t low, high;
};
std::optional<Reach> ReachOf(Dims dims, Dims strides);  // nullopt on overflow

// Kernels read elements at their natural alignment.
Status CheckAlignment(const void* data, DType dtype);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_TENSOR_WINDOW_H_
