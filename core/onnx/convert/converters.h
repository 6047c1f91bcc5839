// SPDX-License-Identifier: Apache-2.0
// The functions that operators.def names. Each lives in the file of its family in this folder.
#ifndef TERN_CORE_ONNX_CONVERT_CONVERTERS_H_
#define TERN_CORE_ONNX_CONVERT_CONVERTERS_H_

#include "core/onnx/node_context.h"

namespace tern::onnx {

// Declaring a function as often as the table names it is legal.
#define TERN_ONNX(domain, Name, since, min_inputs, max_inputs, max_outputs, convert, detail) \
  void convert(NodeContext& node);
#include "core/onnx/operators.def"
#undef TERN_ONNX

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_CONVERTERS_H_
