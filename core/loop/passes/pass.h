// SPDX-License-Identifier: Apache-2.0
// What loop passes share: a pass is one free function, function in, function out. It needs a
// verified function and leaves one; mistakes of users are reported to the diagnostics. passes.def
// lists the passes.
#ifndef TERN_CORE_LOOP_PASSES_PASS_H_
#define TERN_CORE_LOOP_PASSES_PASS_H_

#include <span>
#include <string_view>

#include "core/loop/stmt.h"
#include "core/loop/target.h"
#include "core/text/diagnostics.h"

namespace tern::loop {

inline constexpr std::string_view kCannotVectorize = "E0512";
inline constexpr std::string_view kTargetLacks = "E0513";

// What becomes of loops marked vectorized.
enum class Strategy : int8_t {
  kSchedule,  // what their kind says: vectorized is kFixed, vectorize_scalable is kPredicated
  kScalar,    // left as they are, one element at a time
  kFixed,     // vectors of known length, then an epilogue of scalars
  kFixedPredicated,  // vectors of known length, the last one masked
  kCleanup,          // vectors of the machine's length, then scalars
  kPredicated,       // vectors of the machine's length, each under whilelt
  kTarget,           // kSchedule as nearly as the target can
};
std::string_view StrategyName(Strategy strategy);     // "schedule", "scalar", "fixed", …
Result<Strategy> NamedStrategy(std::string_view name);  // else what there is, E0003

struct PassContext {
  text::Diagnostics* diagnostics = nullptr;
  const Target* target = &ReferenceTarget();
  Strategy strategy = Strategy::kSchedule;
  int32_t interleave = 1;  // of small vectorized loops that do not say
};

using PassFunction = LoopFunction (*)(const LoopFunction& function, const PassContext& context);

struct PassInfo {
  std::string_view name;
  PassFunction function;
  std::string_view phrase;
};
std::span<const PassInfo> AllPasses();
const PassInfo* FindPass(std::string_view name);  // null if there is none

#define TERN_LOOP_PASS(name, Function, phrase) \
  LoopFunction Function(const LoopFunction& function, const PassContext& context);
#include "core/loop/passes/passes.def"
#undef TERN_LOOP_PASS

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_PASSES_PASS_H_
