// SPDX-License-Identifier: Apache-2.0
// The table of fields; docs/tern.proto says the same, and a test compares the two by protoc.
#include "native/proto/tree.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::proto {
namespace {

constexpr FieldKind kUint32 = FieldKind::kUint32, kSint64 = FieldKind::kSint64,
                    kBool = FieldKind::kBool, kFixed64 = FieldKind::kFixed64,
                    kString = FieldKind::kString, kBytes = FieldKind::kBytes,
                    kMessage = FieldKind::kMessage;
constexpr bool kRepeated = true, kOnce = false;

// Numbers are for ever: a file of today must mean the same to every later version.
constexpr FieldSpec kRegisterNameFields[] = {
    {1, "register", kUint32, kOnce},
    {2, "name", kString, kOnce},
};
constexpr MessageSpec kRegisterName{"RegisterName", kRegisterNameFields};

// The words of the bytecode as they are (docs/isa.md).
constexpr FieldSpec kInstructionFields[] = {{1, "word", kFixed64, kRepeated}};
constexpr MessageSpec kInstruction{"Instruction", kInstructionFields};

constexpr FieldSpec kFunctionFields[] = {
    {1, "name", kString, kOnce},
    {2, "signature", kString, kOnce},
    {3, "registers", kUint32, kOnce},
    {4, "register_name", kMessage, kRepeated, &kRegisterName},
    {5, "instruction", kMessage, kRepeated, &kInstruction},
};
constexpr MessageSpec kFunction{"Function", kFunctionFields};

// A message without fields, so that a choice can hold it.
constexpr MessageSpec kNone{"None", {}};
constexpr FieldSpec kShapeFields[] = {{1, "dim", kSint64, kRepeated}};
constexpr MessageSpec kShape{"Shape", kShapeFields};
// Either data or strings, by the type.
constexpr FieldSpec kTensorFields[] = {
    {1, "data_type", kString, kOnce},
    {2, "dim", kSint64, kRepeated},
    {3, "data", kBytes, kOnce},
    {4, "string", kString, kRepeated},
};
constexpr MessageSpec kTensor{"Tensor", kTensorFields};
// One element for all, so that a filled tensor is as small here as in the file.
constexpr FieldSpec kSplatFields[] = {
    {1, "data_type", kString, kOnce},
    {2, "dim", kSint64, kRepeated},
    {3, "element", kBytes, kOnce},
};
constexpr MessageSpec kSplat{"Splat", kSplatFields};
constexpr FieldSpec kTupleFields[] = {{1, "constant", kUint32, kRepeated}};
constexpr MessageSpec kTuple{"Tuple", kTupleFields};

constexpr FieldSpec kConstantFields[] = {
    {1, "none", kMessage, kOnce, &kNone},   {2, "int", kSint64, kOnce},
    {3, "float_bits", kFixed64, kOnce},     {4, "bool", kBool, kOnce},
    {5, "string", kString, kOnce},          {6, "data_type", kString, kOnce},
    {7, "shape", kMessage, kOnce, &kShape}, {8, "tensor", kMessage, kOnce, &kTensor},
    {9, "splat", kMessage, kOnce, &kSplat}, {10, "tuple", kMessage, kOnce, &kTuple},
};
// true: exactly one of the fields, a oneof.
constexpr MessageSpec kConstant{"Constant", kConstantFields, true};

constexpr FieldSpec kKernelFields[] = {
    {1, "name", kString, kOnce},
    {2, "format", kString, kOnce},
    {3, "content", kBytes, kOnce},
};
constexpr MessageSpec kKernel{"Kernel", kKernelFields};

constexpr FieldSpec kMetadataFields[] = {
    {1, "key", kString, kOnce},
    {2, "value", kString, kOnce},
};
constexpr MessageSpec kMetadata{"Metadata", kMetadataFields};

constexpr FieldSpec kDebugFields[] = {
    {1, "instruction", kUint32, kOnce},
    {2, "text", kString, kOnce},
    {3, "line", kUint32, kOnce},
    {4, "column", kUint32, kOnce},
};
constexpr MessageSpec kDebug{"Debug", kDebugFields};

constexpr FieldSpec kProgramFields[] = {
    {1, "function", kMessage, kRepeated, &kFunction},
    {2, "constant", kMessage, kRepeated, &kConstant},
    {3, "primitive", kString, kRepeated},
    {4, "kernel", kMessage, kRepeated, &kKernel},
    {5, "metadata", kMessage, kRepeated, &kMetadata},
    {6, "debug", kMessage, kRepeated, &kDebug},
};

}  // namespace

const MessageSpec kProgramMessage{"Program", kProgramFields};

const FieldSpec* MessageSpec::Find(uint32_t number) const {
  const auto found = std::ranges::find(fields, number, &FieldSpec::number);
  return found == fields.end() ? nullptr : &*found;
}

const FieldSpec* MessageSpec::Find(std::string_view field_name) const {
  const auto found = std::ranges::find(fields, field_name, &FieldSpec::name);
  return found == fields.end() ? nullptr : &*found;
}

std::string Tree::Where(const MessageSpec& message, std::string_view field, size_t offset) const {
  const std::string place = StrCat(message.name, field.empty() ? "" : ".", field);
  // Binary form has no lines.
  if (text.data() == nullptr) return StrCat(place, " at byte ", offset);
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return StrCat(place, " at ", line, ":", offset - begin + 1);
}

}  // namespace tern::proto
