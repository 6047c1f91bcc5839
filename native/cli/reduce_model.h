// SPDX-License-Identifier: Apache-2.0
// Makes an ONNX model smaller while a check holds: outputs and nodes that are not needed go, then
// what only describes the model, then extents become smaller.
#ifndef TERN_NATIVE_CLI_REDUCE_MODEL_H_
#define TERN_NATIVE_CLI_REDUCE_MODEL_H_

#include "native/cli/onnx_graph.h"
#include "native/cli/reduce_text.h"

namespace tern::cli {

// `graph` is one for which the check holds.
OnnxGraph ReduceModel(OnnxGraph graph, const HoldsFor& holds);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_REDUCE_MODEL_H_
