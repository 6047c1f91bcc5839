// SPDX-License-Identifier: Apache-2.0
// Compiles loop kernels ahead of time into objects that a tern without LLVM loads. `tern compile
// --native-kernels` uses it. Needs LLVM.
#ifndef TERN_NATIVE_CODE_PRECOMPILE_H_
#define TERN_NATIVE_CODE_PRECOMPILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "native/code/object_target.h"

namespace tern::native {

// Names separated by commas: those of object_target.h, and "host" for the best of them that this
// processor runs. Each once, in the table's order. E0804 for any other.
Result<std::vector<const ObjectTarget*>> ParseObjectTargets(std::string_view names);

struct LoopKernel {
  std::string_view name;
  std::string_view text;       // the loop program, which defines a function of that name
  std::string_view signature;  // of the VM function of that name
};

// The object for one target: lowered by the target's strategy, the same bytes each time with the
// same LLVM. It was linked once to see that it will load. Errors: E0801 without LLVM; what is wrong
// with the loop program; what the object would need that it cannot have.
Result<std::string> PrecompileKernel(const LoopKernel& kernel, const ObjectTarget& target);

}  // namespace tern::native

#endif  // TERN_NATIVE_CODE_PRECOMPILE_H_
