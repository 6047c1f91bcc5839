// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes into the ONNX importer, and into what tells of models and test data without
// it. Seeds: any folder of small .onnx files.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/base/json_reader.h"
#include "core/ir/verifier.h"
#include "core/onnx/describe.h"
#include "core/onnx/importer.h"
#include "core/onnx/read_model.h"
#include "core/onnx/test_data.h"

namespace {

using tern::ByteSpan;
using tern::onnx::Model;

// What a description tells must be readable, whatever the model's texts are.
void Describe(ByteSpan bytes) {
  Model model;
  if (!tern::onnx::ReadModel(bytes, &model).ok()) return;
  const tern::onnx::ModelDescription description = tern::onnx::Describe(model);
  tern::JsonWriter json;
  tern::onnx::WriteModelJson(model, description, &json);
  if (!tern::ParseJson(json.text()).ok()) __builtin_trap();
  const std::string text = ModelText(model, description) + tern::onnx::UnsupportedText(description);
  if (text.find('\x1b') != std::string::npos) __builtin_trap();
}

void ReadValues(ByteSpan bytes) {
  using Kind = tern::onnx::Type::Kind;
  for (const Kind kind : {Kind::kTensor, Kind::kSequence, Kind::kOptional}) {
    tern::onnx::Type type;
    type.kind = kind;
    if (kind != Kind::kTensor) type.contents = std::make_unique<tern::onnx::Type>();
    const tern::Result<tern::Any> value = tern::onnx::ReadTestValue(bytes, type);
    if (value.ok()) tern::onnx::CompareTestValues(*value, *value, {});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tern::text::Diagnostics diagnostics;
  const tern::Result<tern::ir::Module> module =
      tern::onnx::ImportModel({data, size}, {}, &diagnostics);
  if (module.ok() != diagnostics.ok()) __builtin_trap();
  if (module.ok() && !tern::ir::Verify(*module).ok()) __builtin_trap();
  Describe({data, size});
  ReadValues({data, size});
  return 0;
}
