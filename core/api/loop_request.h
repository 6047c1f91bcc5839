// SPDX-License-Identifier: Apache-2.0
// What requests of loop_api.h share.
#ifndef TERN_CORE_API_LOOP_REQUEST_H_
#define TERN_CORE_API_LOOP_REQUEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tern::api {

// What the page may have to wait for, in steps of the interpreter.
inline constexpr int64_t kDefaultLoopSteps = int64_t{1} << 28;

// "n=18,m=4"; empty text gives none.
Result<std::vector<std::pair<std::string, int64_t>>> ReadSizes(std::string_view text);

}  // namespace tern::api

#endif  // TERN_CORE_API_LOOP_REQUEST_H_
