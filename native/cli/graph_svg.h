// SPDX-License-Identifier: Apache-2.0
// What flows where in a program, as a picture: a box per instruction, below what it reads.
#ifndef TERN_NATIVE_CLI_GRAPH_SVG_H_
#define TERN_NATIVE_CLI_GRAPH_SVG_H_

#include <string>

#include "core/base/json_reader.h"

namespace tern::cli {

// listing: what tern_program_inspect gives as JSON. Registers are followed in the order of the
// code; where a function branches, that is one of the ways that a run may take.
std::string GraphSvg(const JsonValue& listing);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_GRAPH_SVG_H_
