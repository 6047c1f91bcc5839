// SPDX-License-Identifier: Apache-2.0
// The trained model as ONNX will hold it: named float tensors in ONNX layout (convolutions OIHW,
// dense layers [out, in]). Training writes it, the reference and the ONNX writer read it.
#ifndef TERN_TOOLS_DIGITS_TENSORS_H_
#define TERN_TOOLS_DIGITS_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tern::digits {

inline constexpr int kClasses = 10;
inline constexpr int kChannels1 = 16;   // after the first convolution
inline constexpr int kChannels2 = 32;   // after the second, and the depthwise one
inline constexpr int kChannels3 = 48;   // after the pointwise one
inline constexpr int kHidden = 64;      // dense layer
inline constexpr int kFeatures = 3 * 3 * kChannels3;
inline constexpr float kEpsilon = 1e-5f;      // of every batch normalization
inline constexpr float kPeakEpsilon = 1e-6f;  // keeps a blank image from dividing by zero

struct NamedTensor {
  std::string name;
  std::vector<int64_t> dims;
  std::vector<float> values;
};

using Tensors = std::vector<NamedTensor>;

inline const NamedTensor& Find(const Tensors& tensors, const std::string& name) {
  for (const NamedTensor& t : tensors) {
    if (t.name == name) return t;
  }
  __builtin_trap();  // a name this program made itself
}

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_TENSORS_H_
