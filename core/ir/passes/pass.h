// SPDX-License-Identifier: Apache-2.0
// What passes share: a pass is one free function, module in, module out. It needs a verified module
// with types and leaves one; mistakes of users are reported to the diagnostics. The passes are
// listed in passes.def here and in core/fuse.
#ifndef TERN_CORE_IR_PASSES_PASS_H_
#define TERN_CORE_IR_PASSES_PASS_H_

#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/ir/control.h"
#include "core/ir/module.h"
#include "core/text/diagnostics.h"

namespace tern::ir {

// Runs an operator on constant arguments; lent by the driver, which knows kernels. args may hold
// none.
struct Evaluator {
  void* context = nullptr;
  Result<std::vector<TensorPtr>> (*run)(void* context, const ops::OpInfo& op, const Attrs& attrs,
                                        std::span<const Any> args) = nullptr;
  // The same for a scalar operation; b is a again where there is only one argument.
  Status (*run_scalar)(ScalarOp op, const AnyView& a, const AnyView& b, Any* result) = nullptr;
};

// Which device an operator runs on; 0 is the host's.
struct DeviceRule {
  void* context = nullptr;
  int (*device_of)(void* context, const Call& call) = nullptr;  // null: everything on device 0
};

struct PassContext {
  text::Diagnostics* diagnostics = nullptr;
  Evaluator evaluator;        // without one, only shape arithmetic is folded
  DeviceRule devices;         // for annotate_devices
  bool relaxed_math = false;  // loop programs may round a * b + c once
  // Where constants that passes make come from; null: the default. Where it has no more, weights
  // stay as they are and operators are left to run.
  Allocator* allocator = nullptr;
  // Results larger than this are folded only where they are no larger than twice their arguments.
  int64_t max_folded_bytes = int64_t{1} << 24;
  // What the splats of a module may take when they are written out. An executable may have no more
  // (kMostSplatBytes of core/vm/executable.h, the same number); what is beyond is made by the run.
  int64_t max_splat_bytes = int64_t{1} << 30;
  // Told of constants whose elements were read to make another constant, because of a large model
  // one of the two is enough in memory.
  PageHints pages;
};

using PassFunction = Module (*)(const Module& module, const PassContext& context);

struct PassInfo {
  std::string_view name;
  PassFunction function;
  std::string_view phrase;
};
// Those of this folder, in the order of passes.def.
std::span<const PassInfo> AllPasses();

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_PASS_H_
