// SPDX-License-Identifier: Apache-2.0
#include "native/cli/model.h"

#include <memory>
#include <utility>

#include "core/api/model_compiler.h"
#include "core/onnx/describe.h"
#include "core/onnx/read_model.h"
#include "native/cli/program_file.h"
#include "native/cli/progress.h"
#include "native/platform/external_data.h"
#include "native/platform/mapped_file.h"
#include "native/platform/scratch_file.h"

namespace tern::cli {
namespace {

// What a program made of a model keeps: the files its constants lie in.
struct ModelFiles {
  ModelFiles(ProgramFile model, const std::string& path) : file(std::move(model)), external(path) {}
  ProgramFile file;
  native::ExternalData external;
  native::ScratchFile scratch;
};

void DropPages(void* context, const void* data, size_t bytes) {
  const auto& files = *static_cast<const ModelFiles*>(context);
  files.file.file->DropPages(data, bytes);
  files.external.DropPages(data, bytes);
  files.scratch.DropPages(data, bytes);
}

const void* CopyAligned(void* context, const void* data, size_t bytes) {
  return static_cast<ModelFiles*>(context)->scratch.Copy(
      {static_cast<const uint8_t*>(data), bytes});
}

api::ModelRequest RequestOf(const CompileRequest& request, ModelFiles* files,
                            ProgressReport* progress) {
  return {.bytes = files->file.file->bytes(),
          .options = {.struct_size = sizeof(tern_compile_options),
                      .source_name = files->file.name.c_str(),
                      .disabled_passes = request.disabled_passes.c_str(),
                      .external_data = &native::ExternalData::Read,
                      .external_data_context = &files->external,
                      .print_after = request.print_after.c_str(),
                      .relaxed_math = request.relaxed_math ? 1 : 0},
          .progress = progress->sink(),
          .pages = {files, &DropPages},
          .aligned = {files, &CopyAligned}};
}

Status WriteTo(void* file, ByteSpan bytes) {
  return static_cast<native::FileWriter*>(file)->Write(bytes);
}

}  // namespace

Result<Program> LoadModel(const Engine& engine, const CompileRequest& request) {
  TERN_TRY_ASSIGN(ProgramFile file, OpenProgram(request.path));
  ProgressReport progress(engine.progress, file.name);
  auto* files = new ModelFiles(std::move(file), request.path);
  const auto release = [](void* context) { delete static_cast<ModelFiles*>(context); };
  TERN_TRY_ASSIGN(tern_program* const program,
                  api::CompileAndLink(engine.runtime.get(), RequestOf(request, files, &progress),
                                      release, files, nullptr));
  return Program(program);
}

Result<uint64_t> CompileModelTo(const Engine& engine, const CompileRequest& request,
                                const std::string& output, std::string* stages) {
  TERN_TRY_ASSIGN(ProgramFile file, OpenProgram(request.path));
  ProgressReport progress(engine.progress, file.name);
  ModelFiles files(std::move(file), request.path);
  TERN_TRY_ASSIGN(native::FileWriter writer, native::FileWriter::Open(output));
  TERN_TRY_ASSIGN(const uint64_t bytes,
                  api::CompileTo(engine.runtime.get(), RequestOf(request, &files, &progress),
                                 {.context = &writer, .write = &WriteTo}, stages));
  TERN_TRY(writer.Finish());
  return bytes;
}

Result<ModelSummary> SummarizeModel(const std::string& path) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(path));
  onnx::Model model;
  TERN_TRY(onnx::ReadModel(file.file->bytes(), &model));
  const onnx::ModelDescription description = onnx::Describe(model);
  JsonWriter json;
  onnx::WriteModelJson(model, description, &json);
  return ModelSummary{onnx::ModelText(model, description), json.Take(),
                      onnx::UnsupportedText(description)};
}

}  // namespace tern::cli
