// SPDX-License-Identifier: Apache-2.0
// wasm/package/src/generated/layouts.ts and isa.ts: where the fields of the C structs are in a
// WebAssembly module, and the instruction set, as TypeScript constants.
#ifndef TERN_TOOLS_GEN_LAYOUTS_TYPESCRIPT_H_
#define TERN_TOOLS_GEN_LAYOUTS_TYPESCRIPT_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tern::gen {

inline constexpr std::string_view kLayoutsTypeScriptPath = "wasm/package/src/generated/layouts.ts";
inline constexpr std::string_view kIsaTypeScriptPath = "wasm/package/src/generated/isa.ts";

// The headers whose structs the package writes and reads, those before that the later ones use.
inline constexpr std::string_view kLayoutHeaders[] = {"core/abi/abi.h", "core/api/c_api.h",
                                                      "core/api/loop_api.h"};

// `export const kVmOptions = { size: 40, fields: { … } }` of tern_vm_options, and so on, with
// pointers of 32 bits.
Result<std::string> LayoutsTypeScript(const std::vector<std::string_view>& headers);

// `export const kInstructions = { call: { … } }` from core/vm/isa.def.
std::string IsaTypeScript();

}  // namespace tern::gen

#endif  // TERN_TOOLS_GEN_LAYOUTS_TYPESCRIPT_H_
