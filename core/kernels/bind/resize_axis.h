// SPDX-License-Identifier: Apache-2.0
// One axis of a resize: for every output position the source positions and their weights, by ONNX's
// coordinate modes and filters.

#ifndef TERN_CORE_KERNELS_BIND_RESIZE_AXIS_H_
#define TERN_CORE_KERNELS_BIND_RESIZE_AXIS_H_

#include <cstdint>

#include "core/kernels/bind/call.h"
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

// taps positions and weights for each output position; positions are inside the axis. The tables
// are as large as attributes say, so their memory is the run's.
struct AxisTaps {
  int64_t taps = 0;
  TensorPtr position_table, weight_table;

  const int64_t* positions() const { return position_table->data_as<int64_t>(); }
  const float* weights() const { return weight_table->data_as<float>(); }
};
Result<AxisTaps> MakeAxisTaps(const ops::ResizeAttrs& attrs, Call& call, const AxisScale& axis);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_RESIZE_AXIS_H_
