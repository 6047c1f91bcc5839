// SPDX-License-Identifier: Apache-2.0
// Between an operator's layout and the kernels'.

#include "core/kernels/bind/image.h"

#include <utility>

namespace tern::kernels::bind {

ImageExtents ImageOf(const Extents& extents, ops::Layout layout) {
  const int spatial_rank = extents.rank() - 2;
  const Pair size =
      PairOf(spatial_rank, 1, [&](int i) { return extents[ops::SpatialAxis(layout, i)]; });
  return ImageExtents{extents[0], size.h, size.w,
                      extents[ops::ChannelAxis(layout, extents.rank())]};
}

Status CheckImage(const Call& call, const Tensor& x) {
  if (x.rank() == 3 || x.rank() == 4) return OkStatus();
  return WrongTensor(call, 0, x, "rank 3 or 4");
}

Result<const Tensor*> ChannelsLast(Call& call, const Tensor& x, ops::Layout layout,
                                   TensorPtr* holder) {
  if (layout == ops::Layout::kNhwc) return &x;
  TERN_TRY_ASSIGN(*holder, ToChannelsLast(call, x));
  return static_cast<const Tensor*>(holder->get());
}

Result<TensorPtr> NewChannelsLast(Call& call, const Extents& out, ops::Layout layout, DType dtype) {
  if (layout == ops::Layout::kNhwc) return call.New(dtype, out);
  Extents last{out[0]};
  for (int i = 2; i < out.rank(); ++i) last.push_back(out[i]);
  last.push_back(out[1]);
  return call.New(dtype, last);
}

Result<Any> Deliver(Call& call, TensorPtr y, ops::Layout layout) {
  if (layout == ops::Layout::kNhwc) return Any(std::move(y));
  TERN_TRY_ASSIGN(TensorPtr first, ToChannelsFirst(call, *y));
  return Any(std::move(first));
}

}  // namespace tern::kernels::bind
