// SPDX-License-Identifier: Apache-2.0
// Types of registers: a type is joined over all writers of a register, whatever the order of the
// code, and copies pass it on until nothing changes. So there is one type per register, not one per
// place: less exact than flow analysis, and enough to refuse what no value could satisfy.
#include "core/vm/verify_types.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/sort.h"
#include "core/base/strings.h"
#include "core/vm/encoding.h"

namespace tern::vm {
namespace {

// The kinds that a register may hold, as a set of bits. More bits say less.
using KindSet = uint32_t;
enum KindBit : KindSet {
  kInt = 1,
  kFloat = 2,
  kBool = 4,
  kString = 8,
  kDType = 16,
  kShape = 32,
  kTensor = 64,
  kAdt = 128,
  kClosure = 256,
  kStorage = 512,
  kFunction = 1024,
  kNone = 2048,
  kOther = 4096,  // lists, maps, objects of hosts
};
constexpr KindSet kAnything = 8191;
// In the order of the bits.
constexpr std::string_view kKindNames[] = {"int",      "float",  "bool",  "string",  "dtype",
                                           "shape",    "tensor", "tuple", "closure", "storage",
                                           "function", "none",   "other"};

// What all values of a register agree on.
struct RegisterType {
  KindSet kinds = 0;  // 0: nothing is known to write it
  // Of tensors, where nothing else is possible.
  std::optional<DType> dtype;
  std::optional<std::vector<int64_t>> dims;  // -1: an extent that is not known

