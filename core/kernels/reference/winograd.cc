// SPDX-License-Identifier: Apache-2.0
// Plain loops: convolution of 3x3 windows by transformed weights (winograd.h), summed in f64.

#include "core/kernels/winograd.h"

#include "core/kernels/reference/activation.h"

namespace tern::kernels::reference {
namespace {

constexpr int64_t kIn = winograd::kIn, kOut = winograd::kOut, kPoints = winograd::kPoints;
constexpr double kNear2 = static_cast<double>(winograd::kNear) * winograd::kNear;
constexpr double kFar2 = static_cast<double>(winograd::kFar) * winograd::kFar;

// Row i: what makes point i of six values.
constexpr double kToPoints[kIn][kIn] = {{kNear2 * kFar2, 0, -kNear2 - kFar2, 0, 1, 0},
                                        {0, -winograd::kNear* kFar2, -kFar2, winograd::kNear, 1, 0},
                                        {0, winograd::kNear* kFar2, -kFar2, -winograd::kNear, 1, 0},
                                        {0, -winograd::kFar* kNear2, -kNear2, winograd::kFar, 1, 0},
                                        {0, winograd::kFar* kNear2, -kNear2, -winograd::kFar, 1, 0},
                                        {0, kNear2* kFar2, 0, -kNear2 - kFar2, 0, 1}};

// Row i: what makes value i of the six points of a product.
constexpr double kFromPoints[kOut][kIn] = {
    {1, 1, 1, 1, 1, 0},
    {0, winograd::kNear, -winograd::kNear, winograd::kFar, -winograd::kFar, 0},
    {0, kNear2, kNear2, kFar2, kFar2, 0},
    {0, winograd::kNear* kNear2, -winograd::kNear* kNear2, winograd::kFar* kFar2,
     -winograd::kFar* kFar2, 1}};

// A square of the output, from its first pixel on.
struct OutputSquare {
  int64_t image, y, x;
};

// The channel of pixel (i, j) of the square of the input under one of the output.
double PixelUnder(const TernConv2dArgs& args, const OutputSquare& square, int64_t i, int64_t j,
                  int64_t channel) {
  const int64_t y = square.y - args.pad_top + i, x = square.x - args.pad_left + j;
  if (y < 0 || y >= args.in_h || x < 0 || x >= args.in_w) return 0.0;
  const int64_t pixel = (square.image * args.in_h + y) * args.in_w + x;
  return static_cast<double>(args.input[pixel * args.in_pixel_stride + channel]);
}

// All points of one channel, rows first.
void TransformSquare(const TernConv2dArgs& args, const OutputSquare& square, int64_t channel,
                     double* points) {
  double half[kPoints] = {};
  for (int64_t pixel = 0; pixel < kPoints; ++pixel) {
    const double value = PixelUnder(args, square, pixel / kIn, pixel % kIn, channel);
    for (int64_t i = 0; i < kIn; ++i) {
      half[i * kIn + pixel % kIn] += kToPoints[i][pixel / kIn] * value;
    }
  }
  for (int64_t point = 0; point < kPoints; ++point) {
    const double* row = half + point / kIn * kIn;
    points[point] = 0.0;
    for (int64_t j = 0; j < kIn; ++j) points[point] += kToPoints[point % kIn][j] * row[j];
  }
}

// The products of all points of a square with the weights of one column.
void MultiplySquare(const TernConv2dArgs& args, const OutputSquare& square, int64_t column,
                    double* products) {
  const int64_t panels = (args.out_c + TERN_PANEL_WIDTH - 1) / TERN_PANEL_WIDTH;
  const int64_t matrix = panels * args.in_c * TERN_PANEL_WIDTH;
  const float* w = args.weights + column / TERN_PANEL_WIDTH * args.in_c * TERN_PANEL_WIDTH +
                   column % TERN_PANEL_WIDTH;
  for (int64_t point = 0; point < kPoints; ++point) products[point] = 0.0;
  for (int64_t c = 0; c < args.in_c; ++c, w += TERN_PANEL_WIDTH) {
    double points[kPoints];
    TransformSquare(args, square, c, points);
    for (int64_t point = 0; point < kPoints; ++point) {
      products[point] += points[point] * static_cast<double>(w[point * matrix]);
    }
  }
}

// What of a square lies in the image.
void StoreSquare(const TernConv2dArgs& args, const OutputSquare& square, int64_t column,
                 const double* products) {
  for (int64_t i = 0; i < kOut && square.y + i < args.out_h; ++i) {
    for (int64_t j = 0; j < kOut && square.x + j < args.out_w; ++j) {
      double sum = 0.0;
      for (int64_t point = 0; point < kPoints; ++point) {
        sum += kFromPoints[i][point / kIn] * kFromPoints[j][point % kIn] * products[point];
      }
      const int64_t row = (square.image * args.out_h + square.y + i) * args.out_w + square.x + j;
      args.output[row * args.out_pixel_stride + column] = Finish(sum, args.epilogue, row, column);
    }
  }
}

}  // namespace

int32_t conv2d_winograd(const TernConv2dArgs* args, const TernKernelContext*) {
  double products[kPoints];
  for (int64_t image = 0; image < args->batch; ++image) {
    for (int64_t y = 0; y < args->out_h; y += kOut) {
      for (int64_t x = 0; x < args->out_w; x += kOut) {
        for (int64_t column = 0; column < args->out_c; ++column) {
          const OutputSquare square{image, y, x};
          MultiplySquare(*args, square, column, products);
          StoreSquare(*args, square, column, products);
        }
      }
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
