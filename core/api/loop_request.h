// SPDX-License-Identifier: Apache-2.0
// What the entries of loop_api.h share: reports on loop programs and the search for schedules read
// sizes in one notation, and have one limit of steps.
#ifndef TERN_CORE_API_LOOP_REQUEST_H_
#define TERN_CORE_API_LOOP_REQUEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tern::api {

// In steps of the interpreter: as long as a page may have to wait.
inline constexpr int64_t kDefaultLoopSteps = int64_t{1} << 28;

// Reads "n=18,m=4" in the order of the text; an empty text gives none.
Result<std::vector<std::pair<std::string, int64_t>>> ReadSizes(std::string_view text);

}  // namespace tern::api

#endif  // TERN_CORE_API_LOOP_REQUEST_H_
