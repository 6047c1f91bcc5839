// SPDX-License-Identifier: Apache-2.0
#include "core/api/compilation.h"

#include "core/api/handles.h"
#include "core/base/strings.h"
#include "core/vm/file/writer.h"

namespace tern::api {

namespace {

// What is not "name=number" binds nothing, so that the plan says no numbers.
std::vector<types::Dim::Binding> SizesOf(const char* text) {
  std::vector<types::Dim::Binding> sizes;
  for (const std::string& item : SplitNames(text)) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    const Result<types::Dim> extent = types::Dim::Parse(std::string_view(item).substr(equals + 1));
    if (extent.ok() && extent->is_constant()) sizes.emplace_back(item.substr(0, equals), *extent);
  }
  return sizes;
}

}  // namespace

uint64_t CompileBytes(const tern_runtime* runtime, uint64_t asked) {
  // Without a number the limit of the runtime's platform holds for compiling too.
  if (asked != 0 || runtime == nullptr || runtime->platform_or_null == nullptr) return asked;
  return runtime->platform.memory_limit;
}

// For CompileOnnx and CompileSource: the options that both share. Strings are copied, because the
// caller's need not outlive the call.
driver::CompileOptions CompileOptionsOf(const tern_runtime* runtime,
                                        const tern_compile_options& options,
                                        std::string_view name) {
  driver::CompileOptions compile;
  compile.source_name = TextOr(options.source_name, name);
  compile.disabled_passes = SplitNames(options.disabled_passes);
  compile.print_after = SplitNames(options.print_after);
  if (options.sizes != nullptr) compile.sizes = SizesOf(options.sizes);
  compile.relaxed_math = options.relaxed_math != 0;
  compile.max_bytes = CompileBytes(runtime, options.max_bytes);
  compile.exact_convolutions = options.exact_convolutions != 0;
  if (runtime != nullptr) {
    compile.kernels = runtime->kernels;
    compile.platform = runtime->platform_or_null;
  }
  return compile;
}

Result<ByteSpan> ReadExternal(const tern_compile_options& options, std::string_view location,
                              int64_t offset, int64_t length) {
  const void* data = nullptr;
  // The greatest number asks for all that there is from `offset` on.
  uint64_t size = length < 0 ? UINT64_MAX : static_cast<uint64_t>(length);
  const int32_t failed =
      options.external_data(options.external_data_context, std::string(location).c_str(),
                            static_cast<uint64_t>(offset), &size, &data);
  switch (failed) {
    case 0: return ByteSpan(static_cast<const uint8_t*>(data), static_cast<size_t>(size));
    case TERN_EXTERNAL_OUTSIDE:
      return InvalidArgument("external data at '", location,
                             "', which a link leads out of the model's own folder");
    case TERN_EXTERNAL_TOO_SHORT:
      return Corrupt("external data at '", location, "': the file ends before byte ", offset,
                     length < 0 ? std::string() : StrCat(" + ", length));
    default: return NotFound("the model's external data '", location, "' cannot be read");
  }
}

// The results of a compilation as buffers, which the caller frees.
tern_status* Give(const Result<driver::CompileResult>& compiled, tern_buffer** executable,
                  tern_buffer** stages) {
  if (!compiled.ok()) return ToHandle(compiled.status().Clone());
  *executable = NewBuffer(vm::SaveExecutable(*compiled->executable));
  if (stages != nullptr) *stages = NewBuffer(driver::StagesJson(compiled->stages));
  return nullptr;
}

}  // namespace tern::api
