// SPDX-License-Identifier: Apache-2.0
// Models to executables, at once or in steps.
#include "core/api/compilation_api.h"

#include <string>
#include <utility>

#include "core/api/compilation.h"
#include "core/api/handles.h"
#include "core/base/strings.h"
#include "core/driver/compile.h"

namespace tern::api {
namespace {

// Bytes that are borrowed for the time of a compilation.
StoragePtr Borrow(ByteSpan bytes) {
  return Storage::Wrap(const_cast<uint8_t*>(bytes.data()), bytes.size(), nullptr, nullptr);
}

// Bridges the C callback to the importer's.
Result<ByteSpan> ReadBorrowed(void* context, std::string_view location, int64_t offset,
                              int64_t length, ObjectPtr<Object>* keeper) {
  const auto& options = *static_cast<const tern_compile_options*>(context);
  TERN_TRY_ASSIGN(const ByteSpan bytes, ReadExternal(options, location, offset, length));
  *keeper = Borrow(bytes);
  return bytes;
}

driver::CompileOptions OptionsOf(const tern_runtime* runtime, const tern_compile_options& options,
                                 std::string_view source_name,
                                 const onnx::ExternalData& external, ByteSpan bytes) {
  driver::CompileOptions compile = CompileOptionsOf(runtime, options, source_name);
  compile.source_name = source_name;
  compile.keeper = Borrow(bytes);
  if (options.external_data != nullptr) compile.external = &external;
  return compile;
}

}  // namespace
}  // namespace tern::api

// Where it stands: `work` does not take a step behind one that failed, and gives its result once.
struct tern_compilation {
  tern_compilation(tern_runtime* runtime, tern::ByteSpan bytes, const tern_compile_options& chosen)
      : source_name(tern::api::TextOr(chosen.source_name, "model")),
        options(chosen),
        work(bytes, tern::api::OptionsOf(runtime, options, source_name, external, bytes)) {}

  const std::string source_name;
  tern_compile_options options;  // of which only the function of external data is used later
  tern::onnx::ExternalData external = {&options, &tern::api::ReadBorrowed};
  tern::driver::ModelCompilation work;
  bool has_ended = false;
};

namespace tern::api {
namespace {

Status Step(tern_compilation* compilation) {
  if (compilation->has_ended)
    return InvalidArgument("the compilation has ended, by an error or by finish")
        .SetErrorCode("E0705");
  if (compilation->work.is_done()) return OkStatus();
  Status status = compilation->work.Step();
  compilation->has_ended = !status.ok();
  return status;
}

Result<driver::CompileResult> Finish(tern_compilation* compilation) {
  if (compilation->has_ended || !compilation->work.is_done())
    return InvalidArgument("the compilation has no result: ",
                           compilation->has_ended ? "it has ended, by an error or by finish"
                                                  : "steps are left")
        .SetErrorCode("E0705")
        .Clone();
  compilation->has_ended = true;
  return compilation->work.Finish();
}

}  // namespace
}  // namespace tern::api

using tern::api::ToHandle;

tern_status* tern_compile_onnx(tern_runtime* runtime, const void* bytes, size_t size,
                               const tern_compile_options* options, tern_buffer** executable,
                               tern_buffer** stages) {
  TERN_CHECK_OPTIONS(tern_compile_options, options);
  tern_compilation all(runtime, {static_cast<const uint8_t*>(bytes), size},
                       tern::api::ReadOptions(options));
  while (!all.work.is_done()) {
    if (tern::Status status = tern::api::Step(&all); !status.ok())
      return ToHandle(std::move(status));
  }
  return tern::api::Give(tern::api::Finish(&all), executable, stages);
}

tern_status* tern_compilation_create(tern_runtime* runtime, const void* bytes, size_t size,
                                     const tern_compile_options* options,
                                     tern_compilation** compilation) {
  TERN_CHECK_OPTIONS(tern_compile_options, options);
  *compilation = new tern_compilation(runtime, {static_cast<const uint8_t*>(bytes), size},
                                      tern::api::ReadOptions(options));
  return nullptr;
}

tern_status* tern_compilation_step(tern_compilation* compilation, int32_t* left) {
  if (tern::Status status = tern::api::Step(compilation); !status.ok())
    return ToHandle(std::move(status));
  *left = static_cast<int32_t>(compilation->work.steps_left());
  return nullptr;
}

tern_status* tern_compilation_finish(tern_compilation* compilation, tern_buffer** executable,
                                     tern_buffer** stages) {
  return tern::api::Give(tern::api::Finish(compilation), executable, stages);
}

void tern_compilation_free(tern_compilation* compilation) { delete compilation; }
