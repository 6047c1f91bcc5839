// SPDX-License-Identifier: Apache-2.0
// Images for the channels-last kernels: a batch of 2-D images, or of 1-D signals as images of one
// row, whichever way round the operator has its channels.

#ifndef TERN_CORE_KERNELS_BIND_IMAGE_H_
#define TERN_CORE_KERNELS_BIND_IMAGE_H_

#include "core/kernels/bind/call.h"
#include "core/kernels/bind/move.h"
#include "core/ops/image_attrs.h"
#include "core/ops/image_rules.h"

namespace tern::kernels::bind {

struct ImageExtents {
  int64_t batch, height, width, channels;
};
// extents of rank 3 or 4 in that layout.
ImageExtents ImageOf(const Extents& extents, ops::Layout layout);

// An attribute or a result per spatial axis as (h, w): one value belongs to w.
struct Pair {
  int64_t h, w;
};
template <class F>
Pair PairOf(int spatial_rank, int64_t absent, const F& value) {
  if (spatial_rank == 1) return Pair{absent, value(0)};
  return Pair{value(0), value(1)};
}

// Ok for rank 3 and 4.
Status CheckImage(const Call& call, const Tensor& x);

// x, or a channels-last copy held in *holder.
Result<const Tensor*> ChannelsLast(Call& call, const Tensor& x, ops::Layout layout,
                                   TensorPtr* holder);
// A tensor for the channels-last result of an operator whose own result has extents `out`.
Result<TensorPtr> NewChannelsLast(Call& call, const Extents& out, ops::Layout layout,
                                  DType dtype = kF32);
// From there to the operator's layout.
Result<Any> Deliver(Call& call, TensorPtr y, ops::Layout layout);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_IMAGE_H_
