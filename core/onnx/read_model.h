// SPDX-License-Identifier: Apache-2.0
// ReadModel: the bytes of an .onnx file → Model, whose views point into those bytes.
#ifndef TERN_CORE_ONNX_READ_MODEL_H_
#define TERN_CORE_ONNX_READ_MODEL_H_

#include <string>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/onnx/model.h"

namespace tern::onnx {

// Fills *model, which must be new. Fails on bytes that are no Protobuf message or hold no graph;
// the message says what such bytes look like (HTML, PNG, an executable of ours, …) where that can
// be told.
Status ReadModel(ByteSpan bytes, Model* model);

// The same for one TensorProto: the .pb files of the standard's test data.
Status ReadTensor(ByteSpan bytes, Tensor* tensor);

// "looks like an HTML page" and so on; "" if nothing is recognised.
std::string_view DescribeForeignBytes(ByteSpan bytes);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_READ_MODEL_H_
