// SPDX-License-Identifier: Apache-2.0
#include "native/cli/model.h"

#include <utility>

#include "core/api/model_compiler.h"
#include "core/onnx/describe.h"
#include "core/onnx/read_model.h"
#include "core/text/diagnostics.h"
#include "native/cli/program_file.h"
#include "native/cli/progress.h"
#include "native/platform/external_data.h"
#include "native/platform/mapped_file.h"
#include "native/platform/model_files.h"

namespace tern::cli {
namespace {

api::ModelRequest RequestOf(const CompileRequest& request, const ProgramFile& file,
                            native::ModelFiles* files, ProgressReport* progress) {
  return {.bytes = files->bytes(),
          .options = {.struct_size = sizeof(tern_compile_options),
                      .source_name = file.name.c_str(),
                      .disabled_passes = request.disabled_passes.c_str(),
                      .external_data = &native::ExternalData::Read,
                      .external_data_context = files->external(),
                      .print_after = request.print_after.c_str(),
                      .relaxed_math = request.relaxed_math ? 1 : 0,
                      .sizes = request.c_sizes(),
                      .max_bytes = 0,
                      .exact_convolutions = request.exact_convolutions ? 1 : 0},
          .progress = progress->sink(),
          .pages = files->pages(),
          .aligned = files->aligned()};
}

// What cannot be read, as the importer says it.
Status AsImported(Status read, const std::string& name) {
  if (read.ok() || read.code() == StatusCode::kOutOfMemory) return read;
  text::Diagnostics findings;
  text::Diagnostic& error = findings.Error("E0401", read.message());
  error.InFile(name);
  for (const std::string& note : read.notes()) error.Note(note);
  return findings.ToStatus(StatusCode::kCorrupt);
}

Status WriteTo(void* file, ByteSpan bytes) {
  return static_cast<native::FileWriter*>(file)->Write(bytes);
}

}  // namespace

std::string_view ForeignKind(ByteSpan bytes) { return onnx::DescribeForeignBytes(bytes); }

Result<Program> LoadModel(const Engine& engine, const CompileRequest& request) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(request.path));
  ProgressReport progress(engine.progress, file.name);
  // Ends with the program, whose constants lie in the mapped file (ModelFiles::Delete), also where
  // compiling fails.
  auto* files = new native::ModelFiles(file.file, request.path);
  TERN_TRY_ASSIGN(
      tern_program* const program,
      api::CompileAndLink(engine.runtime.get(), RequestOf(request, file, files, &progress),
                          &native::ModelFiles::Delete, files, nullptr));
  return Program(program);
}

Result<uint64_t> CompileModelTo(const Engine& engine, const CompileRequest& request,
                                const std::string& output, std::string* stages) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(request.path));
  ProgressReport progress(engine.progress, file.name);
  // On the stack: what is written is whole before this returns.
  native::ModelFiles files(file.file, request.path);
  TERN_TRY_ASSIGN(native::FileWriter writer, native::FileWriter::Open(output));
  TERN_TRY_ASSIGN(const uint64_t bytes,
                  api::CompileTo(engine.runtime.get(), RequestOf(request, file, &files, &progress),
                                 {.context = &writer, .write = &WriteTo}, stages));
  // Until here the file has another name: a compilation that fails leaves no half of one.
  TERN_TRY(writer.Finish());
  return bytes;
}

Result<ModelSummary> SummarizeModel(const std::string& path) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(path));
  onnx::Model model;
  TERN_TRY(AsImported(onnx::ReadModel(file.file->bytes(), &model), file.name));
  // Read and not compiled, so that models which cannot be compiled are described, too.
  const onnx::ModelDescription description = onnx::Describe(model);
  JsonWriter json;
  onnx::WriteModelJson(model, description, &json);
  return ModelSummary{onnx::ModelText(model, description), json.Take(),
                      onnx::UnsupportedText(description)};
}

}  // namespace tern::cli
