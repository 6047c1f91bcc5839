// SPDX-License-Identifier: Apache-2.0
// Elements of a tensor as doubles, in blocks: the loops over them exist once, not once per type.
#ifndef TERN_CORE_VM_DEBUG_TENSOR_ELEMENTS_H_
#define TERN_CORE_VM_DEBUG_TENSOR_ELEMENTS_H_

#include <algorithm>
#include <cstdint>

#include "core/base/result.h"
#include "core/object/tensor.h"

namespace tern::vm {

inline constexpr int64_t kElementBlock = 2048;

// OK where a tensor has numbers that the host can read.
Status CheckHasNumbers(const Tensor& tensor);

// `count` elements from the flat index `begin` on, `step` apart. 64-bit integers are rounded.
void ReadElements(const Tensor& tensor, int64_t begin, int64_t step, int64_t count, double* out);

// f(values, count, index of the first) for all elements, in order.
template <typename F>
void ForEachBlock(const Tensor& tensor, F&& f) {
  double values[kElementBlock];
  for (int64_t at = 0; at < tensor.element_count(); at += kElementBlock) {
    const int64_t count = std::min(kElementBlock, tensor.element_count() - at);
    ReadElements(tensor, at, 1, count, values);
    f(static_cast<const double*>(values), count, at);
  }
}

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TENSOR_ELEMENTS_H_
