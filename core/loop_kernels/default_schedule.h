// SPDX-License-Identifier: Apache-2.0
// The schedule of a definition that has none: the innermost loop of each tensor vectorized where
// its accesses are contiguous.
#ifndef TERN_CORE_LOOP_KERNELS_DEFAULT_SCHEDULE_H_
#define TERN_CORE_LOOP_KERNELS_DEFAULT_SCHEDULE_H_

#include <vector>

#include "core/loop/te/te.h"

namespace tern::loop {

std::vector<te::Directive> DefaultSchedule(const te::Definition& definition);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_KERNELS_DEFAULT_SCHEDULE_H_
