// SPDX-License-Identifier: Apache-2.0
// Kernel functions: code over plain buffers, made callable as a packed function.
//
// A kernel's signature has its parameters as a function of bytecode has them; its result lists what
// the code writes, the results first, then workspaces, which end with the call:
//   (x: f32[n, m]) -> (y: f32[n, m], w: f32[n])       results 1, slots n, m
// Per call: the arguments are checked against it, made contiguous and aligned where they are not,
// the sizes are read off their shapes, results and workspaces come from the machine's allocator.
// The code is trusted to stay inside of them. So that sums of its indices fit into 64 bits, a size
// is at most kMaxKernelExtent.
#ifndef TERN_CORE_VM_KERNEL_FUNCTION_H_
#define TERN_CORE_VM_KERNEL_FUNCTION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/object/function.h"
#include "core/vm/signature.h"

struct TernParallel;  // core/kernels/kernel.h

namespace tern {
class RunContext;
}  // namespace tern

namespace tern::vm {

// buffers: one pointer per parameter, result and workspace; slots: as the spec names them. Returns
// 0, or a number that tells the caller what went wrong. Called from several threads at once.
using KernelCall = int32_t (*)(void* const* buffers, const int64_t* slots);
// The same for code that shares its loops out among workers. parallel: who lends them, or null.
using KernelParallelCall = int32_t (*)(void* const* buffers, const int64_t* slots,
                                       const TernParallel* parallel);
// The same with what it belongs to.
using KernelSelfCall = int32_t (*)(void* self, void* const* buffers, const int64_t* slots);

// The same for code that says itself what went wrong. context: who lends workers, and what the run
// may still do.
using KernelStatusCall = Status (*)(void* self, std::span<void* const> buffers,
                                    std::span<const int64_t> slots, RunContext* context);

struct KernelCode {
  KernelCall call = nullptr;  // one of the four
  KernelParallelCall parallel_call = nullptr;
  KernelSelfCall self_call = nullptr;
  KernelStatusCall status_call = nullptr;
  std::shared_ptr<void> self = {};  // lives as long as the function
};

inline constexpr int64_t kMaxKernelExtent = INT32_MAX;

struct KernelSpec {
  std::string name;
  Signature signature;
  uint32_t results = 1;  // the first so many elements of the result; the others are workspaces
  // Symbols of the signature, in the code's order; then parameters of rank 0 that are passed by
  // value: they are no buffer, their bits are the slot's low ones.
  std::vector<std::string> slots;
  // Results and workspaces are set to zero before: for code that is not known to write all of them.
  bool zeroed = false;
  // How many statements a call runs at most; null: code that stops by itself. Asked where the run
  // has a limit.
  int64_t (*cost)(const void* self, std::span<const int64_t> slots) = nullptr;
  std::shared_ptr<const void> cost_self = {};
};

// Invalid where the spec does not fit together: a slot that no shape gives, a type without a size.
Result<FunctionPtr> MakeKernelFunction(KernelSpec spec, KernelCode code);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_KERNEL_FUNCTION_H_
