// SPDX-License-Identifier: Apache-2.0
// `tern lower --emit`: the LLVM IR, machine code or WebAssembly that a loop program becomes.
// lower_loops.cc calls it, and play.cc for the listings that the page shows.
#ifndef TERN_NATIVE_CLI_EMIT_LOOPS_H_
#define TERN_NATIVE_CLI_EMIT_LOOPS_H_

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tern::cli {

struct EmitRequest {
  std::string_view file_name;
  std::string_view text;      // of a .tloop file
  std::string_view form;      // "llvm", "asm", "object", "wasm" or "wat"
  std::string_view strategy;  // empty: what the program says
  std::string_view target;    // of core/loop/targets.def; empty: reference, or wasm32
};

// Text or bytes. "asm" and "object" need LLVM; a target without code of its own is an error.
Result<std::string> EmitLoops(const EmitRequest& request);

// Whether there is the LLVM that listings need.
bool CanListLoops();
// AArch64 listings of a program under each strategy of the page's Lanes view that can be made, as
// the page has them of its own programs (web/scripts/make-listings.mjs):
// [{"text", "listings": {strategy: assembly}}].
std::string ListLoopsForPage(std::string_view file_name, std::string_view text);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_EMIT_LOOPS_H_