  static RegisterType Of(KindSet kinds) {
    RegisterType type;
    type.kinds = kinds;
    return type;
  }
  static RegisterType OfTensor(DType dtype, std::optional<std::vector<int64_t>> dims) {
    RegisterType type;
    type.kinds = kTensor;
    type.dtype = dtype;
    type.dims = std::move(dims);
    return type;
  }
};

// Widens *type by what another writer puts there. True if it became wider. Kinds only gain bits and
// the rest only loses facts, so repeated joins come to an end.
bool Join(const RegisterType& more, RegisterType* type) {
  // An unknown writer says nothing yet; PassOn comes back when it is known.
  if (more.kinds == 0) return false;
  if (type->kinds == 0) {
    *type = more;
    return true;
  }
  const RegisterType before = *type;
  type->kinds |= more.kinds;
  if (type->dtype != more.dtype) type->dtype.reset();
  if (!type->dims.has_value() || !more.dims.has_value() ||
      type->dims->size() != more.dims->size()) {
    type->dims.reset();
  } else {
    for (size_t i = 0; i < more.dims->size(); ++i) {
      // Extents that differ become unknown; ranks that differ lose the whole shape.
      if ((*type->dims)[i] != (*more.dims)[i]) (*type->dims)[i] = -1;
    }
  }
  return type->kinds != before.kinds || type->dtype != before.dtype || type->dims != before.dims;
}

bool AgreeOnDims(const RegisterType& a, const RegisterType& b) {
  if (!a.dims.has_value() || !b.dims.has_value()) return true;
  if (a.dims->size() != b.dims->size()) return false;
  for (size_t i = 0; i < a.dims->size(); ++i) {
    const int64_t x = (*a.dims)[i], y = (*b.dims)[i];
    if (x >= 0 && y >= 0 && x != y) return false;
  }
  return true;
}

// Whether some value is of both types. Kinds decide alone unless both can only be tensors.
bool MayBeOne(const RegisterType& a, const RegisterType& b) {
  if (a.kinds == 0 || b.kinds == 0) return true;
  const KindSet common = a.kinds & b.kinds;
  if (common != kTensor) return common != 0;
  return (!a.dtype.has_value() || !b.dtype.has_value() || a.dtype == b.dtype) && AgreeOnDims(a, b);
}

std::string ToText(const RegisterType& type) {
  if (type.kinds == kTensor && type.dtype.has_value()) {
    std::string out = StrCat(type.dtype->ToString(), type.dims.has_value() ? "[" : "[*");
    for (size_t i = 0; type.dims.has_value() && i < type.dims->size(); ++i) {
      const int64_t extent = (*type.dims)[i];
      StrAppend(&out, i == 0 ? "" : ", ", extent < 0 ? std::string("?") : StrCat(extent));
    }
    return out + "]";
  }
  std::string out;
  for (size_t i = 0; i < std::size(kKindNames); ++i) {
    if ((type.kinds >> i & 1) != 0) StrAppend(&out, out.empty() ? "" : " or ", kKindNames[i]);
  }
  return out;
}

// What a caller may pass where this is declared. It must allow everything that check_arguments.cc
// accepts, since a program that could run must not be refused.
RegisterType Declared(const TypeInfo& type) {
  switch (type.kind) {
    case TypeInfo::Kind::kAny: return RegisterType::Of(kAnything);
    case TypeInfo::Kind::kInt: return RegisterType::Of(kInt);
    case TypeInfo::Kind::kFloat: return RegisterType::Of(kFloat | kInt);
    case TypeInfo::Kind::kBool: return RegisterType::Of(kBool | kInt);
    case TypeInfo::Kind::kString: return RegisterType::Of(kString);
    case TypeInfo::Kind::kDType: return RegisterType::Of(kDType | kString);
    case TypeInfo::Kind::kShape: return RegisterType::Of(kShape | kOther);
    case TypeInfo::Kind::kList: return RegisterType::Of(kOther);
    case TypeInfo::Kind::kClosure: return RegisterType::Of(kClosure);
    case TypeInfo::Kind::kTuple: return RegisterType::Of(kAdt);
    case TypeInfo::Kind::kTensor: break;
  }
  RegisterType tensor = RegisterType::Of(kTensor);
  if (type.has_dtype) tensor.dtype = type.dtype;
  if (!type.has_rank) return tensor;
  tensor.dims.emplace();
  for (const Dimension& dim : type.dims)
    // Symbols and expressions are known at run time only.
    tensor.dims->push_back(dim.kind == Dimension::Kind::kExtent ? dim.value : -1);
  return tensor;
}

RegisterType OfConstant(const Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kNone: return RegisterType::Of(kNone);
    case ConstantKind::kInt: return RegisterType::Of(kInt);
    case ConstantKind::kFloat: return RegisterType::Of(kFloat);
    case ConstantKind::kBool: return RegisterType::Of(kBool);
    case ConstantKind::kString: return RegisterType::Of(kString);
    case ConstantKind::kDType: return RegisterType::Of(kDType);
    case ConstantKind::kShape: return RegisterType::Of(kShape);
    case ConstantKind::kTuple: return RegisterType::Of(kAdt);
    case ConstantKind::kTensor:
    case ConstantKind::kSplat: break;
  }
  const auto* tensor = constant.value.TryCast<Tensor>();
  if (tensor == nullptr) return RegisterType::Of(kTensor);
  const Dims dims = constant.kind == ConstantKind::kSplat ? Dims(constant.dims) : tensor->dims();
  return RegisterType::OfTensor(tensor->dtype(), std::vector<int64_t>(dims.begin(), dims.end()));
}

class TypeVerifier {
 public:
  TypeVerifier(const ExecutableParts& parts, const FunctionInfo& function)
      : parts_(parts), function_(function), types_(function.register_count) {
    // Parameters have one more writer: the caller.
    for (uint32_t i = 0; i < function.arity(); ++i)
      types_[i] = Declared(function.signature.parameters()[i].type);
  }

  FlowError Run() {
    // First all writers, then copies, then checks against what came out.
    ForEach([&](uint32_t) { AddWriter(); });
    PassOn();
    ForEach([&](uint32_t pc) { Check(pc); });
    return std::move(error_);
  }

