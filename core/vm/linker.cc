// SPDX-License-Identifier: Apache-2.0
// Linking: names to functions, operands to registers or pool entries, jumps to indices. The
// executable was verified, so decoding cannot fail; what can fail is a missing primitive, or a
// constant that has no memory.
#include "core/vm/linker.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/strings.h"
#include "core/object/containers/closure.h"
#include "core/text/diagnostics.h"
#include "core/vm/builtins/builtins.h"
#include "core/vm/specialize.h"
#include "core/vm/verify_types.h"

namespace tern::vm {
namespace {

constexpr size_t kMaxUsesNamed = 3;

// The instructions that mention a primitive, for messages.
struct Uses {
  std::vector<uint32_t> first;
  size_t count = 0;
  uint32_t last = 0;
};

// Of every primitive. Decodes the whole program, once however many are missing, which is fine once
// linking has failed.
std::vector<Uses> UsesOfPrimitives(const Executable& executable) {
  std::vector<Uses> all(executable.primitives().size());
  Instruction instruction;
  for (uint32_t pc = 0; pc < executable.instruction_count(); ++pc) {
    DecodeInstruction(executable.InstructionWords(pc), &instruction);
    for (const Operand& operand : instruction.operands) {
      if (!operand.is_primitive()) continue;
      Uses& uses = all[static_cast<size_t>(operand.function_index())];
      if (uses.count > 0 && uses.last == pc) continue;
      uses.last = pc;
      if (uses.count++ < kMaxUsesNamed) uses.first.push_back(pc);
    }
  }
  return all;
}

}  // namespace

class Linker {
 public:
  Linker(ExecutablePtr executable, const LinkOptions& options) : options_(options) {
    program_.executable_ = std::move(executable);
  }

  Result<ProgramPtr> Run() {
    // First, because a program with missing primitives need not be decoded.
    TERN_TRY(FindPrimitives());
    const size_t count = executable().instruction_count();
    // One op per instruction, at the same index.
    program_.plain_.resize(count);
    for (const FunctionInfo& function : executable().functions()) {
      for (uint32_t i = 0; i < function.instruction_count; ++i)
        Decode(function.first_instruction + i);
    }
    if (!status_.ok()) return std::move(status_);
    AddEntries();
    TERN_TRY(AddPlaces());
    program_.code_ = Specialize({executable().functions(), program_.entries_, program_.plain_,
                                 program_.lists_, program_.pool_, load_dim_, store_dim_});
    return ProgramPtr(new Program(std::move(program_)));
  }

 private:
  const Executable& executable() const { return *program_.executable_; }

  // Needs all ops: whether parameters are left alone depends on a function's whole code.
  void AddEntries() {
    const bool types_are_proved = TypesAreProved(executable().parts());
    for (const FunctionInfo& function : executable().functions()) {
      program_.entries_.push_back(
          {function.first_instruction, function.register_count, function.arity(),
           LeavesParametersAlone(function, program_.plain_, program_.lists_),
           !types_are_proved && function.signature.has_types(), nullptr,
           ResultCodeOf(function.signature)});
      program_.longest_function_ = std::max(program_.longest_function_, function.instruction_count);
    }
    AddTypeCodes();
  }

  // The verifier has read them before. A place of what is no call is left out.
  Status AddPlaces() {
    TERN_TRY(ReadPlaces(executable().parts(), &program_.places_));
    for (const FunctionPlaces& places : program_.places_) {
      program_.entries_[places.function].places = &places;
      const uint32_t first = executable().functions()[places.function].first_instruction;
      for (size_t i = 0; i < places.calls.size(); ++i)
        AddPlace(&program_.plain_[first + places.calls[i].instruction], i);
    }
    return OkStatus();
  }

  static void AddPlace(DecodedOp* op, size_t place) {
    // Outputs that a call is given are where its results go. A kernel may replace a function.
    const bool is_call = op->handler == Handler::kCall && op->flags >> kOutputsShift == 0;
    if ((is_call || op->handler == Handler::kInvoke) && op->b == kNoValue)
      op->b = static_cast<ValueRef>(place);
  }

