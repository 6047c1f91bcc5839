// SPDX-License-Identifier: Apache-2.0
// What the compilers of models and of programs share at the C interface.
#ifndef TERN_CORE_API_COMPILATION_H_
#define TERN_CORE_API_COMPILATION_H_

#include "core/api/c_api.h"
#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/driver/compile.h"

namespace tern::api {

// The result views the texts of `options`. runtime: may be null. name: of a source without a name.
driver::CompileOptions CompileOptionsOf(const tern_runtime* runtime,
                                        const tern_compile_options& options, std::string_view name);

// Bytes of a model's external data, by the caller's function, alive as long as that promises.
Result<ByteSpan> ReadExternal(const tern_compile_options& options, std::string_view location,
                              int64_t offset, int64_t length);

// Stores executable and stages where C asked for them; otherwise the status that says why not.
tern_status* Give(const Result<driver::CompileResult>& compiled, tern_buffer** executable,
                  tern_buffer** stages);

}  // namespace tern::api

#endif  // TERN_CORE_API_COMPILATION_H_
