// SPDX-License-Identifier: Apache-2.0
// Elements of arrays from text: lists such as [[1,2],[3,4]], and generators such as random(seed=1).
//
// An array holds what the text says or there is an error: nothing is cut to an integer, wrapped
// around or moved to the end of a range. Only floats are rounded, to the nearest of their dtype.
#ifndef TERN_NATIVE_CLI_ELEMENTS_H_
#define TERN_NATIVE_CLI_ELEMENTS_H_

#include <string_view>

#include "core/base/status.h"
#include "native/cli/array.h"

namespace tern::cli {

Status SetElementText(Array* array, size_t i, std::string_view text);

// All elements, in row-major order: "1,2,3,4", or nested as the shape is. The array is allocated.
Status FillList(std::string_view list, Array* array);

// What FillGenerated knows: zeros, ones, arange, const(3), random(…) (docs/cli.md).
inline constexpr std::string_view kFillers[] = {"zeros", "ones", "arange", "const", "random"};
// *known is false for any other text.
Status FillGenerated(std::string_view generator, Array* array, bool* known);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_ELEMENTS_H_
