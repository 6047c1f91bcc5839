// SPDX-License-Identifier: Apache-2.0
// Chooses the sizes at which a search compares the schedules of a function. The C interface and
// `tern tune` use it.
#ifndef TERN_CORE_LOOP_TUNE_SIZES_H_
#define TERN_CORE_LOOP_TUNE_SIZES_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/loop/stmt.h"

namespace tern::loop::tune {

using NamedSize = std::pair<std::string, int64_t>;

// One per size parameter: what is given for it by name; else n, or where that is negative as much
// as keeps a call in the caches near the processor. Errors (E0005): no size of that name, a
// negative one.
Result<std::vector<int64_t>> ChooseSizes(const LoopFunction& function,
                                         std::span<const NamedSize> given, int64_t n = -1);

}  // namespace tern::loop::tune

#endif  // TERN_CORE_LOOP_TUNE_SIZES_H_
