// SPDX-License-Identifier: Apache-2.0
// image / peak -> conv 3x3 -> norm, relu, pool -> conv 3x3 -> norm, relu, pool -> depthwise 3x3 ->
// norm, relu -> pointwise -> norm, relu, pool -> dense, relu -> dense -> softmax.
#include "tools/digits/net.h"

#include <algorithm>
#include <cmath>

#include "tools/digits/draw.h"
#include "tools/digits/layers.h"

namespace tern::digits {
namespace {

constexpr int kPadded = 16;              // the ten outputs, padded to a whole vector
constexpr float kSmoothing = 0.02f;      // of the labels: no image is certain
constexpr int kB = kShardImages;
constexpr Conv3x3 kConv1{kB, 28, 1, kChannels1};
constexpr NormRelu kNorm1{kB * 784, kChannels1};
constexpr Pool2x2 kPool1{kB, 28, kChannels1};
constexpr Conv3x3 kConv2{kB, 14, kChannels1, kChannels2};
constexpr NormRelu kNorm2{kB * 196, kChannels2};
constexpr Pool2x2 kPool2{kB, 14, kChannels2};
constexpr Depthwise3x3 kDepthwise{kB, 7, kChannels2};
constexpr NormRelu kNorm3{kB * 49, kChannels2};
constexpr Linear kPointwise{kB * 49, kChannels2, kChannels3};
constexpr NormRelu kNorm4{kB * 49, kChannels3};
constexpr Pool2x2 kPool3{kB, 7, kChannels3};
constexpr Linear kDense1{kB, kFeatures, kHidden};
constexpr Linear kDense2{kB, kHidden, kPadded};

// Where each layer's mean stands in the statistics; its variance follows.
constexpr int kStat1 = 0;
constexpr int kStat2 = kStat1 + 2 * kChannels1;
constexpr int kStat3 = kStat2 + 2 * kChannels2;
constexpr int kStat4 = kStat3 + 2 * kChannels2;

struct Activations {
  Floats image, c1, n1, p1, c2, n2, p2, c3, n3, c4, n4, p3, hidden, logits;
  // Of pools: where each greatest value came from.
  std::vector<int32_t> from1, from2, from3;
};

Floats DividedByPeak(const Floats& images) {
  Floats out(images.size());
  for (size_t start = 0; start < images.size(); start += kPixels) {
    float peak = images[start];
    for (size_t i = 0; i < kPixels; ++i) peak = std::max(peak, images[start + i]);
    for (size_t i = 0; i < kPixels; ++i) out[start + i] = images[start + i] / (peak + kPeakEpsilon);
  }
  return out;
}

void AddBias(Floats& rows, const float* bias, int width, bool relu) {
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] += bias[i % static_cast<size_t>(width)];
    if (relu) rows[i] = std::max(rows[i], 0.0f);
  }
}

void SumRows(const Floats& rows, int width, float* sums) {
  for (size_t i = 0; i < rows.size(); ++i) sums[i % static_cast<size_t>(width)] += rows[i];
}

void Forward(const float* p, const Layout& at, Shard& shard, Activations& a) {
  float* s = shard.statistics.data();
  a.image = DividedByPeak(shard.images);
  kConv1.Forward(a.image, p + at.conv1, a.c1);
  kNorm1.Forward(a.c1, p + at.gain1, p + at.shift1, s + kStat1, s + kStat1 + kChannels1, a.n1);
  kPool1.Forward(a.n1, a.p1, a.from1);
  kConv2.Forward(a.p1, p + at.conv2, a.c2);
  kNorm2.Forward(a.c2, p + at.gain2, p + at.shift2, s + kStat2, s + kStat2 + kChannels2, a.n2);
  kPool2.Forward(a.n2, a.p2, a.from2);
  kDepthwise.Forward(a.p2, p + at.depthwise, a.c3);
  kNorm3.Forward(a.c3, p + at.gain3, p + at.shift3, s + kStat3, s + kStat3 + kChannels2, a.n3);
  kPointwise.Forward(a.n3, p + at.pointwise, a.c4);
  kNorm4.Forward(a.c4, p + at.gain4, p + at.shift4, s + kStat4, s + kStat4 + kChannels3, a.n4);
  kPool3.Forward(a.n4, a.p3, a.from3);
  kDense1.Forward(a.p3, p + at.dense1, a.hidden);
  AddBias(a.hidden, p + at.bias1, kHidden, true);
  kDense2.Forward(a.hidden, p + at.dense2, a.logits);
  AddBias(a.logits, p + at.bias2, kPadded, false);
}

