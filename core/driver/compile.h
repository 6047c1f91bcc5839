// SPDX-License-Identifier: Apache-2.0
// Compiles the bytes of a model into an executable, and prints the text of any stage on the way.
// The C interface calls it; compile_source.h has the same for programs.
#ifndef TERN_CORE_DRIVER_COMPILE_H_
#define TERN_CORE_DRIVER_COMPILE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/ir/text/printer.h"
#include "core/kernels/kernel_table.h"
#include "core/object/object.h"
#include "core/onnx/tensor_data.h"
#include "core/types/dim.h"
#include "core/vm/executable.h"

namespace tern::driver {

class CompileMemory;  // compile_module.h
class ModuleCompilation;

struct CompileOptions {
  std::string_view source_name = "model";    // for messages
  std::vector<std::string> disabled_passes;  // names of ir/passes/passes.def
  // The same, "import" or "all"; "liveness", "memory", "memory_json", "kernels" and "code" for what
  // is found of the module at last and made from it.
  std::vector<std::string> print_after;
  // Extents of symbols, for which "memory_json" says where everything lies, if it is to say that.
  std::optional<std::vector<types::Dim::Binding>> sizes;
  // Loop programs made of operators may round a * b + c once, where a processor can; results then
  // differ between processors in the last places. The executable says so as its metadata "math".
  bool relaxed_math = false;
  // No convolution by Winograd's algorithm, whose roundings are larger: pack_winograd is left out.
  bool exact_convolutions = false;
  // What constants are computed with; null: what every processor of the build can run.
  const kernels::KernelTable* kernels = nullptr;
  ObjectPtr<Object> keeper;  // keeps the bytes alive; null: constants are copied
  const onnx::ExternalData* external = nullptr;
  // What nodes of the program's text and graph, and constants that are made, may take together; 0:
  // no limit. The error is E0302.
  uint64_t max_bytes = 0;
  // Whose memory constants that are made lie in; null: the C library's.
  const TernPlatform* platform = nullptr;
  CompileMemory* memory = nullptr;  // in place of one of max_bytes and platform
  Progress progress;                // stages "import" and "compile"
  PageHints pages;                  // of constants that were read to make others of them
  AlignedCopies aligned;            // of a model's constants; they live as long as the keeper
};

// The text of the program after the stage of that name.
struct Stage {
  std::string name;
  std::string text;
  std::vector<ir::LineOrigin> origins;  // of the functional IR
};

// The stages as JSON: [{"name", "text", "origins": [[line, what in the source it came from]]}],
// lines counted from 1.
std::string StagesJson(const std::vector<Stage>& stages);

struct CompileResult {
  vm::ExecutablePtr executable;
  std::vector<Stage> stages;
};

// A model is compiled in steps of some milliseconds, so that a page hears of events between them;
// how long a step takes grows with the model's constants. Errors are diagnostics: all mistakes of
// the model at once; no step follows one.
class ModelCompilation {
 public:
  // bytes, and what options refers to, must outlive it; bytes longer if options.keeper says so.
  ModelCompilation(ByteSpan bytes, CompileOptions options);
  ~ModelCompilation();
  ModelCompilation(const ModelCompilation&) = delete;
  ModelCompilation& operator=(const ModelCompilation&) = delete;

  size_t steps_left() const;
  bool is_done() const { return steps_left() == 0; }
  // The import at first, then a pass.
  Status Step();
  // Once, when it is done.
  Result<CompileResult> Finish();

 private:
  Status Import();

  ByteSpan bytes_;
  CompileOptions options_;
  std::unique_ptr<CompileMemory> own_memory_;
  std::unique_ptr<ModuleCompilation> module_;  // null before the import
};

// All of it.
Result<CompileResult> CompileOnnx(ByteSpan bytes, const CompileOptions& options);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_COMPILE_H_
