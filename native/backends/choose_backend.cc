// SPDX-License-Identifier: Apache-2.0
// One Chooser per kernel tries the backends in the order of the policy until one can be taken. The
// reasons of those that cannot are kept, because users ask why a kernel is slow.
#include "native/backends/choose_backend.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/loop_kernels/interpreted_kernel.h"
#include "native/backends/compiled_kernel.h"
#include "native/code/choose_code.h"

namespace tern::native {
namespace {

using loop::BoundKernel;
using vm::KernelBackend;

Status RunCompiled(void* self, std::span<void* const> buffers, std::span<const int64_t> slots,
                   RunContext* context) {
  return static_cast<const CompiledKernel*>(self)->Run(buffers, slots, context);
}

class Chooser {
 public:
  explicit Chooser(const BackendSource& source)
      : executable_(*source.executable),
        options_(source.options),
        info_(executable_.functions()[source.function]),
        text_(loop::LoopTextOf(executable_, info_.name)),
        has_operators_(source.has_operators) {}

  Result<KernelBackend> Run() {
    // Operators need no binding, so that text which does not bind is no error.
    if (options_.policy == KernelPolicy::kOperators && has_operators_)
      return TakeOperators("asked for");
    Result<BoundKernel> bound = loop::BindKernel({info_.name, text_, &info_.signature});
    if (!bound.ok()) return TakeLast(bound.status());
    bound_ = std::make_unique<BoundKernel>(*std::move(bound));
    switch (options_.policy) {
      case KernelPolicy::kOperators: return TakeLast(InvalidArgument("there are no operators"));
      case KernelPolicy::kInterpreter: return TakeInterpreter("asked for");
      case KernelPolicy::kCompiled: return TakeCompiled();
      case KernelPolicy::kAuto: return TakeBest();
    }
    return TakeLast(InvalidArgument("there is no such policy"));
  }

 private:
  void AddReason(std::string_view reason) {
    if (!reason.empty()) StrAppend(&reasons_, reasons_.empty() ? "" : "; ", reason);
  }
  // Messages of binding name the kernel, which is known here, so the name is taken off.
  std::string Why(std::string_view last) const {
    const std::string named = StrCat("kernel '", info_.name, "': ");
    if (last.starts_with(named)) last.remove_prefix(named.size());
    return reasons_.empty() ? std::string(last) : StrCat(reasons_, "; ", last);
  }

  Result<KernelBackend> TakeOperators(std::string_view why) {
    KernelBackend backend;
    backend.backend = "operators";
    backend.why = Why(why);
    return backend;
  }

  // Takes what is left: the operators, or a function that says what is wrong when it is called. A
  // kernel without backend must not keep the program from loading.
  Result<KernelBackend> TakeLast(const Status& wrong) {
    if (has_operators_) return TakeOperators(wrong.message());
    KernelBackend backend;
    backend.backend = "none";
    backend.why = Why(wrong.message());
    auto kept = std::make_shared<Status>(
        Failed("the loop kernel '", info_.name, "' has no backend: ", backend.why));
    kept->SetErrorCode("E0321");
    backend.replacement.function =
        Function::FromPacked(info_.name, [kept](AnyArgs) -> Result<Any> { return kept->Clone(); });
    return backend;
  }

  Result<KernelBackend> TakeInterpreter(std::string_view why) {
    Result<FunctionPtr> made = loop::InterpretKernel(*bound_);
    if (!made.ok()) return TakeLast(made.status());
    KernelBackend backend;
    backend.backend = "interpreter";
    backend.why = Why(why);
    backend.replacement.function = *std::move(made);
    return backend;
  }

  // Operators, or where there are none the interpreter.
  Result<KernelBackend> TakeMeanwhile(std::string_view why) {
    return has_operators_ ? TakeOperators(why) : TakeInterpreter(why);
  }

  // Not compiled yet: it counts its work first.
  Result<std::shared_ptr<CompiledKernel>> MakeCompiled() const {
    KernelSource source{info_.name, std::string(text_), info_.signature.ToText(), reasons_};
    auto kernel = std::make_shared<CompiledKernel>(
        std::move(source), has_operators_ ? Meanwhile::kOperators : Meanwhile::kInterpreter);
    if (has_operators_) return kernel;
    TERN_TRY_ASSIGN(auto interpreter, loop::InterpretedKernel::Make(*bound_));
    kernel->set_interpreter(std::move(interpreter));
    return kernel;
  }

