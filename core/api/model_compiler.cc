// SPDX-License-Identifier: Apache-2.0
#include "core/api/model_compiler.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/api/compilation.h"
#include "core/api/handles.h"
#include "core/vm/file/writer.h"
#include "core/vm/linker.h"

namespace tern::api {
namespace {

// Who gave the bytes is told when nothing needs them any more, also where compiling failed.
struct CallersBytes {
  void (*release)(void* context);
  void* context;
};

// What the whole program shares; ends with the last constant that lies in it.
StoragePtr KeepBytes(ByteSpan bytes, void (*release)(void*), void* context) {
  const auto forward = [](void* raw, void*, size_t) {
    const std::unique_ptr<CallersBytes> caller(static_cast<CallersBytes*>(raw));
    if (caller->release != nullptr) caller->release(caller->context);
  };
  return Storage::Wrap(const_cast<uint8_t*>(bytes.data()), bytes.size(), forward,
                       new CallersBytes{release, context});
}

struct ExternalFiles {
  const tern_compile_options* options;
  StoragePtr owner;
};

// A piece of another file lives as long as the model.
Result<ByteSpan> ReadPiece(void* context, std::string_view location, int64_t offset, int64_t length,
                           ObjectPtr<Object>* keeper) {
  const auto& files = *static_cast<const ExternalFiles*>(context);
  TERN_TRY_ASSIGN(const ByteSpan bytes, ReadExternal(*files.options, location, offset, length));
  *keeper = files.owner;
  return bytes;
}

Result<driver::CompileResult> Compile(tern_runtime* runtime, const ModelRequest& request,
                                      const StoragePtr& owner) {
  driver::CompileOptions compile = CompileOptionsOf(runtime, request.options, "model");
  // Constants lie in the model's bytes and are not copied, so the bytes live as long as any of
  // them.
  compile.keeper = owner;
  compile.progress = request.progress;
  compile.pages = request.pages;
  compile.aligned = request.aligned;
  ExternalFiles files{&request.options, owner};
  const onnx::ExternalData external = {&files, &ReadPiece};
  if (request.options.external_data != nullptr) compile.external = &external;
  return driver::CompileOnnx(request.bytes, compile);
}

void GiveStages(const driver::CompileResult& compiled, std::string* stages) {
  if (stages != nullptr) *stages = driver::StagesJson(compiled.stages);
}

// Data of constants is written from where it lies; what was read for that may leave the memory.
class OutputSink : public vm::ByteSink {
 public:
  OutputSink(const ModelRequest& request, const ByteOutput& output)
      : request_(request), output_(output) {}

  Status Begin(uint64_t bytes) override {
    total_ = bytes;
    return OkStatus();
  }
  Status Write(ByteSpan bytes) override {
    // So large that calls cost nothing, so small that progress moves and pages can go.
    constexpr size_t kPiece = size_t{1} << 22;
    while (!bytes.empty()) {
      const ByteSpan piece = bytes.first(std::min(bytes.size(), kPiece));
      TERN_TRY(output_.write(output_.context, piece));
      request_.pages.Done(piece.data(), piece.size());
      written_ += piece.size();
      request_.progress.Report("write",
                               static_cast<double>(written_) / static_cast<double>(total_));
      bytes = bytes.subspan(piece.size());
    }
    return OkStatus();
  }
  uint64_t written() const { return written_; }

 private:
  const ModelRequest& request_;
  const ByteOutput& output_;
  uint64_t total_ = 0;
  uint64_t written_ = 0;
};

}  // namespace

Result<tern_program*> CompileAndLink(tern_runtime* runtime, const ModelRequest& request,
                                     void (*release)(void*), void* context, std::string* stages) {
  const StoragePtr owner = KeepBytes(request.bytes, release, context);
  TERN_TRY_ASSIGN(driver::CompileResult compiled, Compile(runtime, request, owner));
  GiveStages(compiled, stages);
  TERN_TRY_ASSIGN(vm::ProgramPtr program, runtime->Link(std::move(compiled.executable)));
  return new tern_program{runtime, std::move(program)};
}

// The bytes stay the caller's, who waits here until all is written.
Result<uint64_t> CompileTo(tern_runtime* runtime, const ModelRequest& request,
                           const ByteOutput& output, std::string* stages) {
  const StoragePtr owner = KeepBytes(request.bytes, nullptr, nullptr);
  TERN_TRY_ASSIGN(const driver::CompileResult compiled, Compile(runtime, request, owner));
  GiveStages(compiled, stages);
  OutputSink sink(request, output);
  TERN_TRY(vm::WriteExecutable(*compiled.executable, &sink));
  return sink.written();
}

}  // namespace tern::api
