// SPDX-License-Identifier: Apache-2.0
// Strided copies on the kernels copy and gather_rows.

#include "core/kernels/bind/move.h"

#include <cstring>

#include "core/kernels/bind/broadcast.h"

namespace tern::kernels::bind {

// MulDim saturates. The strides of a tensor that has no elements are never used, so that the other
// extents may be as large as they like.
void ContiguousStrides(const Extents& extents, int64_t* strides) {
  int64_t step = 1;
  for (int i = extents.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step = ops::MulDim(step, extents[i]);
  }
}

// Texts are pointers with a count of references, which a copy of bytes would not raise. Elements of
// less than 8 bits share a byte with their neighbours.
Status CheckMovable(const Call& call, int index, const Tensor& tensor) {
  if (!tensor.dtype().is_string() && tensor.dtype().bits >= 8) return OkStatus();
  return WrongTensor(call, index, tensor, "elements of whole bytes (not text)");
}

Status CopyStrided(Call& call, const StridedCopy& copy, int64_t element_size, const void* src,
                   void* dst) {
  if (CountOf(copy.shape) == 0) return OkStatus();  // the other extents may be anything
  TernCopyArgs args{};
  args.element_size = static_cast<int32_t>(element_size);
  int64_t strides[2][TERN_MAX_RANK];
  for (int i = 0; i < copy.shape.rank(); ++i) {
    args.shape[i] = copy.shape[i];
    strides[0][i] = copy.src_strides[i];
    strides[1][i] = copy.dst_strides[i];
  }
  // Axes that lie behind each other in both tensors become one, so that the kernel has longer rows
  // and fewer loops.
  args.rank = MergeAxes(copy.shape.rank(), args.shape, strides, 2);
  for (int i = 0; i < args.rank; ++i) {
    args.src_strides[i] = strides[0][i];
    args.dst_strides[i] = strides[1][i];
  }
  args.src = src;
  args.dst = dst;
  return Call::Check(call.kernels().copy(&args, call.kernel_context()));
}

// Texts count their references, so they are moved one by one.
void CopyElements(const Tensor& from, int64_t begin, int64_t count, Tensor* to, int64_t at) {
  if (from.dtype().is_string()) {
    for (int64_t i = 0; i < count; ++i) to->set_string(at + i, from.string_at(begin + i));
    return;
  }
  const int64_t size = from.dtype().size();
  if (count > 0)
    std::memcpy(static_cast<uint8_t*>(to->data()) + at * size,
                static_cast<const uint8_t*>(from.data()) + begin * size,
                static_cast<size_t>(count * size));
}

// A copy whose source does not move: stride 0.
Status Fill(Call& call, int64_t element_size, const void* value, int64_t count, void* dst) {
  return CopyStrided(call, StridedCopy{Extents{count}, {0}, {1}}, element_size, value, dst);
}

// Whatever the rank, most operators of one axis need only three extents: what is before the axis,
// the axis, and what is behind it.
AxisView ViewAround(const Extents& extents, int axis) {
  return AxisView{ops::ProductOf(extents, 0, axis), extents[axis],
                  ops::ProductOf(extents, axis + 1, extents.rank())};
}

Status GatherAxis(Call& call, const AxisView& view, int64_t element_size,
                  std::span<const int64_t> index, const void* x, void* y) {
  if (index.empty()) return OkStatus();
  const TernGatherRowsArgs args{view.outer,
                                view.axis,
                                static_cast<int64_t>(index.size()),
                                view.inner * element_size,
                                index.data(),
                                x,
                                y};
  return Call::Check(call.kernels().gather_rows(&args, call.kernel_context()));
}

Result<Any> Reshaped(const Tensor& tensor, const Extents& extents) {
  TERN_TRY_ASSIGN(TensorPtr view, tensor.Reshape(extents.span()));
  return Any(std::move(view));
}

Result<TensorPtr> Permuted(Call& call, const Tensor& x, std::span<const int> perm) {
  int64_t strides[ops::kMaxDims];
  ContiguousStrides(ExtentsOf(x), strides);
  StridedCopy copy;
  for (size_t i = 0; i < perm.size(); ++i) {
    copy.shape.push_back(x.dim(perm[i]));
    copy.src_strides[i] = strides[perm[i]];
  }
  ContiguousStrides(copy.shape, copy.dst_strides);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x.dtype(), copy.shape));
  TERN_TRY(CopyStrided(call, copy, x.dtype().size(), x.data(), y->data()));
  return y;
}

namespace {

// One channel or one pixel: both layouts are the same memory.
bool IsEitherLayout(int64_t channels, int64_t elements, int64_t batch) {
  return channels == 1 || elements == channels * batch;
}

}  // namespace

Result<TensorPtr> ToChannelsLast(Call& call, const Tensor& x) {
  if (IsEitherLayout(x.dim(1), x.element_count(), x.dim(0))) {
    Extents extents{x.dim(0)};
    for (int i = 2; i < x.rank(); ++i) extents.push_back(x.dim(i));
    extents.push_back(x.dim(1));
    return x.Reshape(extents.span());
  }
  int perm[ops::kMaxDims] = {0};
  for (int i = 1; i + 1 < x.rank(); ++i) perm[i] = i + 1;
  perm[x.rank() - 1] = 1;
  return Permuted(call, x, {perm, static_cast<size_t>(x.rank())});
}

Result<TensorPtr> ToChannelsFirst(Call& call, const Tensor& x) {
  const int64_t channels = x.dim(x.rank() - 1);
  if (IsEitherLayout(channels, x.element_count(), x.dim(0))) {
    Extents extents{x.dim(0), channels};
    for (int i = 1; i + 1 < x.rank(); ++i) extents.push_back(x.dim(i));
    return x.Reshape(extents.span());
  }
  int perm[ops::kMaxDims] = {0};
  perm[1] = x.rank() - 1;
  for (int i = 2; i < x.rank(); ++i) perm[i] = i - 1;
  return Permuted(call, x, {perm, static_cast<size_t>(x.rank())});
}

}  // namespace tern::kernels::bind
