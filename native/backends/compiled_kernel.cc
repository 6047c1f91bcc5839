// SPDX-License-Identifier: Apache-2.0
// From a kernel's text to an address: bind, lower for this processor, LLVM IR, code.
#include "native/backends/compiled_kernel.h"

#include <utility>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/text/printer.h"
#include "core/object/run_context.h"
#include "native/code/link_object.h"

namespace tern::native {
namespace {

// In bytes. LLVM takes seconds for more.
constexpr size_t kMaxIr = 1u << 20;

Result<KernelListing> ListFor(const loop::BoundKernel& kernel, const CodeTarget& target) {
  TERN_TRY(kernel.proof.Clone());
  const loop::Target* loops = loop::FindTarget(target.loops);
  TERN_CHECK(loops != nullptr, "a code target has a loop target");
  TERN_TRY_ASSIGN(loop::LoopFunction lowered, loop::LowerKernel(kernel, *loops));
  lowered.name = KernelSymbol(kernel.name);
  KernelListing listing;
  listing.loops = loop::ToText(kernel.loops);
  listing.lowered = loop::ToText(lowered);
  loop::Program program;
  program.functions.push_back(std::move(lowered));
  TERN_TRY_ASSIGN(listing.llvm, loop::LlvmText(program, loop::FlavorOf(*loops)));
  return listing;
}

}  // namespace

Result<KernelListing> ListKernel(const loop::BoundKernel& kernel) {
  TERN_TRY_ASSIGN(const CodeTarget host, HostCodeTarget());
  return ListFor(kernel, host);
}

CompiledKernel::CompiledKernel(KernelSource source, Meanwhile meanwhile)
    : source_(std::move(source)),
      meanwhile_(meanwhile),
      threshold_(meanwhile == Meanwhile::kOperators ? kOperatorElements : kInterpreterElements),
      // The text is made here, because Describe is called from any thread.
      waiting_(Why(StrCat("compiled by LLVM once ", threshold_, " elements went through it"))) {}

std::string CompiledKernel::Why(std::string_view reason) const {
  return StrCat(source_.passed_over, source_.passed_over.empty() ? "" : "; ", reason);
}

Status CompiledKernel::Compile() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return CompileLocked();
}

// mutex_ must be held. Whoever loses the race finds the state set.
Status CompiledKernel::CompileLocked() {
  if (state_.load(std::memory_order_acquire) == State::kFailed) return failure_.Clone();
  if (state_.load(std::memory_order_acquire) == State::kReady) return OkStatus();
  const auto compile = [this]() -> Status {
    // Bound anew: a BoundKernel belongs to one thread at a time.
    TERN_TRY_ASSIGN(const vm::Signature signature, vm::Signature::Parse(source_.signature));
    TERN_TRY_ASSIGN(const loop::BoundKernel bound,
                    loop::BindKernel({source_.name, source_.text, &signature}));
    TERN_TRY_ASSIGN(const CodeTarget host, HostCodeTarget());
    TERN_TRY_ASSIGN(const KernelListing listing, ListFor(bound, host));
    if (listing.llvm.size() > kMaxIr)
      return Unsupported("its LLVM IR has ", listing.llvm.size(), " bytes, at most ", kMaxIr,
                         " are compiled")
          .SetErrorCode("E0516");
    TERN_TRY_ASSIGN(
        const std::string object,
        CompileClosedObject(listing.llvm, host, KernelStamp(source_.text), Effort::kQuick));
    return Load(object);
  };
  failure_ = compile();
  why_ = Why(failure_.ok() ? "compiled for this processor by LLVM" : failure_.message());
  // Release: whoever sees kReady also sees the entry points.
  state_.store(failure_.ok() ? State::kReady : State::kFailed, std::memory_order_release);
  return failure_.Clone();
}

// Loads the code as objects of files are loaded, so that LLVM need not set up a linker of its own.
// LLVM's is needed only where the code calls functions of this process, such as fmod.
Status CompiledKernel::Load(std::string_view object) {
  // The object is made with no-builtins, so that it is closed unless an instruction needs a call.
  Result<std::unique_ptr<MappedCode>> mapped =
      MappedCode::Load({object, source_.name, source_.text});
  if (mapped.ok()) {
    code_ = *std::move(mapped);
    entry_ = code_->entry();
    parallel_entry_ = code_->parallel_entry();
    return OkStatus();
  }
  TERN_TRY_ASSIGN(open_code_, NativeCode::FromObject(object));
  TERN_TRY_ASSIGN(void* address, open_code_->Find(KernelSymbol(source_.name)));
  entry_ = reinterpret_cast<vm::KernelCall>(address);
  const Result<void*> parallel = open_code_->Find(ParallelKernelSymbol(source_.name));
  if (parallel.ok()) parallel_entry_ = reinterpret_cast<vm::KernelParallelCall>(*parallel);
  return OkStatus();
}

// Whether this call is the kernel's and not the operators'. Called for every call, from any thread.
bool CompiledKernel::Takes(int64_t elements) {
  const bool otherwise = meanwhile_ == Meanwhile::kInterpreter;
  const State state = state_.load(std::memory_order_acquire);
  if (state == State::kReady) return true;
  if (state == State::kFailed) return otherwise;
  // Far from overflow: a call that adds so much is the last that is counted.
  const int64_t work = std::min(elements, threshold_);
  // Below the threshold, compiling would cost more than it gains.
  if (elements_.fetch_add(work, std::memory_order_relaxed) + work < threshold_) return otherwise;
  // A thread that finds another compiling goes on without waiting.
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return otherwise;  // another thread is at it
  return CompileLocked().ok() || otherwise;
}

Status CompiledKernel::Run(std::span<void* const> buffers, std::span<const int64_t> slots,
                           RunContext* context) const {
  // acquire pairs with the release in CompileLocked.
  if (state_.load(std::memory_order_acquire) != State::kReady) {
    if (interpreter_ != nullptr) return interpreter_->Run(buffers, slots, context);
    return Failed("it is not compiled").SetErrorCode("E0320");
  }
  const int32_t failed =
      parallel_entry_ != nullptr
          ? CallParallelLoopCode(parallel_entry_, buffers.data(), slots.data(), context->parallel())
          : CallLoopCode(entry_, buffers.data(), slots.data());
  if (failed == 0) return OkStatus();
  return Failed("kernel '", source_.name, "' failed with ", failed).SetErrorCode("E0320");
}

void CompiledKernel::Describe(const char** backend, const char** why) const {
  const State state = state_.load(std::memory_order_acquire);
  *backend = state == State::kReady                ? "compiled"
             : meanwhile_ == Meanwhile::kOperators ? "operators"
                                                   : "interpreter";
  *why = state == State::kCounting ? waiting_.c_str() : why_.c_str();
}

}  // namespace tern::native
