// SPDX-License-Identifier: Apache-2.0
// Sliding windows: the attributes that convolutions and pools share, and images with one spatial
// axis.
//
// core/ops knows images of rank 4 and 5. One of rank 3 gets a height of 1: WidenImage before,
// NarrowImage after.
#ifndef TERN_CORE_ONNX_CONVERT_WINDOW_H_
#define TERN_CORE_ONNX_CONVERT_WINDOW_H_

#include "core/onnx/node_context.h"
#include "core/ops/image_attrs.h"

namespace tern::onnx {

// kernel_shape, strides, pads, dilations and auto_pad, checked against the number of spatial axes;
// widened to two axes where that is 1.
ops::WindowAttrs ReadWindow(NodeContext& node, int spatial_rank);

// Spatial axes of the image or of the weights, 1 to 3; fails if there are more or fewer.
int SpatialRank(NodeContext& node, const Value& image);

// The weights, input `index`, must have as many axes as the image, input 0; fails if not.
bool WeightsFit(NodeContext& node, int index = 1);

// [n, c, w] → [n, c, 1, w] and back, where spatial_rank is 1; other images are left alone.
Value WidenImage(NodeContext& node, const Value& image, int spatial_rank);
Value NarrowImage(NodeContext& node, const Value& image, int spatial_rank);

// An image whose channels are its last axis with them behind the batch, and back; where is_last is
// false, x itself.
Value ChannelsFirst(NodeContext& node, const Value& x, bool is_last);
Value ChannelsLast(NodeContext& node, const Value& x, bool is_last);

// Puts `filler` before a list of one value for one spatial axis; lists of pads get it before each
// half.
void WidenList(Ints* list, int64_t filler, size_t halves = 1);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_WINDOW_H_
