// SPDX-License-Identifier: Apache-2.0
// One axis of a resize: for every output position the source positions and their weights, by ONNX's
// coordinate modes and filters.

#ifndef TERN_CORE_KERNELS_BIND_RESIZE_AXIS_H_
#define TERN_CORE_KERNELS_BIND_RESIZE_AXIS_H_

#include <cstdint>
#include <vector>

#include "core/ops/image_attrs.h"

namespace tern::kernels::bind {

struct AxisScale {
  int64_t in = 1, out = 1;
  double scale = 1;
  double roi_start = 0, roi_end = 1;

  bool IsIdentity(const ops::ResizeAttrs& attrs) const {
    return in == out && scale == 1 && attrs.coordinate != ops::CoordinateMode::kTfCropAndResize;
  }
};

// Where output position i lies in the input.
double SourceCoordinate(const ops::ResizeAttrs& attrs, const AxisScale& axis, int64_t i);
// The nearest input position to x, inside the axis.
int64_t NearestPosition(ops::NearestMode mode, double x, int64_t extent);

// taps positions and weights for each output position; positions are inside the axis.
struct AxisTaps {
  int taps = 0;
  std::vector<int64_t> positions;
  std::vector<float> weights;
};
AxisTaps MakeAxisTaps(const ops::ResizeAttrs& attrs, const AxisScale& axis);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_RESIZE_AXIS_H_
