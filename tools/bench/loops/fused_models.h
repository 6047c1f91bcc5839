// SPDX-License-Identifier: Apache-2.0
// ONNX models of what transformers do between their products, each as one operator or spelt out in
// several, as exporters of different ages write it.
#ifndef TERN_TOOLS_BENCH_LOOPS_FUSED_MODELS_H_
#define TERN_TOOLS_BENCH_LOOPS_FUSED_MODELS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tern::bench {

// Layers of a chain, each on what the one before gives.
inline constexpr int kChainLayers = 9;

// Models of one input x and one output y.
struct FusedModel {
  std::string name;
  std::string single, chain;
};
std::vector<FusedModel> FusedModels(const std::vector<int64_t>& shape);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_FUSED_MODELS_H_
