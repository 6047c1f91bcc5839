// SPDX-License-Identifier: Apache-2.0
// How much a call of a loop function does, known before it starts: compiled loops cannot be
// stopped, so a run with a limit must know that they end in time.
#ifndef TERN_CORE_LOOP_KERNELS_KERNEL_COST_H_
#define TERN_CORE_LOOP_KERNELS_KERNEL_COST_H_

#include <cstdint>
#include <span>

#include "core/loop/stmt.h"

namespace tern::loop {

// The most statements that the function runs, by the ranges of its loops: of what it reads from
// memory only the type is known. slots: sizes, then the bits of scalars. INT64_MAX where there is
// no bound. function: not lowered.
int64_t MostStatements(const LoopFunction& function, std::span<const int64_t> slots);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_KERNELS_KERNEL_COST_H_
