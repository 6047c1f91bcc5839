// SPDX-License-Identifier: Apache-2.0
#include "core/loop_kernels/interpreted_kernel.h"

#include <algorithm>
#include <utility>

#include "core/base/inline_vector.h"
#include "core/loop_kernels/kernel_cost.h"
#include "core/object/run_context.h"

namespace tern::loop {
namespace {

// In operations of the tape, for kernels whose loops are not known to end: some minutes.
constexpr int64_t kMaxUnprovenSteps = int64_t{1} << 32;

}  // namespace

Result<std::shared_ptr<InterpretedKernel>> InterpretedKernel::Make(const BoundKernel& kernel) {
  TERN_TRY_ASSIGN(const LoopFunction lowered, LowerKernel(kernel, ReferenceTarget()));
  TERN_TRY_ASSIGN(Interpreter interpreter, Interpreter::Make(lowered));
  const int64_t steps = kernel.proof.ok() ? INT64_MAX : kMaxUnprovenSteps;
  return std::shared_ptr<InterpretedKernel>(new InterpretedKernel(std::move(interpreter), steps));
}

// The buffers were made by the signature, whose dimensions are the loop function's: they are as
// large as the interpreter computes them to be.
Status InterpretedKernel::Run(std::span<void* const> buffers, std::span<const int64_t> slots,
                              RunContext* context) const {
  InlineVector<BufferArgument, 8> arguments;
  for (void* buffer : buffers) arguments.push_back({buffer, INT64_MAX});
  const size_t sizes = interpreter_.function().sizes.size();
  InlineVector<uint64_t, 4> scalars;
  // Slots hold sizes first, then scalars by their bits.
  for (const int64_t slot : slots.subspan(sizes)) scalars.push_back(static_cast<uint64_t>(slot));
  RunOptions options;
  options.max_steps = std::min(max_steps_, context->work_left());
  options.is_stopped = [](void* run) { return static_cast<RunContext*>(run)->IsStopped(); };
  options.stop_context = context;
  const Result<Counters> counters = interpreter_.Run(
      {.buffers = arguments, .sizes = slots.first(sizes), .scalars = scalars}, options);
  // A stop by the context wins over the interpreter's error, which only follows from it.
  TERN_TRY(context->TakeStop());
  if (!counters.ok()) return counters.status().Clone();
  return context->Charge(counters->steps);
}

Result<vm::KernelSpec> SpecOf(const BoundKernel& kernel) {
  vm::KernelSpec spec;
  spec.name = kernel.name;
  TERN_TRY_ASSIGN(spec.signature, vm::Signature::Parse(kernel.signature));
  spec.results = kernel.results;
  spec.slots = kernel.slots;
  spec.zeroed = kernel.zeroed;
  if (!kernel.proof.ok()) return spec;  // such a kernel is interpreted, which counts and looks
  // The cost is that of the loops before lowering: an upper bound in statements, so that a run with
  // a limit can refuse a call ahead of it.
  spec.cost_self = std::make_shared<const LoopFunction>(kernel.loops);
  spec.cost = [](const void* self, std::span<const int64_t> slots) {
    return MostStatements(*static_cast<const LoopFunction*>(self), slots);
  };
  return spec;
}

Result<FunctionPtr> InterpretKernel(const BoundKernel& kernel) {
  TERN_TRY_ASSIGN(vm::KernelSpec spec, SpecOf(kernel));
  vm::KernelCode code;
  TERN_TRY_ASSIGN(code.self, InterpretedKernel::Make(kernel));
  code.status_call = [](void* self, std::span<void* const> buffers, std::span<const int64_t> slots,
                        RunContext* context) {
    return static_cast<const InterpretedKernel*>(self)->Run(buffers, slots, context);
  };
  return vm::MakeKernelFunction(std::move(spec), std::move(code));
}

// "loop" is the format that every file has; compiled forms stand beside it.
std::string_view LoopTextOf(const vm::Executable& executable, std::string_view name) {
  for (const vm::KernelInfo& kernel : executable.kernels()) {
    if (kernel.name == name && kernel.format == "loop") return kernel.bytes;
  }
  return {};
}

Status InterpretKernels(const vm::Program& program) {
  Status first;
  for (const vm::FunctionInfo& function : program.executable().functions()) {
    const std::string_view text = LoopTextOf(program.executable(), function.name);
    if (text.empty()) continue;
    const Result<BoundKernel> bound = BindKernel({function.name, text, &function.signature});
    // One kernel that does not bind leaves the others interpreted.
    Result<FunctionPtr> made = bound.ok() ? InterpretKernel(*bound) : bound.status().Clone();
    vm::KernelBackend backend;
    backend.backend = "interpreter";
    backend.why = "asked for";
    if (made.ok()) backend.replacement.function = *std::move(made);
    if (made.ok()) TERN_TRY(program.SetKernel(function.name, std::move(backend)));
    if (!made.ok() && first.ok()) first = std::move(made).status();
  }
  return first;
}

}  // namespace tern::loop