  // One array for all functions; entries point into it.
  void AddTypeCodes() {
    const std::span<const FunctionInfo> functions = executable().functions();
    size_t count = 0;
    for (const FunctionInfo& function : functions) count += function.arity();
    program_.codes_.reserve(count);  // the entries point into it
    for (size_t i = 0; i < functions.size(); ++i) {
      const Signature& signature = functions[i].signature;
      if (!program_.entries_[i].checks_types || !HasTypeCodes(signature)) continue;
      program_.entries_[i].codes = program_.codes_.data() + program_.codes_.size();
      for (const ParameterInfo& parameter : signature.parameters())
        program_.codes_.push_back(TypeCodeOf(parameter.type));
    }
  }

  // --- names

  // The caller's own functions come first, so that a host can replace any primitive. Builtins come
  // last and are not in the registry, so that each machine has them without any registration. The
  // registry is asked for a name that it does not have only where its answer, which looks for the
  // nearest of all names, will be read.
  Result<FunctionPtr> Find(const std::string& name, bool explain, bool* is_builtin) const {
    for (const FunctionPtr& function : options_.functions) {
      if (function->name() == name) return function;
    }
    Registry* registry = options_.registry != nullptr ? options_.registry : &Registry::Global();
    // A registered operator that refuses its attributes is an error of its own, not a missing name.
    if (registry->Contains(name)) return registry->Find(name);
    FunctionPtr builtin = options_.find_builtin(name);
    *is_builtin = static_cast<bool>(builtin);
    if (builtin) return builtin;
    return explain ? registry->Find(name) : Result<FunctionPtr>(NotFound(""));
  }

  // Finds all primitives. All that are missing are reported at once, because a user then learns in
  // one run which kernels a build lacks.
  Status FindPrimitives() {
    text::Diagnostics diagnostics;
    std::vector<Uses> uses;
    const auto primitives = executable().primitives();
    for (size_t i = 0; i < primitives.size(); ++i) {
      const bool is_kept = diagnostics.total() < text::Diagnostics::kMaxKept;
      bool is_builtin = false;
      Result<FunctionPtr> found = Find(primitives[i], is_kept, &is_builtin);
      if (found.ok()) {
        // These two have handlers of their own (LoadDim, StoreDim), but only if they really are the
        // builtins: a host's function of that name must be called.
        if (is_builtin && primitives[i] == "vm.builtin.load_dim")
          load_dim_ = static_cast<int32_t>(i);
        if (is_builtin && primitives[i] == "vm.builtin.store_dim")
          store_dim_ = static_cast<int32_t>(i);
        program_.primitives_.push_back(std::move(found).value());
      } else {
        if (uses.empty()) uses = UsesOfPrimitives(executable());
        ReportMissing(primitives[i], uses[i], found.status(), &diagnostics);
      }
    }
    return diagnostics.ToStatus(StatusCode::kNotFound);
  }

  void ReportMissing(const std::string& name, const Uses& uses, const Status& why,
                     text::Diagnostics* diagnostics) const {
    text::Diagnostic& d = diagnostics->Error(
        "E0107", StrCat("primitive '", name, "' cannot be linked: ", why.message()));
    for (const uint32_t use : uses.first) {
      const FunctionInfo& function = executable().FunctionOf(use);
      const uint32_t at = use - function.first_instruction;
      // The first use is the place of the error; further ones are notes.
      if (use == uses.first[0]) d.InFunction(function.name, at);
      d.Note(StrCat("used in @", function.name, " at instruction ", at));
    }
    if (uses.count > kMaxUsesNamed)
      d.Note(StrCat("and ", uses.count - kMaxUsesNamed, " more uses"));
    for (const std::string& note : why.notes()) d.Note(note);
  }

  // --- values

