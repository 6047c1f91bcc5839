// SPDX-License-Identifier: Apache-2.0
// Writes the trained model as an ONNX file (IR 7, opset 13), byte by byte, without protobuf.
#ifndef TERN_TOOLS_DIGITS_ONNX_FILE_H_
#define TERN_TOOLS_DIGITS_ONNX_FILE_H_

#include <string>

#include "tools/digits/tensors.h"

namespace tern::digits {

std::string OnnxBytes(const Tensors& model);

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_ONNX_FILE_H_
