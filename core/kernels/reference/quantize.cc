// SPDX-License-Identifier: Apache-2.0
// Plain loops: floats to 8 bits and back, and convolutions of 8-bit images.

#include <math.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {
namespace {

// The bits of the result, of a signed type, too. What is no number is 0, in C++ it would be
// undefined.
uint8_t Clamped(double value, int32_t low, int32_t high) {
  if (value != value) return 0;
  const double clamped = value < low ? low : value > high ? high : value;
  return static_cast<uint8_t>(static_cast<int32_t>(clamped));
}

float OperandElement(const void* x, int32_t type, int64_t i, float scale, int32_t zero) {
  if (type == TERN_QUANTIZED_F32) return static_cast<const float*>(x)[i];
  const int32_t byte = type == TERN_QUANTIZED_I8 ? static_cast<const int8_t*>(x)[i]
                                                 : static_cast<const uint8_t*>(x)[i];
  return static_cast<float>(byte - zero) * scale;
}

// One output element of a convolution.
struct Place {
  int64_t image, y, x, channel;
};

// Weights lie in panels of columns, and in those in quads of inputs, which one instruction
// multiplies at once (kernel.h). Depthwise ones lie as they are.
int32_t Weight(const TernQuantizedConvArgs& args, bool depthwise, int64_t tap, int64_t c,
               int64_t channel) {
  if (depthwise) return args.weights[tap * args.in_c + channel];
  const int64_t in = args.in_c / args.groups, out = args.out_c / args.groups;
  const int64_t quads = (in + TERN_QUAD - 1) / TERN_QUAD;
  const int64_t depth = args.kernel_h * args.kernel_w * quads;
  const int64_t panels = (out + TERN_PANEL_WIDTH - 1) / TERN_PANEL_WIDTH;
  const int64_t group = channel / out, column = channel % out;
  const int64_t panel = group * panels + column / TERN_PANEL_WIDTH;
  const int64_t quad = panel * depth + tap * quads + c / TERN_QUAD;
  return args
      .weights[(quad * TERN_PANEL_WIDTH + column % TERN_PANEL_WIDTH) * TERN_QUAD + c % TERN_QUAD];
}

// Unsigned, so that sums wrap as those of the vector kernels do.
uint32_t Sum(const TernQuantizedConvArgs& args, bool depthwise, const Place& place) {
  const int64_t in = args.in_c / args.groups;
  const int64_t group = place.channel / (args.out_c / args.groups);
  uint32_t sum = static_cast<uint32_t>(args.bias[place.channel]);
  for (int64_t ky = 0; ky < args.kernel_h; ++ky) {
    const int64_t y = place.y * args.stride_h + ky * args.dilation_h - args.pad_top;
    if (y < 0 || y >= args.in_h) continue;
    for (int64_t kx = 0; kx < args.kernel_w; ++kx) {
      const int64_t x = place.x * args.stride_w + kx * args.dilation_w - args.pad_left;
      if (x < 0 || x >= args.in_w) continue;
      const uint8_t* pixel =
          args.input + ((place.image * args.in_h + y) * args.in_w + x) * args.in_c + group * in;
      for (int64_t c = 0; c < in; ++c) {
        const int32_t w = Weight(args, depthwise, ky * args.kernel_w + kx, c, place.channel);
        sum += static_cast<uint32_t>((pixel[c] - args.x_zero) * w);
      }
    }
  }
  return sum;
}

int32_t Convolve(const TernQuantizedConvArgs& args, bool depthwise) {
  uint8_t* to = args.output;
  const int64_t pixels = args.batch * args.out_h * args.out_w;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (int64_t channel = 0; channel < args.out_c; ++channel) {
      const Place place{pixel / args.out_w / args.out_h, pixel / args.out_w % args.out_h,
                        pixel % args.out_w, channel};
      const int32_t sum = static_cast<int32_t>(Sum(args, depthwise, place));
      // In f32, because the kernels round this product, too: results are compared for equality.
      const float steps = static_cast<float>(sum) * args.scale[channel];
      *to++ = Clamped(static_cast<double>(nearbyintf(steps)) + args.zero, args.low, args.high);
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace

int32_t quantize(const TernQuantizeArgs* args, const TernKernelContext*) {
  for (int64_t i = 0; i < args->size; ++i) {
    const double steps = nearbyintf(args->x[i] / args->scale);
    args->y[i] = Clamped(steps + args->zero, args->low, args->high);
  }
  return TERN_KERNEL_OK;
}

int32_t dequantize(const TernDequantizeArgs* args, const TernKernelContext*) {
  for (int64_t i = 0; i < args->size; ++i) {
    const int32_t x = args->is_signed != 0 ? static_cast<int8_t>(args->x[i]) : args->x[i];
    args->y[i] = static_cast<float>(x - args->zero) * args->scale;
  }
  return TERN_KERNEL_OK;
}

int32_t quantized_binary(const TernQuantizedBinaryArgs* args, const TernKernelContext*) {
  int64_t count = 1;
  for (int i = 0; i < args->rank; ++i) count *= args->shape[i];
  for (int64_t i = 0; i < count; ++i) {
    int64_t a = 0, b = 0, rest = i;
    for (int axis = args->rank - 1; axis >= 0; --axis) {
      a += rest % args->shape[axis] * args->a_strides[axis];
      b += rest % args->shape[axis] * args->b_strides[axis];
      rest /= args->shape[axis];
    }
    const float left = OperandElement(args->a, args->a_type, a, args->a_scale, args->a_zero);
    const float right = OperandElement(args->b, args->b_type, b, args->b_scale, args->b_zero);
    const float c = args->op == TERN_BINARY_add ? left + right : left * right;
    args->y[i] = Clamped(nearbyint(static_cast<double>(c / args->scale)) + args->zero, args->low,
                         args->high);
  }
  return TERN_KERNEL_OK;
}

int32_t conv2d_quantized(const TernQuantizedConvArgs* args, const TernKernelContext*) {
  return Convolve(*args, false);
}

int32_t conv2d_quantized_depthwise(const TernQuantizedConvArgs* args, const TernKernelContext*) {
  return Convolve(*args, true);
}

}  // namespace tern::kernels::reference
