// SPDX-License-Identifier: Apache-2.0
#include "core/ir/splat.h"

#include <optional>
#include <vector>

#include "core/base/unaligned.h"

namespace tern::ir {

// A view with strides of 0: one element in memory, any shape to readers.
Result<TensorPtr> MakeSplat(const Tensor& element, tern::Dims dims) {
  const std::vector<int64_t> strides(dims.size(), 0);
  return element.View(dims, strides, 0);
}

TensorPtr SplatElement(const Tensor& tensor) {
  // One element is no splat, and texts are not plain memory.
  if (tensor.element_count() < 2 || tensor.dtype().is_string()) return nullptr;
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    if (tensor.dim(axis) > 1 && tensor.strides()[static_cast<size_t>(axis)] != 0) return nullptr;
  }
  Result<TensorPtr> element = tensor.View({}, {}, 0);
  return element.ok() ? *std::move(element) : nullptr;
}

bool VariesAlong(const Tensor& tensor, int axis) {
  for (int i = 0; i < tensor.rank(); ++i) {
    if (i != axis && tensor.dim(i) > 1 && tensor.strides()[static_cast<size_t>(i)] != 0)
      return false;
  }
  return true;
}

bool CanMaterialize(const Tensor& tensor) {
  // In bytes. A few bytes of a file can ask for a splat of any size.
  constexpr int64_t kMostBytes = int64_t{1} << 31;
  const std::optional<int64_t> bytes = tensor.dtype().bytes_for(tensor.element_count());
  return tensor.is_contiguous() || (bytes.has_value() && *bytes <= kMostBytes);
}

Result<TensorPtr> Materialize(const Tensor& tensor, Allocator* allocator) {
  if (!CanMaterialize(tensor)) {
    return OutOfMemory("a constant of ", tensor.TypeText(), " is too large to be written out");
  }
  return tensor.Contiguous(allocator);
}

Result<TensorPtr> MaterializeUnaligned(const Tensor& tensor, Allocator* allocator) {
  if (tensor.is_contiguous()) return TensorPtr(const_cast<Tensor*>(&tensor));
  return Materialize(tensor, allocator);
}

std::optional<ops::FilterSteps> FilterStepsOf(const Tensor& filters) {
  const Dims strides = filters.strides();
  const int64_t height = filters.dim(2), width = filters.dim(3);
  // The stride of an axis of one element says nothing.
  const int64_t tap = width == 1 ? strides[2] : strides[3];
  if (height > 1 && strides[2] != width * tap) return std::nullopt;
  return ops::FilterSteps{strides[0], strides[1], tap};
}

namespace {

// Also of a tensor that is not aligned.
bool ReadElement(const Tensor& tensor, int64_t i, double* value) {
  const void* data = tensor.data();
  if (tensor.dtype() == kF32) {
    *value = static_cast<double>(Unaligned<float>(data)[i]);
  } else if (tensor.dtype() == kF64) {
    *value = Unaligned<double>(data)[i];
  } else if (tensor.dtype() == kI64) {
    *value = static_cast<double>(Unaligned<int64_t>(data)[i]);
  } else if (tensor.dtype() == kI32) {
    *value = Unaligned<int32_t>(data)[i];
  } else {
    return false;
  }
  return true;
}

// Larger tensors are not worth a look: a uniform one would be stored as a splat.
constexpr int64_t kMostScanned = 4096;

}  // namespace

bool UniformValue(const Tensor& tensor, double* value) {
  const int64_t count = tensor.element_count();
  if (count == 0 || !ReadElement(tensor, 0, value)) return false;
  if (count == 1 || SplatElement(tensor)) return true;
  if (count > kMostScanned || !tensor.is_contiguous()) return false;
  for (int64_t i = 1; i < count; ++i) {
    double other = 0;
    if (!ReadElement(tensor, i, &other) || other != *value) return false;
  }
  return true;
}

}  // namespace tern::ir
