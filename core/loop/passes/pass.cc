// SPDX-License-Identifier: Apache-2.0
#include "core/loop/passes/pass.h"

namespace tern::loop {
namespace {

constexpr PassInfo kPasses[] = {
#define TERN_LOOP_PASS(name, Function, phrase) {#name, &Function, phrase},
#include "core/loop/passes/passes.def"
#undef TERN_LOOP_PASS
};

constexpr std::string_view kStrategyNames[] = {"schedule",         "scalar",  "fixed",
                                               "fixed_predicated", "cleanup", "predicated",
                                               "target"};
constexpr Strategy kStrategies[] = {Strategy::kSchedule, Strategy::kScalar,
                                    Strategy::kFixed,    Strategy::kFixedPredicated,
                                    Strategy::kCleanup,  Strategy::kPredicated,
                                    Strategy::kTarget};

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
std::span<const std::string_view> StrategyNames() { return kStrategyNames; }

const Strategy* FindStrategy(std::string_view name) {
  for (const Strategy& strategy : kStrategies) {
    if (StrategyName(strategy) == name) return &strategy;
  }
  return nullptr;
}

}  // namespace tern::loop
