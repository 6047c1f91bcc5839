// SPDX-License-Identifier: Apache-2.0
// Random numbers in converted graphs. The attribute `seed` chooses them; without it the name of the
// node's output does, so that nodes differ and a model gives the same in every run.
#ifndef TERN_CORE_ONNX_CONVERT_RANDOM_H_
#define TERN_CORE_ONNX_CONVERT_RANDOM_H_

#include <string_view>

#include "core/onnx/node_context.h"

namespace tern::onnx {

// op: random_uniform or random_normal; shape: i64. f32.
Value RandomNumbers(NodeContext& node, std::string_view op, const Value& shape);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_RANDOM_H_
