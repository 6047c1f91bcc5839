// SPDX-License-Identifier: Apache-2.0
// Options and results of compilers as the C interface has them. The entries for models
// (program_api.cc) and for programs (source_api.cc) share these functions.
#ifndef TERN_CORE_API_COMPILATION_H_
#define TERN_CORE_API_COMPILATION_H_

#include "core/api/c_api.h"
#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/driver/compile.h"

namespace tern::api {

// The same options for the driver. The result views the texts of `options`, which must outlive it.
// runtime: may be null. name: what messages call a source that has no name.
driver::CompileOptions CompileOptionsOf(const tern_runtime* runtime,
                                        const tern_compile_options& options, std::string_view name);

// What a compilation may take where the caller asked for so much: of 0 the platform's limit, and 0
// where it has none.
uint64_t CompileBytes(const tern_runtime* runtime, uint64_t asked);

// Bytes of a model's external data, by the caller's function, alive as long as that promises.
Result<ByteSpan> ReadExternal(const tern_compile_options& options, std::string_view location,
                              int64_t offset, int64_t length);

// Stores executable and stages where C asked for them; otherwise the status that says why not.
tern_status* Give(const Result<driver::CompileResult>& compiled, tern_buffer** executable,
                  tern_buffer** stages);

}  // namespace tern::api

#endif  // TERN_CORE_API_COMPILATION_H_
