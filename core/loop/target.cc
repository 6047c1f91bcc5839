// SPDX-License-Identifier: Apache-2.0
#include "core/loop/target.h"

#include <vector>

#include "core/base/unknown_name.h"

namespace tern::loop {
namespace {

constexpr Target kTargets[] = {
#define TERN_LOOP_TARGET(name, bits, lane, scalable, predicated, folds_tails, interleave, phrase) \
  {name, bits, lane, scalable, predicated, folds_tails, interleave, phrase},
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

Result<const Target*> NamedTarget(std::string_view name) {
  if (const Target* target = FindTarget(name)) return target;
  std::vector<std::string_view> names;
  for (const Target& target : kTargets) names.push_back(target.name);
  return UnknownName("loop target", name, names).SetErrorCode("E0003").Clone();
}

}  // namespace tern::loop
