// SPDX-License-Identifier: Apache-2.0
#include "core/loop/passes/pass.h"

#include <iterator>

#include "core/base/unknown_name.h"

namespace tern::loop {
namespace {

// In the order of passes.def.
constexpr PassInfo kPasses[] = {
#define TERN_LOOP_PASS(name, Function, phrase) {#name, &Function, phrase},
#include "core/loop/passes/passes.def"
#undef TERN_LOOP_PASS
};

// In the order of the enumeration.
constexpr std::string_view kStrategyNames[] = {
    "schedule", "scalar", "fixed", "fixed_predicated", "cleanup", "predicated", "target"};
static_assert(std::size(kStrategyNames) == static_cast<size_t>(Strategy::kTarget) + 1);

}  // namespace

std::span<const PassInfo> AllPasses() { return kPasses; }

const PassInfo* FindPass(std::string_view name) {
  for (const PassInfo& pass : kPasses) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

std::string_view StrategyName(Strategy strategy) {
  return kStrategyNames[static_cast<size_t>(strategy)];
}

Result<Strategy> NamedStrategy(std::string_view name) {
  for (size_t i = 0; i < std::size(kStrategyNames); ++i) {
    if (kStrategyNames[i] == name) return static_cast<Strategy>(i);
  }
  return UnknownName("strategy", name, kStrategyNames).SetErrorCode("E0003").Clone();
}

}  // namespace tern::loop
