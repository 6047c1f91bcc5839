// SPDX-License-Identifier: Apache-2.0
// Convolutions gather the 3x3 surroundings of each pixel of one image ("columns", small enough for
// the cache) and multiply; backward scatters them again.
#include "tools/digits/layers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tools/digits/matmul.h"
#include "tools/digits/tensors.h"

namespace tern::digits {
namespace {

// Calls visit(pixel, tap, neighbour) for every pair inside the image.
template <typename Visit>
void ForEachTap(int side, Visit visit) {
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      for (int tap = 0; tap < 9; ++tap) {
        const int ny = y + tap / 3 - 1, nx = x + tap % 3 - 1;
        if (ny < 0 || ny >= side || nx < 0 || nx >= side) continue;
        visit(y * side + x, tap, ny * side + nx);
      }
    }
  }
}

void Gather(const float* image, int side, int channels, Floats& columns) {
  const int width = 9 * channels;
  // Taps outside of the image stay zero: that is its padding.
  std::fill(columns.begin(), columns.end(), 0.0f);
  ForEachTap(side, [&](int pixel, int tap, int neighbour) {
    std::memcpy(&columns[static_cast<size_t>(pixel * width + tap * channels)],
                image + neighbour * channels, sizeof(float) * static_cast<size_t>(channels));
  });
}

void Scatter(const Floats& columns, int side, int channels, float* image) {
  const int width = 9 * channels;
  ForEachTap(side, [&](int pixel, int tap, int neighbour) {
    const float* from = &columns[static_cast<size_t>(pixel * width + tap * channels)];
    float* to = image + neighbour * channels;
    // Each pixel was gathered by up to nine others, whose gradients add up.
    for (int c = 0; c < channels; ++c) to[c] += from[c];
  });
}

Floats Transposed(const float* matrix, int rows, int columns) {
  Floats out(static_cast<size_t>(rows * columns));
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      out[static_cast<size_t>(c * rows + r)] = matrix[r * columns + c];
    }
  }
  return out;
}

}  // namespace

void Conv3x3::Forward(const Floats& x, const float* weights, Floats& y) const {
  const int pixels = side * side, width = 9 * in;
  Floats columns(static_cast<size_t>(pixels * width));
  y.resize(static_cast<size_t>(images * pixels * out));
  for (int i = 0; i < images; ++i) {
    Gather(x.data() + i * pixels * in, side, in, columns);
    Multiply({.m = pixels, .n = out, .k = width, .a = columns.data(), .row_stride = width,
              .column_stride = 1, .b = weights, .c = y.data() + i * pixels * out, .add = false});
  }
}

void Conv3x3::Backward(const Floats& x, const float* weights, const Floats& dy, float* dweights,
                       Floats* dx) const {
  const int pixels = side * side, width = 9 * in;
  Floats columns(static_cast<size_t>(pixels * width));
  // The multiplication wants its second matrix by rows.
  const Floats turned = Transposed(weights, width, out);
  if (dx != nullptr) dx->assign(x.size(), 0.0f);
  for (int i = 0; i < images; ++i) {
    const float* dyi = dy.data() + i * pixels * out;
    // Gathered again: keeping the columns of all layers would take more memory than time is saved.
    Gather(x.data() + i * pixels * in, side, in, columns);
    Multiply({.m = width, .n = out, .k = pixels, .a = columns.data(), .row_stride = 1,
              .column_stride = width, .b = dyi, .c = dweights, .add = true});
    // The first layer's input is the image, which nobody learns.
    if (dx == nullptr) continue;
    Multiply({.m = pixels, .n = width, .k = out, .a = dyi, .row_stride = out,
              .column_stride = 1, .b = turned.data(), .c = columns.data(), .add = false});
    Scatter(columns, side, in, dx->data() + i * pixels * in);
  }
}

void Depthwise3x3::Forward(const Floats& x, const float* weights, Floats& y) const {
  y.assign(x.size(), 0.0f);
  for (int i = 0; i < images; ++i) {
    const float* xi = x.data() + i * side * side * channels;
    float* yi = y.data() + i * side * side * channels;
    ForEachTap(side, [&](int pixel, int tap, int neighbour) {
      const float *w = weights + tap * channels, *in = xi + neighbour * channels;
      float* out = yi + pixel * channels;
      for (int c = 0; c < channels; ++c) out[c] += w[c] * in[c];
    });
  }
}

void Depthwise3x3::Backward(const Floats& x, const float* weights, const Floats& dy,
                            float* dweights, Floats& dx) const {
  dx.assign(x.size(), 0.0f);
  for (int i = 0; i < images; ++i) {
    const int start = i * side * side * channels;
    ForEachTap(side, [&](int pixel, int tap, int neighbour) {
      const float* w = weights + tap * channels;
      const float* in = x.data() + start + neighbour * channels;
      const float* d = dy.data() + start + pixel * channels;
      float* to = dx.data() + start + neighbour * channels;
      float* dw = dweights + tap * channels;
      for (int c = 0; c < channels; ++c) {
        to[c] += w[c] * d[c];
        dw[c] += in[c] * d[c];
      }
    });
  }
}

