// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization of rows, in double precision.

#include <math.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {
namespace {

void NormalizeRow(const TernNormalizeArgs& args, int64_t row) {
  const float* x = args.x + row * args.axis;
  const double size = static_cast<double>(args.axis);
  double mean = 0, variance = 0;
  // RMS normalization has no mean: it stays 0.
  for (int64_t i = 0; i < args.axis && args.rms == 0; ++i) mean += static_cast<double>(x[i]) / size;
  for (int64_t i = 0; i < args.axis; ++i) {
    const double centered = static_cast<double>(x[i]) - mean;
    variance += centered * centered / size;
  }
  // The variance is that of the whole row, divided by its size and not by one less, as ONNX defines
  // it.
  const double inverse = 1.0 / sqrt(variance + static_cast<double>(args.epsilon));
  for (int64_t i = 0; i < args.axis; ++i) {
    double v = (static_cast<double>(x[i]) - mean) * inverse;
    if (args.scale != nullptr) v *= static_cast<double>(args.scale[i]);
    if (args.bias != nullptr) v += static_cast<double>(args.bias[i]);
    args.y[row * args.axis + i] = static_cast<float>(v);
  }
  if (args.mean_out != nullptr) args.mean_out[row] = static_cast<float>(mean);
  if (args.inv_std_out != nullptr) args.inv_std_out[row] = static_cast<float>(inverse);
}

}  // namespace

int32_t normalize(const TernNormalizeArgs* args, const TernKernelContext*) {
  for (int64_t row = 0; row < args->outer; ++row) NormalizeRow(*args, row);
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
