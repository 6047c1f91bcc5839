// SPDX-License-Identifier: Apache-2.0
// From the text of a kernel that a file holds to a loop function that its program may call.
//
// Binding parses and verifies the text, checks that it fits the function's signature, gives it a
// schedule where it has none, and looks whether every access can be shown to lie inside its buffer.
// Pure: text in, a description out. What compiles or interprets the loops is the caller's.
#ifndef TERN_CORE_LOOP_KERNELS_BIND_H_
#define TERN_CORE_LOOP_KERNELS_BIND_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/loop/passes/pipeline.h"
#include "core/vm/signature.h"

namespace tern::loop {

inline constexpr std::string_view kDoesNotFit = "E0516";
inline constexpr size_t kMaxKernelText = 1u << 18;

struct KernelText {
  std::string_view name;          // of the kernel and its function
  std::string_view text;          // one `te` or `primfn` of that name, not lowered
  const vm::Signature* function;  // of the function
};

// Belongs to one thread at a time, as all loop programs do.
struct BoundKernel {
  // What vm::KernelSpec takes (core/vm/kernel_function.h).
  std::string name;
  std::string signature;
  uint32_t results = 1;
  std::vector<std::string> slots;
  bool zeroed = false;

  LoopFunction loops;  // scheduled, not lowered
  std::shared_ptr<const text::SourceMap> sources;
  // Ok: every access lies inside its buffer and every loop ends, for all inputs. Else what could
  // not be shown (E0517): such a kernel may only be interpreted.
  Status proof;
};

Result<BoundKernel> BindKernel(const KernelText& kernel);

// As it is scheduled, as nearly as the target can; a loop that cannot be vectorized is left scalar.
Result<LoopFunction> LowerKernel(const BoundKernel& kernel, const Target& target);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_KERNELS_BIND_H_
