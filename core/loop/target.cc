// SPDX-License-Identifier: Apache-2.0
#include "core/loop/target.h"

namespace tern::loop {
namespace {

constexpr Target kTargets[] = {
#define TERN_LOOP_TARGET(name, bits, scalable, predicated, interleave, phrase) \
  {name, bits, scalable, predicated, interleave, phrase},
#include "core/loop/targets.def"
#undef TERN_LOOP_TARGET
};

}  // namespace

std::span<const Target> AllTargets() { return kTargets; }
const Target& ReferenceTarget() { return kTargets[0]; }

const Target* FindTarget(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

}  // namespace tern::loop
