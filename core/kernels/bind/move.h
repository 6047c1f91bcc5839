// SPDX-License-Identifier: Apache-2.0
// Moving elements of any size: strided copies with merged axes, fills, gathers along one axis, and
// the two changes of image layout. All of them end in the kernels copy and gather_rows.

#ifndef TERN_CORE_KERNELS_BIND_MOVE_H_
#define TERN_CORE_KERNELS_BIND_MOVE_H_

#include <cstdint>
#include <span>

#include "core/kernels/bind/call.h"

namespace tern::kernels::bind {

// Strides are in elements; src and dst point at the element of index 0 … 0.
struct StridedCopy {
  Extents shape;
  int64_t src_strides[TERN_MAX_RANK];
  int64_t dst_strides[TERN_MAX_RANK];
};

// Row-major.
void ContiguousStrides(const Extents& extents, int64_t* strides);

// Ok for types whose elements are whole bytes that may be copied as such.
Status CheckMovable(const Call& call, int index, const Tensor& tensor);

Status CopyStrided(Call& call, const StridedCopy& copy, int64_t element_size, const void* src,
                   void* dst);

// dst[i] = the one element at value, for count elements.
Status Fill(Call& call, int64_t element_size, const void* value, int64_t count, void* dst);

// to[at + i] = from[begin + i], in row-major order, for elements of any type that both have.
void CopyElements(const Tensor& from, int64_t begin, int64_t count, Tensor* to, int64_t at);

// y[outer, indices, inner] = x[outer, index, inner] for x [outer, axis, inner]; index is checked.
struct AxisView {
  int64_t outer, axis, inner;
};
AxisView ViewAround(const Extents& extents, int axis);
Status GatherAxis(Call& call, const AxisView& view, int64_t element_size,
                  std::span<const int64_t> index, const void* x, void* y);

// The same elements, another shape, the same memory.
Result<Any> Reshaped(const Tensor& tensor, const Extents& extents);

// x with axes permuted: axis i of the result is axis perm[i] of x.
Result<TensorPtr> Permuted(Call& call, const Tensor& x, std::span<const int> perm);
// [n, c, …] → [n, …, c] and back.
Result<TensorPtr> ToChannelsLast(Call& call, const Tensor& x);
Result<TensorPtr> ToChannelsFirst(Call& call, const Tensor& x);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_MOVE_H_
