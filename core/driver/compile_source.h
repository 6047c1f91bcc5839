// SPDX-License-Identifier: Apache-2.0
// From the text of a program (docs/language.md) to an executable. Apart from compile.h, so that
// only those who call it link the language.
#ifndef TERN_CORE_DRIVER_COMPILE_SOURCE_H_
#define TERN_CORE_DRIVER_COMPILE_SOURCE_H_

#include "core/driver/compile.h"
#include "core/text/diagnostics.h"

namespace tern::driver {

// Errors are diagnostics, all of them at once. warnings, if not null, gets those of a program that
// is right. The first stage is "lower".
Result<CompileResult> CompileSource(std::string_view text, const CompileOptions& options,
                                    text::Diagnostics* warnings = nullptr);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_COMPILE_SOURCE_H_
