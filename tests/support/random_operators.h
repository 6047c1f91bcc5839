// SPDX-License-Identifier: Apache-2.0
// What tests that draw modules of operators share: the draws, and calls of operators by name. The
// same seed gives the same module everywhere.
#ifndef TERN_TESTS_SUPPORT_RANDOM_OPERATORS_H_
#define TERN_TESTS_SUPPORT_RANDOM_OPERATORS_H_

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/builder.h"
#include "core/text/diagnostics.h"

namespace tern::support {

class RandomOperators {
 protected:
  explicit RandomOperators(uint32_t seed) : random_(seed), builder_(&diagnostics_) {}

  // 0 to count - 1.
  int Pick(int count) { return static_cast<int>(random_() % static_cast<uint32_t>(count)); }
  ir::Expr Emit(std::string_view op, std::vector<ir::Expr> args, std::string_view attrs = "") {
    return builder_.Emit(op, std::move(args), Attrs::Parse(attrs).value());
  }
  // A constant of numbers from low to high.
  ir::Expr Random(const std::vector<int64_t>& dims, float low = -1, float high = 1) {
    TensorPtr tensor = Tensor::New(kF32, dims).value();
    for (float& value : tensor->values<float>())
      value = low + (high - low) * static_cast<float>(random_() % 1024) / 1024.0f;
    return ir::MakeConstant(Any(std::move(tensor)));
  }

  std::mt19937 random_;
  text::Diagnostics diagnostics_;
  ir::Builder builder_;
};

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_OPERATORS_H_