  Result<KernelBackend> SetCompiled(const std::shared_ptr<CompiledKernel>& kernel) {
    TERN_TRY_ASSIGN(vm::KernelSpec spec, loop::SpecOf(*bound_));
    vm::KernelCode code;
    code.self = kernel;
    code.status_call = &RunCompiled;
    KernelBackend backend;
    TERN_TRY_ASSIGN(backend.replacement.function,
                    vm::MakeKernelFunction(std::move(spec), std::move(code)));
    // The spec's function owns the kernel, so that the pointer stays valid.
    backend.replacement.context = kernel.get();
    backend.replacement.ready = [](void* context, int64_t elements) -> int32_t {
      return static_cast<CompiledKernel*>(context)->Takes(elements) ? 1 : 0;
    };
    backend.describe = [](void* context, const char** name, const char** why) {
      static_cast<const CompiledKernel*>(context)->Describe(name, why);
    };
    return backend;
  }

  Result<KernelBackend> TakeCompiled() {
    Result<std::shared_ptr<CompiledKernel>> kernel = MakeCompiled();
    const Status made = kernel.ok() ? (*kernel)->Compile() : kernel.status().Clone();
    if (made.ok()) return SetCompiled(*kernel);
    AddReason(made.message());  // objects are compiled, too, where there was an LLVM
    TERN_TRY_ASSIGN(std::optional<KernelBackend> object, TakeObject());
    if (object.has_value()) return *std::move(object);
    return TakeMeanwhile("it is not compiled");
  }

  // Takes code that was compiled ahead; none if there is none that may run here and can.
  Result<std::optional<KernelBackend>> TakeObject() {
    KernelObjects objects{info_.name, text_, {}};
    for (const vm::KernelInfo& kernel : executable_.kernels()) {
      if (kernel.name == info_.name) objects.objects.push_back({kernel.format, kernel.bytes});
    }
    const ChosenCode chosen = ChooseCode(objects, options_.allow_native_code, options_.libraries,
                                         DetectProcessor());
    if (chosen.entry == nullptr) {
      AddReason(chosen.why);
      return std::optional<KernelBackend>();
    }
    vm::KernelCode code;
    // The parallel entry runs alone too, with no workers.
    code.parallel_call = chosen.parallel_entry;
    if (code.parallel_call == nullptr) code.call = chosen.entry;
    code.self = std::const_pointer_cast<void>(chosen.owner);
    TERN_TRY_ASSIGN(vm::KernelSpec spec, loop::SpecOf(*bound_));
    KernelBackend backend;
    TERN_TRY_ASSIGN(backend.replacement.function,
                    vm::MakeKernelFunction(std::move(spec), std::move(code)));
    backend.backend = "object";
    backend.why = Why(chosen.why);
    return std::optional<KernelBackend>(std::move(backend));
  }

  Result<KernelBackend> TakeBest() {
    // An object ahead of the proof: it was compiled from proven loops, and its stamp says from
    // which.
    TERN_TRY_ASSIGN(std::optional<KernelBackend> object, TakeObject());
    if (object.has_value()) return *std::move(object);
    if (!bound_->proof.ok()) return TakeMeanwhile(bound_->proof.message());
    // Opening LLVM takes tens of milliseconds, so only a caller that asks waits for it.
    if (options_.look_for_llvm) {
      const Result<std::string> llvm = LlvmDescription();
      if (!llvm.ok()) return TakeMeanwhile(llvm.status().message());
    }
    Result<std::shared_ptr<CompiledKernel>> kernel = MakeCompiled();
    return kernel.ok() ? SetCompiled(*kernel) : TakeLast(kernel.status());
  }

  const vm::Executable& executable_;
  const KernelOptions& options_;
  const vm::FunctionInfo& info_;
  const std::string_view text_;
  const bool has_operators_;
  std::string reasons_;
  std::unique_ptr<BoundKernel> bound_;
};

}  // namespace

Result<vm::KernelBackend> ChooseBackend(const BackendSource& source) {
  return Chooser(source).Run();
}

}  // namespace tern::native
