// SPDX-License-Identifier: Apache-2.0
// Look-ups in the tables of an executable, and constants as values. The tables were verified, so
// indices from bytecode need no checks here; those from users are checked.
#include "core/vm/executable.h"

#include <algorithm>
#include <cstring>

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/device.h"
#include "core/object/graph/print.h"
#include "core/vm/file/format.h"
#include "core/vm/file/on_demand.h"
#include "core/vm/verifier.h"

namespace tern::vm {
namespace {

std::string DimsText(Dims dims) { return FormatDims(dims); }

// Makes a whole tensor of its one element. It is read-only, because several users share it.
Result<Any> MaterializeSplat(const Constant& constant) {
  const Tensor& element = *constant.value.TryCast<Tensor>();
  TERN_TRY_ASSIGN(TensorPtr tensor, Tensor::New(element.dtype(), constant.dims));
  auto* out = static_cast<uint8_t*>(tensor->data());
  const ByteSpan bytes = element.bytes();
  const size_t total = tensor->byte_size();
  // The element's size divides the total. A tensor without elements copies nothing.
  for (size_t at = 0; at < total; at += bytes.size())
    std::memcpy(out + at, bytes.data(), bytes.size());
  tensor->set_read_only();
  return Any(tensor);
}

}  // namespace

std::string_view FunctionInfo::RegisterName(uint32_t index) const {
  if (index < arity()) return signature.parameters()[index].name;
  const auto found =
      // Binary search: names are ascending, and the debugger asks for every register it shows.
      std::lower_bound(register_names.begin(), register_names.end(), index,
                       [](const auto& entry, uint32_t i) { return entry.first < i; });
  if (found == register_names.end() || found->first != index) return {};
  return found->second;
}

Result<Constant> Constant::From(AnyView value) {
  Constant constant;
  constant.value = Any(value);
  // Bools and floats are told by their code first, because the casts below also take bools as ints.
  if (value.is_none())
    constant.kind = ConstantKind::kNone;
  else if (value.type_code() == TERN_TYPE_BOOL)
    constant.kind = ConstantKind::kBool;
  else if (value.type_code() == TERN_TYPE_FLOAT)
    constant.kind = ConstantKind::kFloat;
  else if (value.Is<int64_t>())
    constant.kind = ConstantKind::kInt;
  else if (value.Is<std::string_view>())
    constant.kind = ConstantKind::kString;
  else if (value.Is<DType>())
    constant.kind = ConstantKind::kDType;
  else if (value.Is<Shape>())
    constant.kind = ConstantKind::kShape;
  else if (value.Is<Tensor>())
    constant.kind = ConstantKind::kTensor;
  else
    return TypeError("a value of kind ", value.type_name(), " cannot be a constant");
  // A constant must be plain bytes of the host that the writer can store as they are.
  if (constant.kind == ConstantKind::kTensor) {
    TERN_TRY(CheckOnHost(*value.TryCast<Tensor>(), "a constant"));
    TERN_TRY_ASSIGN(TensorPtr contiguous, value.TryCast<Tensor>()->Contiguous());
    constant.value = Any(contiguous);
  }
  return constant;
}

Result<Constant> Constant::Splat(TensorPtr element, Dims dims) {
  if (element->element_count() != 1)
    return InvalidArgument("a splat needs one element, got ", element->TypeText());
  // Elements are copied as whole bytes, and a string has references.
  if (element->dtype().is_string() || element->dtype().bits % 8 != 0) {
    return Unsupported("a splat of ", element->dtype().ToString());
  }
  const std::optional<int64_t> count = ElementCount(dims);
  if (!count.has_value() || !element->dtype().bytes_for(*count).has_value()) {
    return OutOfRange("a splat of shape ", DimsText(dims), " has too many elements");
  }
  Constant constant;
  constant.kind = ConstantKind::kSplat;
  // A scalar, whatever shape the one element had.
  TERN_TRY_ASSIGN(TensorPtr scalar, element->Reshape(Dims()));
  constant.value = Any(scalar);
  constant.dims.assign(dims.begin(), dims.end());
  return constant;
}

uint64_t Constant::SplatBytes() const {
  if (kind != ConstantKind::kSplat) return 0;
  // Splat has seen that both are known.
  return static_cast<uint64_t>(*value.TryCast<Tensor>()->dtype().bytes_for(*ElementCount(dims)));
}

std::string Constant::TypeText() const {
  switch (kind) {
    case ConstantKind::kTensor: return value.TryCast<Tensor>()->TypeText();
    case ConstantKind::kSplat:
      // A splat is shown with its element, since that is all of it.
      return StrCat(value.TryCast<Tensor>()->dtype().ToString(), DimsText(dims), " of ",
                    TensorElementText(*value.TryCast<Tensor>(), 0));
    case ConstantKind::kShape: return StrCat("shape ", value.TryCast<Shape>()->ToString());
    case ConstantKind::kTuple: return StrCat("tuple of ", elements.size());
    case ConstantKind::kDType: return StrCat("dtype ", value.TryCast<DType>()->ToString());
    case ConstantKind::kNone:
    case ConstantKind::kInt:
    case ConstantKind::kFloat:
    case ConstantKind::kBool:
    case ConstantKind::kString: break;
  }
  if (kind == ConstantKind::kNone) return "none";
  return StrCat(value.type_name(), " ", PrintValue(value));
}

Result<ExecutablePtr> Executable::Make(ExecutableParts parts,
                                       std::shared_ptr<OnDemandConstants> on_demand) {
  // Nothing unverified becomes an Executable.
  TERN_TRY(Verify(parts));
  // Seal computes which constants a function can reach; it needs the parts complete.
  if (on_demand != nullptr) on_demand->Seal(parts);
  const std::shared_ptr<Executable> made(new Executable(std::move(parts)));
  made->on_demand_ = std::move(on_demand);
  return ExecutablePtr(made);
}

Status Executable::LoadOnDemand(uint32_t function) const {
  return on_demand_->LoadFor(parts_, function);
}

Status Executable::LoadAllConstants() const {
  return on_demand_ == nullptr ? OkStatus() : on_demand_->LoadAll(parts_);
}

Status Verify(const Executable& executable, const VerifyOptions& options) {
  return Verify(executable.parts(), options);
}

const FunctionInfo* Executable::FindFunction(std::string_view name) const {
  // Linear: programs have few functions, and callers keep the index.
  for (const FunctionInfo& function : parts_.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

Result<uint32_t> Executable::FunctionIndex(std::string_view name) const {
  if (const FunctionInfo* function = FindFunction(name); function != nullptr) {
    return static_cast<uint32_t>(function - parts_.functions.data());
  }
  Status status = NotFound("there is no function @", name, " in this executable");
  status.SetErrorCode("E0206");
  std::vector<std::string> names;
  for (const FunctionInfo& function : parts_.functions) names.push_back(function.name);
  if (const std::string_view near = DidYouMean(name, names); !near.empty()) {
    status.AddNote(StrCat("did you mean @", near, "?"));
  }
  // A message lists a few names only: a model may have hundreds of functions.
  const size_t shown = std::min<size_t>(names.size(), 8);
  std::string list = StrJoin(std::span<const std::string>(names).first(shown), ", @");
  if (shown < names.size()) StrAppend(&list, " and ", names.size() - shown, " more");
  if (!list.empty()) status.AddNote(StrCat("it has @", list));
  return status;
}

std::string_view Executable::FindMetadata(std::string_view key) const {
  for (const auto& [name, value] : parts_.metadata) {
    if (name == key) return value;
  }
  return {};
}

const DebugEntry* Executable::FindDebug(uint32_t instruction) const {
  const auto found =
      std::lower_bound(parts_.debug.begin(), parts_.debug.end(), instruction,
                       [](const DebugEntry& e, uint32_t i) { return e.instruction < i; });
  // An entry belongs to its instruction alone; it does not cover those behind it.
  return found != parts_.debug.end() && found->instruction == instruction ? &*found : nullptr;
}

const FunctionInfo& Executable::FunctionOf(uint32_t instruction) const {
  // The last function that begins at or before the instruction. Functions lie one after the other
  // without gaps.
  const auto next = std::upper_bound(
      parts_.functions.begin(), parts_.functions.end(), instruction,
      [](uint32_t i, const FunctionInfo& function) { return i < function.first_instruction; });
  return *(next - 1);
}

std::span<const uint64_t> ExecutableParts::InstructionWords(size_t instruction) const {
  const size_t begin = instr_offset[instruction];
  // An instruction ends where the next begins; the last ends with the data.
  const size_t end =
      instruction + 1 < instr_offset.size() ? instr_offset[instruction + 1] : instr_data.size();
  return std::span(instr_data).subspan(begin, end - begin);
}

Result<Instruction> Executable::GetInstruction(uint64_t index) const {
  if (index >= parts_.instr_offset.size()) {
    return OutOfRange("instruction ", index, " of an executable that has ",
                      parts_.instr_offset.size());
  }
  Instruction instruction;
  const char* error =
      DecodeInstruction(InstructionWords(static_cast<uint32_t>(index)), &instruction);
  TERN_CHECK(error == nullptr, "verified code decodes");
  return instruction;
}

Result<Any> Executable::ConstantValue(uint32_t index, std::vector<Any>* made) const {
  const Constant& constant = parts_.constants[index];
  // Plain constants share the object in the table.
  if (constant.kind != ConstantKind::kSplat && constant.kind != ConstantKind::kTuple)
    return constant.value;
  std::vector<Any> local;
  // Without a cache of the caller's, parts are shared within this constant only.
  if (made == nullptr) {
    local.resize(parts_.constants.size());
    made = &local;
  }
  Any& kept = (*made)[index];
  // None is no splat and no tuple, so it marks what is not made yet.
  if (!kept.is_none()) return kept;
  if (constant.kind == ConstantKind::kSplat) {
    TERN_TRY_ASSIGN(kept, MaterializeSplat(constant));
    return kept;
  }
  std::vector<Any> fields;
  // Depth is bounded by the verifier, and elements lie before their tuple, so this ends.
  for (uint32_t element : constant.elements) {
    TERN_TRY_ASSIGN(Any field, ConstantValue(element, made));
    fields.push_back(std::move(field));
  }
  const std::vector<AnyView> views(fields.begin(), fields.end());
  kept = Any(Adt::Tuple(views));
  return kept;
}

Status Executable::CheckConstants() const {
  TERN_TRY(LoadAllConstants());
  for (size_t i = 0; i < parts_.constants.size(); ++i) {
    const Constant& constant = parts_.constants[i];
    // Only data that was read from a file has a sum.
    if (!constant.has_content_sum) continue;
    if (ContentSum(constant.value.TryCast<Tensor>()->bytes()) == constant.content_sum) continue;
    return Corrupt("section 'constants': the data of constant ", i, " (", constant.TypeText(),
                   ") does not match its checksum: the file is damaged")
        .SetErrorCode("E0105");
  }
  return OkStatus();
}

uint64_t Executable::constant_bytes() const {
  uint64_t total = 0;
  for (const Constant& constant : parts_.constants) {
    if (constant.kind == ConstantKind::kTensor)
      total += constant.value.TryCast<Tensor>()->byte_size();
    // A splat counts as what it becomes, because machines materialise it.
    if (constant.kind != ConstantKind::kSplat) continue;
    const DType dtype = constant.value.TryCast<Tensor>()->dtype();
    total += static_cast<uint64_t>(*dtype.bytes_for(*ElementCount(constant.dims)));
  }
  return total;
}

}  // namespace tern::vm
