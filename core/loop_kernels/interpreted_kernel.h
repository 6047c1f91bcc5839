// SPDX-License-Identifier: Apache-2.0
// The backend that every build has: a bound kernel run by the reference interpreter, which checks
// each access. Slow; what other backends are compared with, and the only one for kernels whose
// accesses cannot be shown to stay in bounds.
#ifndef TERN_CORE_LOOP_KERNELS_INTERPRETED_KERNEL_H_
#define TERN_CORE_LOOP_KERNELS_INTERPRETED_KERNEL_H_

#include <memory>

#include "core/loop/run/interpreter.h"
#include "core/loop_kernels/bind.h"
#include "core/vm/kernel_function.h"
#include "core/vm/linker.h"

namespace tern::loop {

// Immutable once it is made; Run may be called from several threads at once.
class InterpretedKernel {
 public:
  static Result<std::shared_ptr<InterpretedKernel>> Make(const BoundKernel& kernel);
  // What vm::KernelStatusCall is.
  Status Run(std::span<void* const> buffers, std::span<const int64_t> slots,
             RunContext* context) const;

 private:
  InterpretedKernel(Interpreter interpreter, int64_t max_steps)
      : interpreter_(std::move(interpreter)), max_steps_(max_steps) {}
  Interpreter interpreter_;
  int64_t max_steps_;
};

// name, signature and so on of the kernel, for vm::MakeKernelFunction.
Result<vm::KernelSpec> SpecOf(const BoundKernel& kernel);

// The kernel as a function.
Result<FunctionPtr> InterpretKernel(const BoundKernel& kernel);

// The loop text that the executable has for a function; empty where there is none.
std::string_view LoopTextOf(const vm::Executable& executable, std::string_view name);

// Gives every kernel of the program this backend. Kernels that do not bind keep what they had; the
// first error is the result.
Status InterpretKernels(const vm::Program& program);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_KERNELS_INTERPRETED_KERNEL_H_
