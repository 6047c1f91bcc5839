// SPDX-License-Identifier: Apache-2.0
#include "native/library/native_api.h"

#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/api/handles.h"
#include "core/api/model_compiler.h"
#include "native/platform/external_data.h"
#include "native/platform/mapped_file.h"
#include "native/platform/model_files.h"
#include "native/platform/platform.h"
#include "native/platform/program_kind.h"

struct tern_platform {
  explicit tern_platform(int threads) : platform(threads) {}
  tern::native::Platform platform;
};

namespace tern::native {
namespace {

constexpr int32_t kMostThreads = 1024;

// Starting threads is the only thing here that throws, so that the only `try` is here.
Result<tern_platform*> CreatePlatform(const tern_platform_options& options) {
  if (options.threads < 0 || options.threads > kMostThreads)
    return std::move(InvalidArgument("a platform of ", options.threads, " threads; expected 1 to ",
                                     kMostThreads, ", or 0 for one of each processor")
                         .SetErrorCode("E0003"));
  try {
    return new tern_platform(options.threads);
  } catch (const std::system_error& error) {
    return Failed("the system starts no more threads: ", error.what());
  } catch (const std::bad_alloc&) {
    return OutOfMemory("no memory for the threads of a platform");
  }
}

std::string_view TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// The file stays mapped as long as a tensor of the program points into it.
tern_status* LoadMapped(tern_runtime* runtime, MappedFile file, tern_program** program) {
  auto* kept = new MappedFile(std::move(file));
  const auto release = [](void* context) { delete static_cast<MappedFile*>(context); };
  return tern_program_load(runtime, kept->bytes().data(), kept->bytes().size(), release, kept,
                           program);
}

// The buffer is freed when no tensor of the program points into it any more.
tern_status* LoadBuffer(tern_runtime* runtime, tern_buffer* bytes, tern_program** program) {
  const auto release = [](void* context) { tern_buffer_free(static_cast<tern_buffer*>(context)); };
  return tern_program_load(runtime, tern_buffer_data(bytes), tern_buffer_size(bytes), release,
                           bytes, program);
}

// Compiles a file that is no executable. Text is only read during the call.
tern_status* Compile(tern_runtime* runtime, const char* path, std::string_view text,
                     ProgramKind kind, tern_compile_options options, tern_buffer** executable) {
  // Set here because this function fills the struct itself.
  options.struct_size = sizeof options;
  if (options.source_name == nullptr) options.source_name = path;
  // Found beside the model; lives until the compilation is done, which is when bytes are borrowed.
  ExternalData external{std::string(path)};
  if (options.external_data == nullptr) {
    options.external_data = &ExternalData::Read;
    options.external_data_context = &external;
  }
  switch (kind) {
    case ProgramKind::kAssembly:
      return tern_assemble(runtime, text.data(), text.size(), options.source_name, executable);
    case ProgramKind::kSource:
      return tern_compile_source(runtime, text.data(), text.size(), &options, executable, nullptr);
    case ProgramKind::kExecutable:
    case ProgramKind::kLoops:
    case ProgramKind::kOnnx: break;
  }
  return tern_compile_onnx(runtime, text.data(), text.size(), &options, executable, nullptr);
}

// The caller's own external data lives only as long as the call, so that it is copied.
tern_status* LoadModel(tern_runtime* runtime, const char* path, MappedFile file,
                       tern_compile_options options, tern_program** program) {
  auto* files =
      new ModelFiles(std::make_shared<const MappedFile>(std::move(file)), std::string(path));
  options.struct_size = sizeof options;
  if (options.source_name == nullptr) options.source_name = path;
  options.external_data = &ExternalData::Read;
  options.external_data_context = files->external();
  Result<tern_program*> made = api::CompileAndLink(runtime,
                                                   {.bytes = files->bytes(),
                                                    .options = options,
                                                    .progress = {},
                                                    .pages = files->pages(),
                                                    .aligned = files->aligned()},
                                                   &ModelFiles::Delete, files, nullptr);
  if (!made.ok()) return api::ToHandle(std::move(made).status());
  *program = *made;
  return nullptr;
}

// path is only read during the call.
tern_status* LoadFile(tern_runtime* runtime, const char* path, const tern_compile_options& options,
                      tern_program** program) {
  if (path == nullptr || *path == '\0')
    return api::ToHandle(
        std::move(InvalidArgument("no path of a program was given").SetErrorCode("E0101")));
  Result<MappedFile> file = MappedFile::Open(path);
  if (!file.ok()) return api::ToHandle(std::move(file).status());
  // By its contents only if they are an executable's: the others are known by their names.
  const ProgramKind kind = KindOfFile(path, TextOf(*file));
  if (kind == ProgramKind::kExecutable) return LoadMapped(runtime, *std::move(file), program);
  if (kind == ProgramKind::kLoops) {
    Status status =
        InvalidArgument("'", path, "' is a loop program, which has no functions to run");
    status.SetErrorCode("E0003").AddNote("help: tern_loop_stages and tern_loop_emit take its text");
    return api::ToHandle(std::move(status));
  }
  if (kind == ProgramKind::kOnnx && options.external_data == nullptr)
    return LoadModel(runtime, path, *std::move(file), options, program);
  // The buffer is given to LoadBuffer, which releases it with the program.
  tern_buffer* executable = nullptr;
  if (tern_status* failed = Compile(runtime, path, TextOf(*file), kind, options, &executable))
    return failed;
  return LoadBuffer(runtime, executable, program);
}

}  // namespace
}  // namespace tern::native

tern_status* tern_platform_create(const tern_platform_options* options, tern_platform** platform) {
  TERN_CHECK_OPTIONS(tern_platform_options, options);
  tern::Result<tern_platform*> made = tern::native::CreatePlatform(tern::api::ReadOptions(options));
  if (!made.ok()) return tern::api::ToHandle(std::move(made).status());
  *platform = *made;
  return nullptr;
}

void tern_platform_free(tern_platform* platform) { delete platform; }

const TernPlatform* tern_platform_get(const tern_platform* platform) {
  return platform->platform.get();
}

int32_t tern_platform_threads(const tern_platform* platform) {
  return platform->platform.pool().num_workers();
}

tern_status* tern_program_load_file(tern_runtime* runtime, const char* path,
                                    const tern_compile_options* options, tern_program** program) {
  TERN_CHECK_OPTIONS(tern_compile_options, options);
  return tern::native::LoadFile(runtime, path, tern::api::ReadOptions(options), program);
}

tern_status* tern_buffer_write_file(const tern_buffer* buffer, const char* path) {
  return tern::api::ToHandle(tern::native::WriteFile(std::string(tern::api::TextOr(path, "")),
                                                     std::span<const uint8_t>(buffer->bytes)));
}
