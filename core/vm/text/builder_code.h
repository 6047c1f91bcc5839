// SPDX-License-Identifier: Apache-2.0
// An executable as source code that rebuilds it, byte for byte, through the builder: in C++ for
// ExecBuilder (builder.h), in JavaScript for the builder of the package tern-runtime. Meant to be
// edited: instructions may be added with any register numbers, since the builder renames them.
#ifndef TERN_CORE_VM_TEXT_BUILDER_CODE_H_
#define TERN_CORE_VM_TEXT_BUILDER_CODE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/vm/executable.h"

namespace tern::vm {

enum class CodeLanguage : uint8_t { kCpp, kJavaScript };

// C++: `tern::Result<tern::vm::ExecutablePtr> NAME()`, with the include it needs. JavaScript:
// `export function NAME(runtime)`, which returns the file's bytes. `name` must be an identifier.
std::string AsBuilderCode(const Executable& executable, CodeLanguage language,
                          std::string_view name = "build");

}  // namespace tern::vm

#endif  // TERN_CORE_VM_TEXT_BUILDER_CODE_H_
