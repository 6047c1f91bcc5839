// SPDX-License-Identifier: Apache-2.0
// Operator by operator in the order of the ONNX graph.
#include "tools/digits/reference.h"

#include <algorithm>
#include <cmath>

namespace tern::digits {
namespace {

struct Planes {
  int channels, side;
  std::vector<double> values;  // channel, y, x

  double* plane(int c) { return values.data() + c * side * side; }
  const double* plane(int c) const { return values.data() + c * side * side; }
};

// out += weight * in moved by (dy, dx), zero outside.
void AddMoved(const double* in, int side, int dy, int dx, double weight, double* out) {
  for (int y = std::max(0, -dy); y < std::min(side, side - dy); ++y) {
    const double* from = in + (y + dy) * side + dx;
    for (int x = std::max(0, -dx); x < std::min(side, side - dx); ++x) {
      out[y * side + x] += weight * from[x];
    }
  }
}

// Weights [out][in / groups][k][k]; padded so that the side stays.
Planes Convolve(const Planes& in, const NamedTensor& weights) {
  const int outputs = static_cast<int>(weights.dims[0]);
  const int inputs = static_cast<int>(weights.dims[1]);
  const int k = static_cast<int>(weights.dims[2]);
  const bool depthwise = inputs == 1 && in.channels == outputs;
  Planes out{outputs, in.side, {}};
  out.values.resize(static_cast<size_t>(outputs * in.side * in.side));
  const float* w = weights.values.data();
  for (int o = 0; o < outputs; ++o) {
    for (int i = 0; i < inputs; ++i) {
      for (int tap = 0; tap < k * k; ++tap, ++w) {
        AddMoved(in.plane(depthwise ? o : i), in.side, tap / k - k / 2, tap % k - k / 2,
                 static_cast<double>(*w), out.plane(o));
      }
    }
  }
  return out;
}

void NormalizeAndRelu(const Tensors& model, const std::string& name, Planes& planes) {
  const auto& scale = Find(model, name + ".scale").values;
  const auto& bias = Find(model, name + ".bias").values;
  const auto& mean = Find(model, name + ".mean").values;
  const auto& variance = Find(model, name + ".variance").values;
  for (size_t c = 0; c < scale.size(); ++c) {
    const double factor = scale[c] / std::sqrt(static_cast<double>(variance[c]) + kEpsilon);
    double* p = planes.plane(static_cast<int>(c));
    for (int i = 0; i < planes.side * planes.side; ++i) {
      p[i] = std::max((p[i] - mean[c]) * factor + bias[c], 0.0);
    }
  }
}

Planes Pool(const Planes& in) {
  const int half = in.side / 2;
  Planes out{in.channels, half, {}};
  for (int c = 0; c < in.channels; ++c) {
    for (int y = 0; y < half; ++y) {
      for (int x = 0; x < half; ++x) {
        const double* p = in.plane(c) + 2 * y * in.side + 2 * x;
        out.values.push_back(std::max(std::max(p[0], p[1]), std::max(p[in.side], p[in.side + 1])));
      }
    }
  }
  return out;
}

std::vector<double> Dense(const Tensors& model, const std::string& name,
                          const std::vector<double>& in) {
  const auto& weights = Find(model, name + ".weight").values;
  const auto& bias = Find(model, name + ".bias").values;
  std::vector<double> out(bias.begin(), bias.end());
  for (size_t o = 0; o < out.size(); ++o) {
    for (size_t i = 0; i < in.size(); ++i) {
      out[o] += static_cast<double>(weights[o * in.size() + i]) * in[i];
    }
  }
  return out;
}

void Softmax(std::vector<double>& v) {
  const double peak = *std::max_element(v.begin(), v.end());
  double sum = 0;
  for (double& x : v) sum += x = std::exp(x - peak);
  for (double& x : v) x /= sum;
}

}  // namespace

std::vector<double> Classify(const Tensors& model, const float* image) {
  Planes x{1, 28, {image, image + 784}};
  const double peak = *std::max_element(x.values.begin(), x.values.end());
  for (double& v : x.values) v /= peak + kPeakEpsilon;
  for (const char* stage : {"1", "2"}) {
    x = Convolve(x, Find(model, std::string("conv") + stage + ".weight"));
    NormalizeAndRelu(model, std::string("norm") + stage, x);
    x = Pool(x);
  }
  x = Convolve(x, Find(model, "depthwise.weight"));
  NormalizeAndRelu(model, "norm3", x);
  x = Convolve(x, Find(model, "pointwise.weight"));
  NormalizeAndRelu(model, "norm4", x);
  std::vector<double> hidden = Dense(model, "dense1", Pool(x).values);
  for (double& v : hidden) v = std::max(v, 0.0);
  std::vector<double> out = Dense(model, "dense2", hidden);
  Softmax(out);
  return out;
}

int Best(const std::vector<double>& probabilities) {
  return static_cast<int>(std::max_element(probabilities.begin(), probabilities.end()) -
                          probabilities.begin());
}

}  // namespace tern::digits
