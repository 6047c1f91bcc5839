// SPDX-License-Identifier: Apache-2.0
// wasm/package/src/generated/abi.ts: the numbers that the C headers give to kinds of values and of
// operands, as TypeScript constants.
#ifndef TERN_TOOLS_GEN_ABI_TYPESCRIPT_H_
#define TERN_TOOLS_GEN_ABI_TYPESCRIPT_H_

#include <string>
#include <string_view>

namespace tern::gen {

inline constexpr std::string_view kAbiTypeScriptPath = "wasm/package/src/generated/abi.ts";

// `export const kTypeSmallUcs4 = -7;` of `TERN_TYPE_SMALL_UCS4 = -7`, for the enumerators with a
// number whose names begin with one of the prefixes of the package, in the order of the headers.
std::string AbiTypeScript(std::string_view abi_header, std::string_view api_header);

}  // namespace tern::gen

#endif  // TERN_TOOLS_GEN_ABI_TYPESCRIPT_H_
