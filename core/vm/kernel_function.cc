// SPDX-License-Identifier: Apache-2.0
// Kernel functions: the spec is checked and made into a plan once (Planner); a call is a walk over
// the plan (KernelRun) that looks up no names.
#include "core/vm/kernel_function.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "core/base/inline_vector.h"
#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/device.h"
#include "core/object/run_context.h"
#include "core/object/tensor.h"
#include "core/vm/dimension.h"

namespace tern::vm {
namespace {

constexpr int64_t kSlotBytes = sizeof(int64_t);

// Where a size is read at a call: an axis of a parameter.
struct SizeSource {
  size_t parameter = 0;
  size_t axis = 0;
};

struct KernelPlan {
  KernelSpec spec;
  KernelCode code;
  std::vector<SizeSource> symbols;        // by symbol of the signature
  std::vector<size_t> size_slots;         // symbols, in the order of the slots
  std::vector<size_t> value_slots;        // parameters, behind them
  std::vector<size_t> buffer_parameters;  // the others
  std::vector<TypeInfo> made;             // results and workspaces
};

// Fills a plan from a spec, which may come from a file. The first mistake is kept; what passes
// cannot fail later, except for sizes.
class Planner {
 public:
  explicit Planner(KernelPlan* plan) : plan_(*plan) {}

  Status Run() {
    TERN_TRY(ReadResult());
    for (size_t i = 0; i < parameters().size(); ++i)
      TERN_TRY(CheckType(parameters()[i].type, signature().ParameterText(i)));
    TERN_TRY(FindSymbols());
    // Slots refer to symbols and parameters, so both are checked before.
    for (const std::string& slot : plan_.spec.slots) TERN_TRY(AddSlot(slot));
    // Parameters that no slot takes by value are buffers, in the order of the signature.
    for (size_t i = 0; i < parameters().size(); ++i) {
      const auto& values = plan_.value_slots;
      if (std::find(values.begin(), values.end(), i) == values.end())
        plan_.buffer_parameters.push_back(i);
    }
    return OkStatus();
  }

 private:
  const Signature& signature() const { return plan_.spec.signature; }
  std::span<const ParameterInfo> parameters() const { return signature().parameters(); }
  template <typename... A>
  Status Wrong(const A&... what) const {
    return InvalidArgument("kernel '", plan_.spec.name, "' ", signature().ToText(), ": ", what...);
  }

  // Results and workspaces are one list; the first `results` of them are returned.
  Status ReadResult() {
    const TypeInfo& result = signature().result();
    if (!signature().has_result()) return Wrong("it has no result");
    if (result.kind == TypeInfo::Kind::kTuple)
      plan_.made = result.elements;
    else
      plan_.made.push_back(result);
    if (plan_.spec.results == 0 || plan_.spec.results > plan_.made.size())
      return Wrong(plan_.spec.results, " results of ", plan_.made.size(), " buffers");
    for (const TypeInfo& type : plan_.made)
      TERN_TRY(CheckType(type, type.name.empty() ? "a result" : type.name));
    return OkStatus();
  }

  // A kernel's code is compiled for an element type and a rank, so both must be declared. Packed
  // and string elements have no address of their own.
  Status CheckType(const TypeInfo& type, std::string_view what) const {
    if (type.kind != TypeInfo::Kind::kTensor || !type.has_dtype || !type.has_rank)
      return Wrong(what, " is ", type.ToText(), ", expected a tensor with element type and rank");
    if (type.dtype.is_string() || type.dtype.bits % 8 != 0)
      return Wrong(what, " has elements of ", type.dtype.ToString(), ", which kernels do not take");
    for (const Dimension& dim : type.dims) {
      // An extent that nobody can know at the call cannot be allocated.
      if (dim.kind == Dimension::Kind::kAny) return Wrong(what, " has a dimension without a name");
    }
    return OkStatus();
  }

