// SPDX-License-Identifier: Apache-2.0
// Types of parameters and results as metadata, and those of results read back.
#include "core/driver/result_types.h"

#include <algorithm>

#include "core/base/strings.h"

namespace tern::driver {
namespace {

using types::DataType;
using types::Type;
using types::TypeKind;

constexpr std::string_view kTypeKey = "type ", kResultKey = "result ", kParameterKey = "parameter ";
// Limits for damaged files. A type of the language is far smaller, but one that refers to itself
// may grow with each part that is asked for.
constexpr size_t kMostTypes = 256;
constexpr int kMostParts = 64;

// The types that a type is made of.
std::vector<Type> PartsOf(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kTuple: return {type.elements().begin(), type.elements().end()};
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kData: return {type.arguments().begin(), type.arguments().end()};
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kTensor:
    case TypeKind::kFunction:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString:
    case TypeKind::kVariable: break;
  }
  return {};
}

bool HasData(const Type& type) {
  const std::vector<Type> parts = PartsOf(type);
  return type.is_data() || std::any_of(parts.begin(), parts.end(), HasData);
}

void KeepDataTypes(const Type& type, ir::Module* module);

// Each data type once, and those of its fields: they may refer to each other.
void KeepDataType(std::string_view name, ir::Module* module) {
  const std::string key = StrCat(kTypeKey, name);
  for (const auto& entry : module->metadata()) {
    if (entry.first == key) return;
  }
  const ir::DataTypePtr data = module->FindDataType(name);
  if (data == nullptr) return;
  module->SetMetadata(key, data->ToText());
  for (const DataType::Constructor& constructor : data->constructors) {
    for (const Type& field : constructor.fields) KeepDataTypes(field, module);
  }
}

void KeepDataTypes(const Type& type, ir::Module* module) {
  if (type.is_data()) KeepDataType(type.name(), module);
  for (const Type& part : PartsOf(type)) KeepDataTypes(part, module);
}

// Whether values of the type can be written down: functions cannot, and of what has type variables
// the value says more than the type.
bool IsWritable(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kFunction:
    case TypeKind::kVariable: return false;
    case TypeKind::kTensor:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString: return true;
    case TypeKind::kTuple:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kData: break;
  }
  const std::vector<Type> parts = PartsOf(type);
  return std::all_of(parts.begin(), parts.end(), IsWritable);
}

Type WithoutSymbols(const Type& type) {
  std::vector<std::string> symbols;
  type.CollectSymbols(&symbols);
  std::vector<types::Dim::Binding> any;
  for (const std::string& symbol : symbols) any.emplace_back(symbol, types::Dim::Any());
  return type.Substitute(any);
}

// Whether the type is made of at most *left parts; counts them down.
bool IsSmall(const Type& type, int* left) {
  if (--*left < 0) return false;
  const std::vector<Type> parts = PartsOf(type);
  return std::all_of(parts.begin(), parts.end(),
                     [left](const Type& part) { return IsSmall(part, left); });
}

}  // namespace

// Only results with data types need it: printing knows the others by their values.
void KeepResultType(std::string_view function, const Type& result, ir::Module* module) {
  if (!HasData(result)) return;
  module->SetMetadata(StrCat(kResultKey, function), result.ToText());
  KeepDataTypes(result, module);
}

void KeepParameterTypes(std::string_view function, std::span<const Type> parameters,
                        ir::Module* module) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Type& type = parameters[i];
    // Of tensors and scalars the signature says all.
    if (type.is_tensor() || type.is_scalar() || !IsWritable(type)) continue;
    module->SetMetadata(StrCat(kParameterKey, function, " ", i), WithoutSymbols(type).ToText());
    KeepDataTypes(type, module);
  }
}

ResultTypes::ResultTypes(const vm::Executable& executable, std::string_view function) {
  const std::string_view text = executable.FindMetadata(StrCat(kResultKey, function));
  if (text.empty()) return;
  const tern::Result<Type> result = Type::Parse(text);
  // A file without types prints as before, without names.
  if (!result.ok()) return;
  for (const auto& [key, value] : executable.metadata()) {
    if (!key.starts_with(kTypeKey)) continue;
    tern::Result<DataType> data = DataType::Parse(value);
    if (data.ok()) data_.push_back(*std::move(data));
  }
  Number(*result);
}

uint32_t ResultTypes::TypeOf(int32_t index) const {
  if (types_.empty()) return 0;
  return index < 0 ? 1 : Part(1, 0, static_cast<size_t>(index));
}

const DataType* ResultTypes::FindData(const Type& type, int32_t tag) const {
  for (const DataType& data : data_) {
    const bool fits = data.name == type.name() && tag >= 0 &&
                      static_cast<size_t>(tag) < data.constructors.size() &&
                      data.parameters.size() == type.arguments().size();
    if (fits) return &data;
  }
  return nullptr;
}

// Numbers are made on demand and start at 1; 0 says that nothing is known.
uint32_t ResultTypes::Number(const Type& type) const {
  int parts = kMostParts;
  if (!IsSmall(type, &parts)) return 0;
  const auto found = std::find(types_.begin(), types_.end(), type);
  if (found != types_.end()) return static_cast<uint32_t>(found - types_.begin()) + 1;
  if (types_.size() == kMostTypes) return 0;
  types_.push_back(type);
  return static_cast<uint32_t>(types_.size());
}

std::string_view ResultTypes::Constructor(uint32_t type, int32_t tag) const {
  const Type& it = types_[type - 1];
  const DataType* data = it.is_data() ? FindData(it, tag) : nullptr;
  return data == nullptr ? std::string_view()
                         : std::string_view(data->constructors[static_cast<size_t>(tag)].name);
}

uint32_t ResultTypes::Part(uint32_t type, int32_t tag, size_t index) const {
  const Type it = types_[type - 1];  // a copy: numbering the part may move the list
  if (it.is_data()) {
    const DataType* data = FindData(it, tag);
    if (data == nullptr) return 0;
    const std::vector<Type> fields = data->FieldsOf(tag, it.arguments());
    return index < fields.size() ? Number(fields[index]) : 0;
  }
  const std::vector<Type> parts = PartsOf(it);
  if (it.kind() == TypeKind::kList) return Number(parts[0]);
  return index < parts.size() ? Number(parts[index]) : 0;
}

}  // namespace tern::driver