  // Pool entries are never removed, so a ValueRef stays valid.
  ValueRef AddToPool(Any value) {
    program_.pool_.push_back(std::move(value));
    return ~static_cast<ValueRef>(program_.pool_.size() - 1);
  }

  // Equal ints share an entry; there are many of them, and few are different.
  ValueRef IntRef(int64_t value) {
    const auto [found, is_new] = ints_.emplace(value, 0);
    if (is_new) found->second = AddToPool(value);
    return found->second;
  }

  // The cache is made when the first constant is used: small programs have none.
  ValueRef ConstantRef(uint32_t index) {
    if (constant_refs_.empty()) {
      constant_refs_.assign(executable().constants().size(), kNoValue);
      made_.resize(executable().constants().size());
    }
    ValueRef& ref = constant_refs_[index];
    if (ref != kNoValue) return ref;
    // Counted before it is made, so that a file of a few bytes cannot ask for gigabytes.
    CountSplat(executable().constants()[index]);
    // After an error a placeholder keeps decoding simple; the program is never used.
    if (!status_.ok()) return ref = AddToPool(Any());
    Result<Any> value = executable().ConstantValue(index, &made_);
    if (value.ok()) return ref = AddToPool(std::move(value).value());
    if (status_.ok())
      status_ = std::move(value).status().AddNote(StrCat("while loading constant ", index));
    return ref = AddToPool(Any());
  }

  // A tuple's parts that are splats count too, unless they were made before.
  void CountSplat(const Constant& constant) {
    for (uint32_t element : constant.elements) {
      if (made_[element].is_none()) CountSplat(executable().constants()[element]);
    }
    if (constant.kind != ConstantKind::kSplat || !status_.ok()) return;
    splat_bytes_ += constant.SplatBytes();
    if (splat_bytes_ <= options_.max_splat_bytes) return;
    status_ = OutOfMemory("constants of one repeated element take more than ",
                          FormatBytes(options_.max_splat_bytes));
  }

  // A function as a value: a primitive is its Function, a function of the file a closure that
  // captures nothing.
  ValueRef FunctionRef(const Operand& operand) {
    const auto index = static_cast<size_t>(operand.function_index());
    if (operand.is_primitive()) return AddToPool(Any(program_.primitives_[index]));
    return AddToPool(Any(Closure::Make(static_cast<uint32_t>(index), {})));
  }

  // Where the interpreter finds an operand. The role matters for immediates only: one stands for a
  // data type.
  ValueRef ValueOf(const Operand& operand, Role role, DecodedOp* op) {
    if (operand.is_void()) return kNoValue;
    switch (operand.kind) {
      case OperandKind::kConstant: return ConstantRef(static_cast<uint32_t>(operand.value));
      case OperandKind::kFunction: return FunctionRef(operand);
      case OperandKind::kImmediate:
        if (role == Role::kDType) return AddToPool(Any(*DTypeFromImmediate(operand.value)));
        return IntRef(operand.value);
      case OperandKind::kRegister: break;
    }
    if (operand.is_vm()) {
      op->flags |= kPassesVm;
      return kVmValue;
    }
    return static_cast<ValueRef>(operand.value);
  }

  // --- instructions

  void Decode(uint32_t index) {
    DecodeInstruction(executable().InstructionWords(index), &instruction_);
    const InstructionInfo& info = *instruction_.info;
    DecodedOp& op = program_.plain_[index];
    // The position in AllInstructions is the Handler, as both expand isa.def in order.
    op.handler = static_cast<Handler>(&info - AllInstructions().data());
    std::vector<ValueRef> extras;
    int next = 0;
    bool second_jump = false;
    for (size_t i = 0; i < info.fixed_count(); ++i) {
      const Operand& operand = instruction_.operands[i];
      const Role role = info.operands()[i].role;
      if (role == Role::kWrite) {
        op.dst = operand.is_void() ? -1 : static_cast<int32_t>(operand.value);
      } else if (role == Role::kOffset) {
        // Branches use list and count for their targets, since they have no operand list.
        (second_jump ? op.count : op.list) = static_cast<int32_t>(int64_t{index} + operand.value);
        second_jump = true;
      } else {
        const ValueRef value = IsCallee(role) ? Callee(operand, &op) : ValueOf(operand, role, &op);
        if (next == 0)
          op.a = value;
        else if (next == 1)
          op.b = value;
        else
          extras.push_back(value);
        ++next;
      }
    }
    if (!second_jump) AddList(std::move(extras), &op);
  }