  // Each symbol must stand alone as some parameter's extent: an expression such as n + 1 could not
  // always be solved for n.
  Status FindSymbols() {
    std::vector<bool> found(signature().symbols().size());
    plan_.symbols.resize(found.size());
    for (size_t p = 0; p < parameters().size(); ++p) {
      const std::vector<Dimension>& dims = parameters()[p].type.dims;
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis].kind != Dimension::Kind::kSymbol) continue;
        const auto symbol = static_cast<size_t>(dims[axis].value);
        // The first place wins; CheckArguments makes sure that the others agree.
        if (!found[symbol]) plan_.symbols[symbol] = {p, axis};
        found[symbol] = true;
      }
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) return Wrong("no input has the size ", signature().symbols()[i], " alone");
    }
    return OkStatus();
  }

  // Sizes come first, then values: that is the order in which generated code declares them.
  Status AddSlot(const std::string& slot) {
    const auto symbols = signature().symbols();
    const auto symbol = std::find(symbols.begin(), symbols.end(), slot);
    if (symbol != symbols.end()) {
      if (!plan_.value_slots.empty()) return Wrong("the size ", slot, " stands behind values");
      plan_.size_slots.push_back(static_cast<size_t>(symbol - symbols.begin()));
      return OkStatus();
    }
    for (size_t i = 0; i < parameters().size(); ++i) {
      if (parameters()[i].name != slot) continue;
      if (!parameters()[i].type.dims.empty())
        return Wrong("parameter ", slot, " is not of rank 0 and cannot be passed by value");
      if (parameters()[i].type.dtype.bytes_for(1).value_or(INT64_MAX) > kSlotBytes) {
        return Wrong("parameter ", slot, " is of ", parameters()[i].type.dtype.ToString(),
                     ", and a value in a slot has at most 8 bytes");
      }
      plan_.value_slots.push_back(i);
      return OkStatus();
    }
    return Wrong("no shape gives the size ", slot, ", and no parameter has that name");
  }

  KernelPlan& plan_;
};

// One call of a kernel. It owns what the call makes until the results are taken.
class KernelRun {
 public:
  KernelRun(const KernelPlan& plan, RunContext* context, AnyArgs args)
      : plan_(plan), context_(*context), args_(args) {}

  Result<Any> Run() {
    // Kernels trust their buffers, so every shape and type is checked here, at each call.
    TERN_TRY(plan_.spec.signature.CheckArguments(plan_.spec.name, args_));
    TERN_TRY(CheckOnHost(args_, plan_.spec.name));
    TERN_TRY(ReadSizes());
    // Buffers in the order of the code's parameters: inputs, then results and workspaces.
    for (const size_t parameter : plan_.buffer_parameters) TERN_TRY(Lend(TensorAt(parameter)));
    for (const TypeInfo& type : plan_.made) TERN_TRY(Make(type));
    FillSlots();
    TERN_TRY(Call());
    return TakeResults();
  }

 private:
  const Tensor& TensorAt(size_t parameter) const { return *args_[parameter].TryCast<Tensor>(); }

  // A size above 2^31 - 1 could overflow the kernel's index arithmetic (kernel_function.h).
  Status ReadSizes() {
    for (size_t i = 0; i < plan_.symbols.size(); ++i) {
      const SizeSource& from = plan_.symbols[i];
      extents_.push_back(TensorAt(from.parameter).dims()[from.axis]);
      if (extents_.back() <= kMaxKernelExtent) continue;
      return InvalidArgument("kernel '", plan_.spec.name, "': the size ",
                             plan_.spec.signature.symbols()[i], " is ", extents_.back(),
                             ", kernels take at most ", kMaxKernelExtent)
          .SetErrorCode("E0320");
    }
    return OkStatus();
  }

  // Lends the tensor's memory to the code, or that of a contiguous, aligned copy, which lives as
  // long as the call.
  Status Lend(const Tensor& tensor) {
    const auto alignment = static_cast<uintptr_t>(tensor.dtype().size());
    const bool aligned = reinterpret_cast<uintptr_t>(tensor.data()) % alignment == 0;
    if (tensor.is_contiguous() && aligned) {
      buffers_.push_back(tensor.data());
      return OkStatus();
    }
    TERN_TRY_ASSIGN(TensorPtr copy, tensor.Copy(context_.allocator()));
    buffers_.push_back(copy->data());
    keep_.push_back(std::move(copy));
    return OkStatus();
  }

  Status Make(const TypeInfo& type) {
    InlineVector<int64_t, 8> dims;
    for (const Dimension& dim : type.dims) {
      TERN_TRY_ASSIGN(const int64_t extent, ExtentOf(dim, type));
      dims.push_back(extent);
    }
    // NewTensor, so that an invoke_packed with outputs gets its own tensors filled
    // (packed_outputs.h).
    TERN_TRY_ASSIGN(TensorPtr tensor,
                    context_.NewTensor(type.dtype, Dims(dims.data(), dims.size())));
    if (plan_.spec.zeroed) memset(tensor->data(), 0, tensor->byte_size());
    buffers_.push_back(tensor->data());
    made_.push_back(std::move(tensor));
    return OkStatus();
  }

