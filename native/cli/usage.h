// SPDX-License-Identifier: Apache-2.0
// What CLI11 complains of, in the words and the form of Tern's other errors: what is wrong, what
// was expected, what came, what to do.
#ifndef TERN_NATIVE_CLI_USAGE_H_
#define TERN_NATIVE_CLI_USAGE_H_

#include <CLI/CLI.hpp>

#include "core/base/status.h"

namespace tern::cli {

// E0003; `verb` is the one whose options were being read, or the tool itself.
Status ExplainComplaint(const CLI::Error& error, const CLI::App& verb, const CLI::App& tool);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_USAGE_H_
