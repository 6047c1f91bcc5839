// SPDX-License-Identifier: Apache-2.0
// The finished model in double precision, as plain loops over ONNX layouts. It shares nothing with
// the training code but the weights, so it says what the model file means: the expected outputs and
// every accuracy come from here.
#ifndef TERN_TOOLS_DIGITS_REFERENCE_H_
#define TERN_TOOLS_DIGITS_REFERENCE_H_

#include <vector>

#include "tools/digits/tensors.h"

namespace tern::digits {

// Probabilities of the ten digits for one 28x28 image.
std::vector<double> Classify(const Tensors& model, const float* image);

int Best(const std::vector<double>& probabilities);

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_REFERENCE_H_
