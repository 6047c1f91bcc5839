// SPDX-License-Identifier: Apache-2.0
// ImportModel: the bytes of an .onnx file → ir::Module with the function "main".
//
// Inputs become parameters with symbolic dimensions (a dimension without a name gets a symbol of
// its own), initializers become constants that are windows on the file, nodes become operator
// calls, functions that the model defines are inlined. All that is wrong is reported at once: every
// operator that is not supported (E0402), every node and feature that cannot be converted (E0403,
// E0404), every flaw of the graph (E0405), every shape that does not fit.
#ifndef TERN_CORE_ONNX_IMPORTER_H_
#define TERN_CORE_ONNX_IMPORTER_H_

#include <string_view>
#include <unordered_map>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/ir/module.h"
#include "core/onnx/model.h"
#include "core/onnx/tensor_data.h"
#include "core/text/diagnostics.h"

namespace tern::onnx {

// The newest version of the default domain that the converters were written for.
inline constexpr int64_t kNewestOpset = 28;

struct ImportOptions {
  std::string_view file = "model.onnx";  // for messages
  TensorSource tensors;
  Progress progress;  // of the stage "import"
  // Receives the types of what the graph's own nodes make, by name; may be null.
  std::unordered_map<std::string_view, types::Type>* value_types = nullptr;
};

// On failure the Status carries all diagnostics; warnings are in *diagnostics either way. Constants
// are windows on `bytes` where options.tensors.keeper is set.
Result<ir::Module> ImportModel(ByteSpan bytes, const ImportOptions& options,
                               text::Diagnostics* diagnostics);

// The same for a model that has been read. Its bytes must outlive this call.
Result<ir::Module> ImportModel(const Model& model, const ImportOptions& options,
                               text::Diagnostics* diagnostics);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_IMPORTER_H_
