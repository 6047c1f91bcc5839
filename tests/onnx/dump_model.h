// SPDX-License-Identifier: Apache-2.0
// One model as canonical text, from our structs or from libprotobuf's: equal texts mean equal
// readings.
#ifndef TERN_TESTS_ONNX_DUMP_MODEL_H_
#define TERN_TESTS_ONNX_DUMP_MODEL_H_

#include <string>

#include "core/onnx/model.h"

namespace onnx {
class ModelProto;
}

namespace tern::test {

std::string DumpModel(const onnx::Model& model);
std::string DumpModel(const ::onnx::ModelProto& model);

}  // namespace tern::test

#endif  // TERN_TESTS_ONNX_DUMP_MODEL_H_