// Mean cross-entropy of the shard; `logits` becomes its gradient.
double LossGradient(const std::vector<int>& labels, Floats& logits) {
  double loss = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    float* row = logits.data() + i * kPadded;
    // About the greatest, so that no exponential overflows; the padding is no class.
    const float peak = *std::max_element(row, row + kClasses);
    float sum = 0;
    for (int c = 0; c < kClasses; ++c) sum += std::exp(row[c] - peak);
    for (int c = 0; c < kClasses; ++c) {
      const float target = kSmoothing / kClasses + (c == labels[i] ? 1 - kSmoothing : 0.0f);
      const float log_probability = row[c] - peak - std::log(sum);
      loss -= target * log_probability;
      row[c] = (std::exp(log_probability) - target) / kB;
    }
    // So that the padding never learns anything.
    std::fill(row + kClasses, row + kPadded, 0.0f);
  }
  return loss / static_cast<double>(labels.size());
}

void Backward(const float* p, const Layout& at, const float* s, Activations& a, float* g) {
  Floats d1, d2;
  SumRows(a.logits, kPadded, g + at.bias2);
  kDense2.Backward(a.hidden, p + at.dense2, a.logits, g + at.dense2, d1);
  // Back through the relu of AddBias.
  for (size_t i = 0; i < d1.size(); ++i) d1[i] = a.hidden[i] > 0 ? d1[i] : 0.0f;
  SumRows(d1, kHidden, g + at.bias1);
  kDense1.Backward(a.p3, p + at.dense1, d1, g + at.dense1, d2);
  kPool3.Backward(d2, a.from3, d1);
  kNorm4.Backward(a.c4, a.n4, p + at.gain4, s + kStat4 + kChannels3, d1, g + at.gain4,
                  g + at.shift4);
  kPointwise.Backward(a.n3, p + at.pointwise, d1, g + at.pointwise, d2);
  kNorm3.Backward(a.c3, a.n3, p + at.gain3, s + kStat3 + kChannels2, d2, g + at.gain3,
                  g + at.shift3);
  kDepthwise.Backward(a.p2, p + at.depthwise, d2, g + at.depthwise, d1);
  kPool2.Backward(d1, a.from2, d2);
  kNorm2.Backward(a.c2, a.n2, p + at.gain2, s + kStat2 + kChannels2, d2, g + at.gain2,
                  g + at.shift2);
  kConv2.Backward(a.p1, p + at.conv2, d2, g + at.conv2, &d1);
  kPool1.Backward(d1, a.from1, d2);
  kNorm1.Backward(a.c1, a.n1, p + at.gain1, s + kStat1 + kChannels1, d2, g + at.gain1,
                  g + at.shift1);
  kConv1.Backward(a.image, p + at.conv1, d2, g + at.conv1, nullptr);
}

// [inputs][outputs] with inputs = taps x channels  ->  [outputs][channels][taps].
std::vector<float> ToOnnx(const float* matrix, int taps, int channels, int stride, int outputs) {
  std::vector<float> out;
  for (int o = 0; o < outputs; ++o) {
    for (int c = 0; c < channels; ++c) {
      for (int t = 0; t < taps; ++t) out.push_back(matrix[(t * channels + c) * stride + o]);
    }
  }
  return out;
}

void AddNorm(const std::string& name, const float* gain, const float* shift, const float* mean,
             int channels, Tensors& out) {
  const float* variance = mean + channels;
  out.push_back({name + ".scale", {channels}, {gain, gain + channels}});
  out.push_back({name + ".bias", {channels}, {shift, shift + channels}});
  out.push_back({name + ".mean", {channels}, {mean, mean + channels}});
  out.push_back({name + ".variance", {channels}, {variance, variance + channels}});
}

}  // namespace

