// SPDX-License-Identifier: Apache-2.0
// CompiledKernel: a kernel compiled by LLVM for this processor, when it is made or once it has done
// enough work in another way to pay for that.
#ifndef TERN_NATIVE_BACKENDS_COMPILED_KERNEL_H_
#define TERN_NATIVE_BACKENDS_COMPILED_KERNEL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/loop_kernels/interpreted_kernel.h"
#include "native/code/mapped_code.h"
#include "native/jit/llvm_compiler.h"

namespace tern::native {

// The stages of a kernel's way to code, as texts; what is shown is what runs.
struct KernelListing {
  std::string loops, lowered, llvm;
};
// For this processor. Errors: accesses that cannot be shown to be inside (E0517), no LLVM (E0801).
Result<KernelListing> ListKernel(const loop::BoundKernel& kernel);

struct KernelSource {
  std::string name, text, signature;  // of the function
  std::string passed_over;            // why a better backend is not taken; empty: there is none
};

// What calls that the code does not take yet are run by.
enum class Meanwhile : int8_t { kOperators, kInterpreter };

class CompiledKernel {
 public:
  CompiledKernel(KernelSource source, Meanwhile meanwhile);
  // Null where operators do it meanwhile.
  void set_interpreter(std::shared_ptr<const loop::InterpretedKernel> interpreter) {
    interpreter_ = std::move(interpreter);
  }

  // Any thread. Compiles now, if nobody did; what came of it.
  Status Compile();
  // Any thread. Counts the work of a call, compiles where there was enough of it; whether this call
  // is to be run here.
  bool Takes(int64_t elements);
  // context: who lends workers to parallel loops, and what the run may still do.
  Status Run(std::span<void* const> buffers, std::span<const int64_t> slots,
             RunContext* context) const;
  // The backend and why, now. The texts live as long as this.
  void Describe(const char** backend, const char** why) const;

  // Work that costs about as much as compiling one kernel, 20 ms: elements of arguments, where the
  // kernel's operators take about 1 ns each, and the interpreter about 100.
  static constexpr int64_t kOperatorElements = int64_t{1} << 24;
  static constexpr int64_t kInterpreterElements = int64_t{1} << 17;

 private:
  enum class State : uint8_t { kCounting, kReady, kFailed };
  Status CompileLocked();
  Status Load(std::string_view object);
  std::string Why(std::string_view reason) const;

  const KernelSource source_;
  const Meanwhile meanwhile_;
  const int64_t threshold_;
  const std::string waiting_;  // why it is not compiled yet
  std::shared_ptr<const loop::InterpretedKernel> interpreter_;
  std::atomic<int64_t> elements_{0};
  std::atomic<State> state_{State::kCounting};
  std::mutex mutex_;  // of what follows, which is not written once state_ is not kCounting
  std::unique_ptr<MappedCode> code_;       // one of the two
  std::unique_ptr<NativeCode> open_code_;  // calls functions of this process
  vm::KernelCall entry_ = nullptr;
  vm::KernelParallelCall parallel_entry_ = nullptr;  // null where no loop is parallel
  std::string why_;
  Status failure_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_BACKENDS_COMPILED_KERNEL_H_