void Linear::Forward(const Floats& x, const float* weights, Floats& y) const {
  y.resize(static_cast<size_t>(rows * out));
  Multiply({.m = rows, .n = out, .k = in, .a = x.data(), .row_stride = in, .column_stride = 1,
            .b = weights, .c = y.data(), .add = false});
}

void Linear::Backward(const Floats& x, const float* weights, const Floats& dy, float* dweights,
                      Floats& dx) const {
  const Floats turned = Transposed(weights, in, out);
  dx.resize(x.size());
  Multiply({.m = in, .n = out, .k = rows, .a = x.data(), .row_stride = 1, .column_stride = in,
            .b = dy.data(), .c = dweights, .add = true});
  Multiply({.m = rows, .n = in, .k = out, .a = dy.data(), .row_stride = out, .column_stride = 1,
            .b = turned.data(), .c = dx.data(), .add = false});
}

void NormRelu::Forward(Floats& x, const float* gain, const float* shift, float* mean,
                       float* variance, Floats& y) const {
  // In double: the variance is a difference of large sums, which float would lose.
  std::vector<double> sum(static_cast<size_t>(channels)), square(static_cast<size_t>(channels));
  for (int r = 0; r < rows; ++r) {
    for (size_t c = 0; c < sum.size(); ++c) {
      const double v = x[static_cast<size_t>(r * channels) + c];
      sum[c] += v;
      square[c] += v * v;
    }
  }
  Floats scale(sum.size());
  for (size_t c = 0; c < sum.size(); ++c) {
    const double m = sum[c] / rows;
    mean[c] = static_cast<float>(m);
    variance[c] = static_cast<float>(std::max(square[c] / rows - m * m, 0.0));
    scale[c] = 1.0f / std::sqrt(variance[c] + kEpsilon);
  }
  y.resize(x.size());
  for (int r = 0; r < rows; ++r) {
    float *xr = x.data() + r * channels, *yr = y.data() + r * channels;
    for (int c = 0; c < channels; ++c) {
      // x keeps the normalized values, which are what going back needs.
      xr[c] = (xr[c] - mean[c]) * scale[static_cast<size_t>(c)];
      yr[c] = std::max(xr[c] * gain[c] + shift[c], 0.0f);
    }
  }
}

void NormRelu::Backward(const Floats& x, const Floats& y, const float* gain,
                        const float* variance, Floats& dy, float* dgain, float* dshift) const {
  Floats dg(static_cast<size_t>(channels)), db(static_cast<size_t>(channels));
  for (int r = 0; r < rows; ++r) {
    float* d = dy.data() + r * channels;
    const float *xr = x.data() + r * channels, *yr = y.data() + r * channels;
    for (int c = 0; c < channels; ++c) {
      // Through the relu first, as it was the last to be applied.
      d[c] = yr[c] > 0 ? d[c] : 0.0f;
      dg[static_cast<size_t>(c)] += d[c] * xr[c];
      db[static_cast<size_t>(c)] += d[c];
    }
  }
  // Mean and variance depend on every row, so that each row's gradient loses its share of both.
  const float share = 1.0f / static_cast<float>(rows);
  for (int c = 0; c < channels; ++c) {
    const float g = dg[static_cast<size_t>(c)], b = db[static_cast<size_t>(c)];
    const float scale = gain[c] / std::sqrt(variance[c] + kEpsilon);
    dgain[c] += g;
    dshift[c] += b;
    dg[static_cast<size_t>(c)] = scale * share * g;
    db[static_cast<size_t>(c)] = scale * share * b;
  }
  Floats scale(static_cast<size_t>(channels));
  for (int c = 0; c < channels; ++c) {
    scale[static_cast<size_t>(c)] = gain[c] / std::sqrt(variance[c] + kEpsilon);
  }
  for (int r = 0; r < rows; ++r) {
    float* d = dy.data() + r * channels;
    const float* xr = x.data() + r * channels;
    for (size_t c = 0; c < scale.size(); ++c) d[c] = scale[c] * d[c] - db[c] - xr[c] * dg[c];
  }
}

void Pool2x2::Forward(const Floats& x, Floats& y, std::vector<int32_t>& from) const {
  const int half = side / 2;
  y.resize(static_cast<size_t>(images * half * half * channels));
  from.resize(y.size());
  size_t at = 0;
  for (int row = 0; row < images * half; ++row) {
    const int image = row / half, top = 2 * (row % half);
    for (int left = 0; left < 2 * half; left += 2) {
      const int first = ((image * side + top) * side + left) * channels;
      for (int c = 0; c < channels; ++c, ++at) {
        // The first of equal ones, so that a run is the same every time.
        int best = first + c;
        for (int other : {first + channels, first + side * channels,
                          first + (side + 1) * channels}) {
          const size_t now = static_cast<size_t>(best);
          if (x[static_cast<size_t>(other + c)] > x[now]) best = other + c;
        }
        from[at] = best;
        y[at] = x[static_cast<size_t>(best)];
      }
    }
  }
}

void Pool2x2::Backward(const Floats& dy, const std::vector<int32_t>& from, Floats& dx) const {
  dx.assign(static_cast<size_t>(images * side * side * channels), 0.0f);
  for (size_t i = 0; i < dy.size(); ++i) dx[static_cast<size_t>(from[i])] += dy[i];
}

}  // namespace tern::digits
