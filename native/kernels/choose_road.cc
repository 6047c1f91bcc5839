// SPDX-License-Identifier: Apache-2.0
// One Chooser per kernel: the roads in the order of the policy until one can be taken, with the
// reasons of those that cannot.
#include "native/kernels/choose_road.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/roads/interpreted_kernel.h"
#include "native/kernels/compiled_kernel.h"
#include "native/objects/choose_object.h"

namespace tern::native {
namespace {

using loop::BoundKernel;
using vm::KernelRoad;

Status RunCompiled(void* self, std::span<void* const> buffers, std::span<const int64_t> slots,
                   RunContext* context) {
  return static_cast<const CompiledKernel*>(self)->Run(buffers, slots, context);
}

class Chooser {
 public:
  explicit Chooser(const RoadSource& source)
      : executable_(*source.executable),
        options_(source.options),
        info_(executable_.functions()[source.function]),
        text_(loop::LoopTextOf(executable_, info_.name)),
        has_operators_(source.has_operators) {}

  Result<KernelRoad> Run() {
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
  // Messages of binding name the kernel, which is known here.
  std::string Why(std::string_view last) const {
    const std::string named = StrCat("kernel '", info_.name, "': ");
    if (last.starts_with(named)) last.remove_prefix(named.size());
    return reasons_.empty() ? std::string(last) : StrCat(reasons_, "; ", last);
  }

  Result<KernelRoad> TakeOperators(std::string_view why) {
    KernelRoad road;
    road.road = "operators";
    road.why = Why(why);
    return road;
  }

  // What is left: the operators, or a function that says what is wrong.
  Result<KernelRoad> TakeLast(const Status& wrong) {
    if (has_operators_) return TakeOperators(wrong.message());
    KernelRoad road;
    road.road = "none";
    road.why = Why(wrong.message());
    auto kept = std::make_shared<Status>(
        Failed("the loop kernel '", info_.name, "' has no road: ", road.why));
    kept->SetErrorCode("E0321");
    road.replacement.function =
        Function::FromPacked(info_.name, [kept](AnyArgs) -> Result<Any> { return kept->Clone(); });
    return road;
  }

  Result<KernelRoad> TakeInterpreter(std::string_view why) {
    Result<FunctionPtr> made = loop::InterpretKernel(*bound_);
    if (!made.ok()) return TakeLast(made.status());
    KernelRoad road;
    road.road = "interpreter";
    road.why = Why(why);
    road.replacement.function = *std::move(made);
    return road;
  }

  // Operators, or where there are none the interpreter.
  Result<KernelRoad> TakeMeanwhile(std::string_view why) {
    return has_operators_ ? TakeOperators(why) : TakeInterpreter(why);
  }

  Result<std::shared_ptr<CompiledKernel>> MakeCompiled() const {
    KernelSource source{info_.name, std::string(text_), info_.signature.ToText(), reasons_};
    auto kernel = std::make_shared<CompiledKernel>(
        std::move(source), has_operators_ ? Meanwhile::kOperators : Meanwhile::kInterpreter);
    if (has_operators_) return kernel;
    TERN_TRY_ASSIGN(auto interpreter, loop::InterpretedKernel::Make(*bound_));
    kernel->set_interpreter(std::move(interpreter));
    return kernel;
  }

  Result<KernelRoad> SetCompiled(const std::shared_ptr<CompiledKernel>& kernel) {
    TERN_TRY_ASSIGN(vm::KernelSpec spec, loop::SpecOf(*bound_));
    vm::KernelCode code;
    code.self = kernel;
    code.status_call = &RunCompiled;
    KernelRoad road;
    TERN_TRY_ASSIGN(road.replacement.function,
                    vm::MakeKernelFunction(std::move(spec), std::move(code)));
    road.replacement.context = kernel.get();
    road.replacement.ready = [](void* context, int64_t elements) -> int32_t {
      return static_cast<CompiledKernel*>(context)->Takes(elements) ? 1 : 0;
    };
    road.describe = [](void* context, const char** name, const char** why) {
      static_cast<const CompiledKernel*>(context)->Describe(name, why);
    };
    return road;
  }

  Result<KernelRoad> TakeCompiled() {
    Result<std::shared_ptr<CompiledKernel>> kernel = MakeCompiled();
    const Status made = kernel.ok() ? (*kernel)->Compile() : kernel.status().Clone();
    if (made.ok()) return SetCompiled(*kernel);
    AddReason(made.message());  // objects are compiled, too, where there was an LLVM
    TERN_TRY_ASSIGN(std::optional<KernelRoad> object, TakeObject());
    if (object.has_value()) return *std::move(object);
    return TakeMeanwhile("it is not compiled");
  }

  // An object of the file's; none where there is none that may run and can.
  Result<std::optional<KernelRoad>> TakeObject() {
    KernelObjects objects{info_.name, text_, {}};
    for (const vm::KernelInfo& kernel : executable_.kernels()) {
      if (kernel.name == info_.name) objects.objects.push_back({kernel.format, kernel.bytes});
    }
    const ChosenObject chosen =
        ChooseObject(objects, options_.allow_native_code, DetectProcessor());
    if (chosen.code == nullptr) {
      AddReason(chosen.why);
      return std::optional<KernelRoad>();
    }
    vm::KernelCode code;
    code.parallel_call = chosen.code->parallel_entry();
    if (code.parallel_call == nullptr) code.call = chosen.code->entry();
    code.self = std::const_pointer_cast<MappedCode>(chosen.code);
    TERN_TRY_ASSIGN(vm::KernelSpec spec, loop::SpecOf(*bound_));
    KernelRoad road;
    TERN_TRY_ASSIGN(road.replacement.function,
                    vm::MakeKernelFunction(std::move(spec), std::move(code)));
    road.road = "object";
    road.why = Why(chosen.why);
    return std::optional<KernelRoad>(std::move(road));
  }

  Result<KernelRoad> TakeBest() {
    TERN_TRY_ASSIGN(std::optional<KernelRoad> object, TakeObject());
    if (object.has_value()) return *std::move(object);
    if (!bound_->proof.ok()) return TakeMeanwhile(bound_->proof.message());
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

Result<vm::KernelRoad> ChooseRoad(const RoadSource& source) { return Chooser(source).Run(); }

}  // namespace tern::native
