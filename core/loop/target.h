// SPDX-License-Identifier: Apache-2.0
// Targets of lowering, a table (targets.def): what the vectors of a processor can do. Passes,
// emitters and the search for schedules take one.
#ifndef TERN_CORE_LOOP_TARGET_H_
#define TERN_CORE_LOOP_TARGET_H_

#include <span>
#include <string_view>

#include "core/base/result.h"

namespace tern::loop {

struct Target {
  std::string_view name;
  int vector_bits;
  int lane_bits;
  bool scalable;
  bool predicated;
  bool folds_tails;
  int32_t interleave;
  std::string_view phrase;
};
std::span<const Target> AllTargets();
const Target* FindTarget(std::string_view name);           // null if there is none
Result<const Target*> NamedTarget(std::string_view name);  // else what there is, E0003
const Target& ReferenceTarget();

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_TARGET_H_
