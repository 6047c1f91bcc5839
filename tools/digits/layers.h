// SPDX-License-Identifier: Apache-2.0
// The layers of the net, forward and backward. Activations are rows of channels: row = image,
// y, x; `backward` functions turn the gradient of the output into that of the input and add up the
// gradients of the parameters.
#ifndef TERN_TOOLS_DIGITS_LAYERS_H_
#define TERN_TOOLS_DIGITS_LAYERS_H_

#include <cstdint>
#include <vector>

namespace tern::digits {

using Floats = std::vector<float>;

// 3x3, padded by one: images x side x side x in -> ... x out; weights [9 * in][out].
struct Conv3x3 {
  int images, side, in, out;
  void Forward(const Floats& x, const float* weights, Floats& y) const;
  // `dx` may be null: nobody wants the gradient of the image.
  void Backward(const Floats& x, const float* weights, const Floats& dy, float* dweights,
                Floats* dx) const;
};

// 3x3 for each channel by itself, padded by one; weights [9][channels].
struct Depthwise3x3 {
  int images, side, channels;
  void Forward(const Floats& x, const float* weights, Floats& y) const;
  void Backward(const Floats& x, const float* weights, const Floats& dy, float* dweights,
                Floats& dx) const;
};

// Rows times a matrix [in][out]: pointwise convolution and dense layer alike.
struct Linear {
  int rows, in, out;
  void Forward(const Floats& x, const float* weights, Floats& y) const;
  void Backward(const Floats& x, const float* weights, const Floats& dy, float* dweights,
                Floats& dx) const;
};

// Batch normalization and Relu in place. `x` becomes the normalized value, kept for backward.
struct NormRelu {
  int rows, channels;
  void Forward(Floats& x, const float* gain, const float* shift, float* mean, float* variance,
               Floats& y) const;
  // `dy` becomes the gradient of the input.
  void Backward(const Floats& x, const Floats& y, const float* gain, const float* variance,
                Floats& dy, float* dgain, float* dshift) const;
};

// 2x2 maximum, step 2, odd last row and column left out.
struct Pool2x2 {
  int images, side, channels;
  void Forward(const Floats& x, Floats& y, std::vector<int32_t>& from) const;
  void Backward(const Floats& dy, const std::vector<int32_t>& from, Floats& dx) const;
};

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_LAYERS_H_