 private:
  template <typename Visit>
  void ForEach(const Visit& visit) {
    for (uint32_t pc = 0; pc < function_.instruction_count && error_.pc < 0; ++pc) {
      const auto words = parts_.InstructionWords(function_.first_instruction + pc);
      if (DecodeInstruction(words, &current_) == nullptr) visit(pc);
    }
  }
  const Operand& At(size_t i) const { return current_.operands[i]; }
  std::span<const Operand> List() const {
    return std::span(current_.operands).subspan(current_.info->fixed_count());
  }

  // The function of this file that the instruction calls, or null: of closures and primitives
  // nothing is known here.
  const FunctionInfo* Callee() const {
    const Opcode opcode = current_.info->opcode;
    if (opcode != Opcode::kCall && opcode != Opcode::kInvoke && opcode != Opcode::kTailInvoke)
      return nullptr;
    const size_t operand = opcode == Opcode::kTailInvoke ? 0 : 1;
    if (!At(operand).is_function()) return nullptr;
    return &parts_.functions[static_cast<size_t>(At(operand).function_index())];
  }

  RegisterType TypeOf(const Operand& operand) const {
    if (operand.is_register()) return types_[static_cast<size_t>(operand.value)];
    if (operand.is_immediate()) return RegisterType::Of(kInt);
    if (operand.is_constant() && !operand.is_vm())
      return OfConstant(parts_.constants[static_cast<size_t>(operand.value)]);
    return RegisterType::Of(kAnything);
  }

  void AddWriter() {
    const InstructionInfo& info = *current_.info;
    if (info.write < 0 || !At(static_cast<size_t>(info.write)).is_register()) return;
    const auto to = static_cast<size_t>(At(static_cast<size_t>(info.write)).value);
    // Copies are noted, as their source may not be known yet.
    if (info.opcode == Opcode::kMove || info.opcode == Opcode::kPhi) {
      for (const Operand& operand : current_.operands) {
        if (operand.is_register() && static_cast<size_t>(operand.value) != to)
          copies_.push_back({static_cast<size_t>(operand.value), to});
      }
      return;
    }
    Join(Written(), &types_[to]);
  }

  // What the instruction writes, as far as the opcode tells. Anything is always safe.
  RegisterType Written() const {
    switch (current_.info->opcode) {
      case Opcode::kLoadConst: return TypeOf(At(1));
      case Opcode::kLoadConsti: return RegisterType::OfTensor(kI64, std::vector<int64_t>());
      case Opcode::kAllocTensor: return Allocated();
      case Opcode::kAllocTensorReg:
      case Opcode::kReshapeTensor:
      case Opcode::kDeviceCopy: return RegisterType::Of(kTensor);
      case Opcode::kAllocStorage: return RegisterType::Of(kStorage);
      case Opcode::kAllocAdt: return RegisterType::Of(kAdt);
      case Opcode::kAllocClosure: return RegisterType::Of(kClosure);
      case Opcode::kShapeOf: return RegisterType::Of(kShape);
      case Opcode::kGetTag:
      case Opcode::kToInt: return RegisterType::Of(kInt);
      case Opcode::kToFloat: return RegisterType::Of(kFloat);
      case Opcode::kToBool:
      case Opcode::kLt:
      case Opcode::kLe:
      case Opcode::kGt:
      case Opcode::kGe:
      case Opcode::kEq:
      case Opcode::kNe: return RegisterType::Of(kBool);
      case Opcode::kCall:
      case Opcode::kInvoke: {
        const FunctionInfo* callee = Callee();
        return callee != nullptr && callee->signature.has_result()
                   ? Declared(callee->signature.result())
                   : RegisterType::Of(kAnything);
      }
      case Opcode::kRet:
      case Opcode::kGoto:
      case Opcode::kIf:
      case Opcode::kIfEqual:
      case Opcode::kPhi:
      case Opcode::kFatal:
      case Opcode::kMove:
      case Opcode::kKill:
      case Opcode::kInvokePacked:
      case Opcode::kInvokeClosure:
      case Opcode::kTailInvoke:
      case Opcode::kTailInvokeClosure:
      case Opcode::kGetField:
      case Opcode::kAdd:
      case Opcode::kSub:
      case Opcode::kMul:
      case Opcode::kDiv:
      case Opcode::kMod:
      case Opcode::kNeg:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kNot: break;
    }
    return RegisterType::Of(kAnything);
  }

