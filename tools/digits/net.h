// SPDX-License-Identifier: Apache-2.0
// The classifier while it learns: channels-last activations, convolutions as matrix products, batch
// statistics per shard. A shard is a few images with its own gradients; shards are summed in a
// fixed order, so that the result does not depend on the number of threads.
#ifndef TERN_TOOLS_DIGITS_NET_H_
#define TERN_TOOLS_DIGITS_NET_H_

#include <vector>

#include "tools/digits/tensors.h"

namespace tern::digits {

inline constexpr int kShardImages = 16;

// Places in the flat parameter vector. Matrices are [inputs][outputs].
struct Layout {
  int conv1, gain1, shift1;
  int conv2, gain2, shift2;
  int depthwise, gain3, shift3;
  int pointwise, gain4, shift4;
  int dense1, bias1, dense2, bias2;
  int size;
};
Layout MakeLayout();

// Mean and variance of each normalized channel, one after the other.
inline constexpr int kStatistics = 2 * (kChannels1 + 2 * kChannels2 + kChannels3);

struct Shard {
  std::vector<float> images;  // kShardImages x 28 x 28, as drawn
  std::vector<int> labels;
  std::vector<float> gradient;
  std::vector<float> statistics;
  double loss = 0;
};

std::vector<float> InitialParameters(uint64_t seed);

// Forward and backward over the shard; fills gradient (mean over the shard), statistics and loss.
void LearnShard(const std::vector<float>& parameters, Shard& shard);

Tensors ExportTensors(const std::vector<float>& parameters, const std::vector<float>& statistics);

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_NET_H_
