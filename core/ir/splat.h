// SPDX-License-Identifier: Apache-2.0
// Splats: constants whose elements are all one, kept as a single element behind strides of 0.
// Models with filled weights stay small in memory, and the executable stores the element once.
#ifndef TERN_CORE_IR_SPLAT_H_
#define TERN_CORE_IR_SPLAT_H_

#include <optional>

#include "core/object/tensor.h"
#include "core/ops/winograd_weights.h"

namespace tern::ir {

// A tensor of dims that repeats the only element of `element`.
Result<TensorPtr> MakeSplat(const Tensor& element, tern::Dims dims);
// The element as a tensor of rank 0, or null if it is no splat (of more than one element).
TensorPtr SplatElement(const Tensor& tensor);
// Whether elements differ along this axis only, as those of a splat do along none.
bool VariesAlong(const Tensor& tensor, int axis);
// The tensor with every element in its place, aligned. What repeats elements is refused beyond 2
// GiB: a file of a few bytes can ask for any amount. allocator: null is the default one.
bool CanMaterialize(const Tensor& tensor);
Result<TensorPtr> Materialize(const Tensor& tensor, Allocator* allocator = nullptr);
// The same for who reads elements wherever they lie (core/base/unaligned.h).
Result<TensorPtr> MaterializeUnaligned(const Tensor& tensor, Allocator* allocator);
// Filters [out, in, h, w] as they lie, without writing out what repeats; none where their taps do
// not lie in one row.
std::optional<ops::FilterSteps> FilterStepsOf(const Tensor& filters);
// The one element of a splat, or of a tensor that has no other, as a number; false for other
// tensors.
bool UniformValue(const Tensor& tensor, double* value);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_SPLAT_H_
