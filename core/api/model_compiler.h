// SPDX-License-Identifier: Apache-2.0
// Models compiled without their executable ever being in memory as a whole, for programs that have
// files: linked as they are, or written out piece by piece. Constants that no pass changes stay
// where the model has them, so the memory this takes is that of the constants that passes make.
#ifndef TERN_CORE_API_MODEL_COMPILER_H_
#define TERN_CORE_API_MODEL_COMPILER_H_

#include <string>

#include "core/api/c_api.h"
#include "core/base/bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace tern::api {

struct ModelRequest {
  ByteSpan bytes;
  tern_compile_options options = {};
  Progress progress;  // "import", "compile" and, of CompileTo, "write"
  PageHints pages;
  AlignedCopies aligned;  // they live until `release`
};

// `release` gives back the model's bytes and the external data: it is called once, when no program
// uses them any more, or when there is none. stages may be null, as in tern_compile_onnx.
Result<tern_program*> CompileAndLink(tern_runtime* runtime, const ModelRequest& request,
                                     void (*release)(void* context), void* context,
                                     std::string* stages);

struct ByteOutput {
  void* context = nullptr;
  Status (*write)(void* context, ByteSpan bytes) = nullptr;
};
// How many bytes were written.
Result<uint64_t> CompileTo(tern_runtime* runtime, const ModelRequest& request,
                           const ByteOutput& output, std::string* stages);

}  // namespace tern::api

#endif  // TERN_CORE_API_MODEL_COMPILER_H_
