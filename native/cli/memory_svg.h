// SPDX-License-Identifier: Apache-2.0
// A memory plan as a picture: bindings from left to right, addresses upwards, a box per tensor.
#ifndef TERN_NATIVE_CLI_MEMORY_SVG_H_
#define TERN_NATIVE_CLI_MEMORY_SVG_H_

#include <string>

#include "core/base/json_reader.h"
#include "core/base/result.h"

namespace tern::cli {

// plan: the stage "memory_json" at sizes of all symbols. E0005 where it has symbols without one.
Result<std::string> MemorySvg(const JsonValue& plan);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_MEMORY_SVG_H_
