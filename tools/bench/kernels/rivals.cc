// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernels/rivals.h"

namespace tern::kernels {

#ifdef TERN_HAS_RIVALS
std::vector<Side> RivalSides(const Product& product) {
  std::vector<Side> sides;
  for (const Rival* rival : kRivals) {
    if (rival->products != nullptr) rival->products(product, &sides);
  }
  return sides;
}

std::vector<Side> RivalSides(const Convolution& convolution) {
  std::vector<Side> sides;
  if (convolution.kind == ConvKind::kTransposed || convolution.activation != TERN_ACT_RELU)
    return sides;
  for (const Rival* rival : kRivals) {
    if (rival->convolutions != nullptr) rival->convolutions(convolution, &sides);
  }
  return sides;
}
#else
std::vector<Side> RivalSides(const Product&) { return {}; }
std::vector<Side> RivalSides(const Convolution&) { return {}; }
#endif

}  // namespace tern::kernels
