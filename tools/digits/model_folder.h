// SPDX-License-Identifier: Apache-2.0
// Writes the folder that tools/models.sh reads: model.onnx, ops.json, inputs.json with inputs/,
// expected/expected.json with expected/. And reads images back from .npy files.
#ifndef TERN_TOOLS_DIGITS_MODEL_FOLDER_H_
#define TERN_TOOLS_DIGITS_MODEL_FOLDER_H_

#include <string>
#include <vector>

#include "tools/digits/tensors.h"

namespace tern::digits {

// False, after a message, if a file cannot be written.
bool WriteModelFolder(const std::string& folder, const Tensors& model);

// The images of a little-endian float32 .npy file of [N, 1, 28, 28]; empty, after a message, if it
// is something else.
std::vector<float> ReadImages(const std::string& path);

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_MODEL_FOLDER_H_
