// SPDX-License-Identifier: Apache-2.0
#include "core/fuse/passes.h"

#include "core/fuse/fuse_ops.h"
#include "core/fuse/lower_groups.h"

namespace tern::fuse {
namespace {
constexpr ir::PassInfo kPasses[] = {
#define TERN_IR_PASS(file, Function, phrase) {#file, &Function, phrase},
#include "core/fuse/passes.def"
#undef TERN_IR_PASS
};
}  // namespace

std::span<const ir::PassInfo> AllPasses() { return kPasses; }

}  // namespace tern::fuse