  // The extent of a result: given, read off an input, or computed. Only the last can fail.
  Result<int64_t> ExtentOf(const Dimension& dim, const TypeInfo& type) const {
    if (dim.kind == Dimension::Kind::kExtent) return dim.value;
    if (dim.kind == Dimension::Kind::kSymbol) return extents_[static_cast<size_t>(dim.value)];
    const auto value = EvaluateDimension(dim.text, plan_.spec.signature.symbols(), extents_);
    if (value.has_value() && *value >= 0) return *value;
    return InvalidArgument("kernel '", plan_.spec.name, "': the dimension ", dim.text, " of ",
                           type.NamedText(), value.has_value() ? " is negative" : " has no value",
                           " for these inputs");
  }

  void FillSlots() {
    for (const size_t symbol : plan_.size_slots) slots_.push_back(extents_[symbol]);
    for (const size_t parameter : plan_.value_slots) {
      const Tensor& tensor = TensorAt(parameter);
      // The unused high bits are zero; the code reads the low ones in the parameter's own type.
      int64_t bits = 0;
      memcpy(&bits, tensor.data(), tensor.byte_size());
      slots_.push_back(bits);
    }
  }

  Status Call() {
    const KernelCode& code = plan_.code;
    // Charged ahead, because compiled code cannot stop by itself. The cost is an upper bound on
    // statements.
    if (plan_.spec.cost != nullptr && context_.limits_work()) {
      const int64_t cost = plan_.spec.cost(plan_.spec.cost_self.get(), slots_);
      TERN_TRY(context_.Charge(cost).AddNote(StrCat("in the loop kernel '", plan_.spec.name, "'")));
    }
    // The interpreter of loops says itself what went wrong; compiled code has only a number.
    if (code.status_call != nullptr) {
      return code.status_call(code.self.get(), buffers_, slots_, &context_)
          .AddNote(StrCat("in the loop kernel '", plan_.spec.name, "'"));
    }
    const int32_t failed = CallPlain();
    if (failed == 0) return OkStatus();
    return Failed("kernel '", plan_.spec.name, "' failed with ", failed).SetErrorCode("E0320");
  }

  int32_t CallPlain() {
    const KernelCode& code = plan_.code;
    if (code.call != nullptr) return code.call(buffers_.data(), slots_.data());
    if (code.parallel_call != nullptr)
      return code.parallel_call(buffers_.data(), slots_.data(), context_.parallel());
    return code.self_call(code.self.get(), buffers_.data(), slots_.data());
  }

  // Workspaces stay behind and end with this object.
  Any TakeResults() {
    if (plan_.spec.results == 1) return Any(std::move(made_[0]));
    InlineVector<AnyView, 4> fields;
    for (size_t i = 0; i < plan_.spec.results; ++i) fields.emplace_back(made_[i].get());
    return Any(Adt::Tuple(std::span<const AnyView>(fields.data(), fields.size())));
  }

  const KernelPlan& plan_;
  RunContext& context_;
  AnyArgs args_;
  // As many as kernels usually have, so that a call allocates nothing but its results.
  InlineVector<int64_t, 8> extents_;  // by symbol
  InlineVector<int64_t, 8> slots_;
  InlineVector<void*, 8> buffers_;
  InlineVector<TensorPtr, 2> keep_;
  InlineVector<TensorPtr, 4> made_;
};

}  // namespace

Result<FunctionPtr> MakeKernelFunction(KernelSpec spec, KernelCode code) {
  const int given = (code.call != nullptr) + (code.parallel_call != nullptr) +
                    (code.self_call != nullptr) + (code.status_call != nullptr);
  // Exactly one way to call, or it would depend on the order of tests which one runs.
  if (given != 1) return InvalidArgument("kernel '", spec.name, "': expected one function to call");
  auto plan = std::make_shared<KernelPlan>();
  plan->spec = std::move(spec);
  plan->code = std::move(code);
  TERN_TRY(Planner(plan.get()).Run());
  // The function shares the plan, since it may outlive whoever made it.
  const auto body = [shared = std::shared_ptr<const KernelPlan>(plan)](
                        RunContext& context, AnyArgs args) -> Result<Any> {
    return KernelRun(*shared, &context, args).Run();
  };
  return Function::FromPacked(plan->spec.name, body, plan->spec.signature.ToText());
}

}  // namespace tern::vm