Layout MakeLayout() {
  int end = 0;
  auto take = [&end](int n) {
    const int start = end;
    end += n;
    return start;
  };
  Layout at{};
  at.conv1 = take(9 * kChannels1), at.gain1 = take(kChannels1), at.shift1 = take(kChannels1);
  at.conv2 = take(9 * kChannels1 * kChannels2);
  at.gain2 = take(kChannels2), at.shift2 = take(kChannels2);
  at.depthwise = take(9 * kChannels2), at.gain3 = take(kChannels2), at.shift3 = take(kChannels2);
  at.pointwise = take(kChannels2 * kChannels3);
  at.gain4 = take(kChannels3), at.shift4 = take(kChannels3);
  at.dense1 = take(kFeatures * kHidden), at.bias1 = take(kHidden);
  at.dense2 = take(kHidden * kPadded), at.bias2 = take(kPadded);
  at.size = end;
  return at;
}

std::vector<float> InitialParameters(uint64_t seed) {
  const Layout at = MakeLayout();
  std::vector<float> p(static_cast<size_t>(at.size));
  Random random(seed);
  auto weights = [&](int start, int count, int inputs) {
    // After He et al. (2015): it keeps the spread of values, of which each relu takes half.
    const float sigma = std::sqrt(2.0f / static_cast<float>(inputs));
    for (int i = 0; i < count; ++i) p[static_cast<size_t>(start + i)] = random.Normal(sigma);
  };
  weights(at.conv1, 9 * kChannels1, 9);
  weights(at.conv2, 9 * kChannels1 * kChannels2, 9 * kChannels1);
  weights(at.depthwise, 9 * kChannels2, 9);
  weights(at.pointwise, kChannels2 * kChannels3, kChannels2);
  weights(at.dense1, kFeatures * kHidden, kFeatures);
  weights(at.dense2, kHidden * kPadded, kHidden);
  auto ones = [&](int start, int count) { std::fill_n(p.begin() + start, count, 1.0f); };
  ones(at.gain1, kChannels1), ones(at.gain2, kChannels2);
  ones(at.gain3, kChannels2), ones(at.gain4, kChannels3);
  return p;
}

void LearnShard(const std::vector<float>& parameters, Shard& shard) {
  const Layout at = MakeLayout();
  // Some megabytes, of which one set per thread is enough.
  thread_local Activations a;
  shard.statistics.assign(kStatistics, 0.0f);
  shard.gradient.assign(static_cast<size_t>(at.size), 0.0f);
  Forward(parameters.data(), at, shard, a);
  shard.loss = LossGradient(shard.labels, a.logits);
  Backward(parameters.data(), at, shard.statistics.data(), a, shard.gradient.data());
}

Tensors ExportTensors(const std::vector<float>& parameters, const std::vector<float>& statistics) {
  const Layout at = MakeLayout();
  const float *p = parameters.data(), *s = statistics.data();
  const float *bias1 = p + at.bias1, *bias2 = p + at.bias2;
  constexpr int c1 = kChannels1, c2 = kChannels2, c3 = kChannels3;
  Tensors out;
  out.push_back({"conv1.weight", {c1, 1, 3, 3}, ToOnnx(p + at.conv1, 9, 1, c1, c1)});
  AddNorm("norm1", p + at.gain1, p + at.shift1, s + kStat1, c1, out);
  out.push_back({"conv2.weight", {c2, c1, 3, 3}, ToOnnx(p + at.conv2, 9, c1, c2, c2)});
  AddNorm("norm2", p + at.gain2, p + at.shift2, s + kStat2, c2, out);
  out.push_back({"depthwise.weight", {c2, 1, 3, 3}, ToOnnx(p + at.depthwise, 9, 1, c2, c2)});
  AddNorm("norm3", p + at.gain3, p + at.shift3, s + kStat3, c2, out);
  out.push_back({"pointwise.weight", {c3, c2, 1, 1}, ToOnnx(p + at.pointwise, 1, c2, c3, c3)});
  AddNorm("norm4", p + at.gain4, p + at.shift4, s + kStat4, c3, out);
  out.push_back({"dense1.weight", {kHidden, kFeatures}, ToOnnx(p + at.dense1, 9, c3, kHidden,
                                                               kHidden)});
  out.push_back({"dense1.bias", {kHidden}, {bias1, bias1 + kHidden}});
  out.push_back({"dense2.weight", {kClasses, kHidden}, ToOnnx(p + at.dense2, 1, kHidden, kPadded,
                                                              kClasses)});
  out.push_back({"dense2.bias", {kClasses}, {bias2, bias2 + kClasses}});
  return out;
}

}  // namespace tern::digits
