// SPDX-License-Identifier: Apache-2.0
#include "core/ir/splat.h"

#include <vector>

namespace tern::ir {

Result<TensorPtr> MakeSplat(const Tensor& element, tern::Dims dims) {
  const std::vector<int64_t> strides(dims.size(), 0);
  return element.View(dims, strides, 0);
}

TensorPtr SplatElement(const Tensor& tensor) {
  if (tensor.element_count() < 2 || tensor.dtype().is_string()) return nullptr;
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    if (tensor.dim(axis) > 1 && tensor.strides()[static_cast<size_t>(axis)] != 0) return nullptr;
  }
  Result<TensorPtr> element = tensor.View({}, {}, 0);
  return element.ok() ? *std::move(element) : nullptr;
}

bool UniformValue(const Tensor& tensor, double* value) {
  TensorPtr element = SplatElement(tensor);
  if (!element && tensor.element_count() != 1) return false;
  if (tensor.dtype() == kF32) {
    *value = static_cast<double>(*static_cast<const float*>(tensor.data()));
  } else if (tensor.dtype() == kF64) {
    *value = *static_cast<const double*>(tensor.data());
  } else if (tensor.dtype() == kI64) {
    *value = static_cast<double>(*static_cast<const int64_t*>(tensor.data()));
  } else if (tensor.dtype() == kI32) {
    *value = *static_cast<const int32_t*>(tensor.data());
  } else {
    return false;
  }
  return true;
}

}  // namespace tern::ir