  RegisterType Allocated() const {
    std::vector<int64_t> dims;
    // An extent that is a constant's index is not looked up.
    for (const Operand& extent : List()) dims.push_back(extent.is_immediate() ? extent.value : -1);
    RegisterType tensor = RegisterType::Of(kTensor);
    tensor.dtype = DTypeFromImmediate(At(3).value);
    tensor.dims = std::move(dims);
    return tensor;
  }

  // Passes types along copies until nothing changes. A register is looked at again only when its
  // type became wider, which happens few times, so chains of copies in any order cost what they
  // are long.
  void PassOn() {
    Sort(&copies_, [](const Copy& a, const Copy& b) { return a.from < b.from; });
    std::vector<size_t> changed(types_.size());
    std::iota(changed.begin(), changed.end(), size_t{0});
    while (!changed.empty()) {
      const size_t from = changed.back();
      changed.pop_back();
      for (const Copy& copy : std::ranges::equal_range(copies_, from, {}, &Copy::from)) {
        if (Join(types_[from], &types_[copy.to])) changed.push_back(copy.to);
      }
    }
  }

  // Only phi, returns and calls of known functions say what they expect.
  void Check(uint32_t pc) {
    if (current_.info->opcode == Opcode::kPhi) return CheckPhi(pc);
    if (current_.info->opcode == Opcode::kRet) return CheckResult(pc, TypeOf(At(0)));
    const FunctionInfo* callee = Callee();
    if (callee == nullptr) return;
    const std::span<const Operand> arguments = List();
    const std::span<const ParameterInfo> parameters = callee->signature.parameters();
    for (size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
      const RegisterType got = TypeOf(arguments[i]);
      if (MayBeOne(got, Declared(parameters[i].type))) continue;
      return Fail(pc, StrCat("argument ", callee->signature.ParameterText(i), " of @", callee->name,
                             " is ", ToText(got), ", expected ", parameters[i].type.ToText()));
    }
    // A tail call's result is this function's.
    if (current_.info->opcode == Opcode::kTailInvoke && callee->signature.has_result())
      CheckResult(pc, Declared(callee->signature.result()));
  }

  void CheckPhi(uint32_t pc) {
    const RegisterType a = TypeOf(At(1)), b = TypeOf(At(2));
    if (MayBeOne(a, b)) return;
    Fail(pc, StrCat("registers %", At(1).value, " and %", At(2).value,
                    " hold values of different types: ", ToText(a), " and ", ToText(b)));
  }

  void CheckResult(uint32_t pc, const RegisterType& got) {
    if (!function_.signature.has_result()) return;
    const TypeInfo& declared = function_.signature.result();
    if (MayBeOne(got, Declared(declared))) return;
    Fail(pc, StrCat("@", function_.name, " returns ", ToText(got), ", and declares ",
                    declared.ToText()));
  }

  void Fail(uint32_t pc, std::string_view reason) { error_ = {pc, std::string(reason)}; }

  struct Copy {
    size_t from, to;
  };
  const ExecutableParts& parts_;
  const FunctionInfo& function_;
  std::vector<RegisterType> types_;
  std::vector<Copy> copies_;
  Instruction current_;
  FlowError error_;
};

}  // namespace

// A claim of the compiler, which need not be trusted (verify_types.h).
bool TypesAreProved(const ExecutableParts& parts) {
  return std::any_of(parts.metadata.begin(), parts.metadata.end(), [](const auto& entry) {
    return entry.first == kTypesProved.first && entry.second == kTypesProved.second;
  });
}

FlowError VerifyTypes(const ExecutableParts& parts, const FunctionInfo& function) {
  return TypeVerifier(parts, function).Run();
}

}  // namespace tern::vm
