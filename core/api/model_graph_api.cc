// SPDX-License-Identifier: Apache-2.0
// The graph of a model. Apart from program_api.cc, so that a module which does not export this does
// not carry it.
#include "core/api/handles.h"
#include "core/onnx/graph_json.h"
#include "core/onnx/importer.h"
#include "core/onnx/read_model.h"

namespace tern::api {
namespace {

Result<std::string> ModelGraph(ByteSpan bytes) {
  onnx::Model model;
  TERN_TRY(onnx::ReadModel(bytes, &model));
  onnx::ValueTypes types;
  text::Diagnostics diagnostics;
  onnx::ImportOptions options;
  options.value_types = &types;
  // A model that cannot be imported is drawn with the types that were found until then.
  const Result<ir::Module> imported = onnx::ImportModel(model, options, &diagnostics);
  JsonWriter json;
  onnx::WriteGraphJson(model, types, &json);
  return json.Take();
}

}  // namespace
}  // namespace tern::api

tern_status* tern_model_graph(tern_runtime*, const void* bytes, size_t size, tern_buffer** json) {
  return tern::api::Give(tern::api::ModelGraph({static_cast<const uint8_t*>(bytes), size}), json);
}