  static bool IsCallee(Role role) {
    return role == Role::kCallee || role == Role::kFunction || role == Role::kPrimitive;
  }

  // One Handler per way of calling: a `call` of a function of this file becomes an invoke, an
  // invoke_packed a call.
  int32_t Callee(const Operand& operand, DecodedOp* op) {
    if (operand.is_function() && op->handler == Handler::kCall) op->handler = Handler::kInvoke;
    if (op->handler == Handler::kInvokePacked) op->handler = Handler::kCall;
    return static_cast<int32_t>(operand.function_index());
  }

  void AddList(std::vector<ValueRef> extras, DecodedOp* op) {
    const InstructionInfo& info = *instruction_.info;
    const size_t first = info.fixed_count();
    // At run time outputs are the last values of the list; only their number is needed.
    if (info.opcode == Opcode::kInvokePacked) {
      extras.clear();  // arity and outputs, which the list repeats
      op->b = kNoValue;
      const int64_t outputs = std::min(instruction_.operands[2].value, kMaxOutputs);
      op->flags = static_cast<uint16_t>(outputs << kOutputsShift);
    }
    // alloc_tensor has its extents as literals, so they become one Shape now.
    if (info.opcode == Opcode::kAllocTensor) {
      extras.push_back(ShapeRef(std::span(instruction_.operands).subspan(first)));
    } else {
      for (size_t i = first; i < instruction_.operands.size(); ++i) {
        extras.push_back(
            ValueOf(instruction_.operands[i], info.operands()[info.operand_count - 1u].role, op));
      }
    }
    op->list = static_cast<int32_t>(program_.lists_.size());
    op->count = static_cast<int32_t>(extras.size());
    program_.lists_.insert(program_.lists_.end(), extras.begin(), extras.end());
    // One more for the context, which some functions get in front.
    program_.max_args_ = std::max(program_.max_args_, static_cast<uint32_t>(extras.size() + 1));
  }

  ValueRef ShapeRef(std::span<const Operand> dims) {
    std::vector<int64_t> values;
    for (const Operand& dim : dims) {
      values.push_back(
          dim.is_immediate()
              ? dim.value
              : *executable().constants()[static_cast<size_t>(dim.value)].value.TryCast<int64_t>());
    }
    return AddToPool(Any(Shape::Make(values)));
  }

  const LinkOptions& options_;
  Program program_;
  Status status_;
  Instruction instruction_;
  std::unordered_map<int64_t, ValueRef> ints_;
  std::vector<ValueRef> constant_refs_;
  std::vector<Any> made_;
  uint64_t splat_bytes_ = 0;
  int32_t load_dim_ = -1;  // primitives that have handlers of their own
  int32_t store_dim_ = -1;
};

Result<ProgramPtr> Program::Link(ExecutablePtr executable, const LinkOptions& options) {
  return Linker(std::move(executable), options).Run();
}

// Const, because a program's tables never change; the slot is the one thing behind it that does.
Status Program::SetKernel(std::string_view function, KernelBackend backend) const {
  TERN_TRY_ASSIGN(const uint32_t index, executable().FunctionIndex(function));
  std::vector<FunctionBackend> backends;
  backends.push_back({index, std::move(backend)});
  SetKernels(std::move(backends));
  return OkStatus();
}

void Program::SetKernels(std::vector<FunctionBackend> backends) const {
  if (!backends.empty()) kernels_->Set(*this, std::move(backends));
}

}  // namespace tern::vm
