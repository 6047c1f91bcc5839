// SPDX-License-Identifier: Apache-2.0
// The values that a graph begins with: initializers, which become constants, and inputs, which
// become parameters of the types that the file declares.
#include <algorithm>
#include <unordered_set>

#include "core/onnx/convert/value_types.h"
#include "core/onnx/import_state.h"
#include "core/onnx/tensor_data.h"
#include "core/ops/dims.h"

namespace tern::onnx {
namespace {

std::string_view KindText(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::kNone: return "nothing that is known";
    case Type::Kind::kTensor: return "a tensor";
    case Type::Kind::kSequence: return "a sequence";
    case Type::Kind::kMap: return "a map";
    case Type::Kind::kOptional: return "an optional";
    case Type::Kind::kSparseTensor: return "a sparse tensor";
  }
  return "";
}

// Unknown where a map holds no such items. The language has one type of float, which stands for
// ONNX's float: a map of doubles would come back as floats.
types::Type MapItemType(int32_t elem_type) {
  const Result<DType> dtype = MakeDType(elem_type);
  if (!dtype.ok()) return {};
  if (*dtype == kI64) return types::Type::Int();
  if (dtype->is_string()) return types::Type::String();
  return *dtype == kF32 ? types::Type::Float() : types::Type();
}

// What exporters write in place of a name: "?", "-1", "None". Axes that have it in common need not
// have the same extent.
bool IsPlaceholder(std::string_view symbol) {
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  return symbol == "None" || std::none_of(symbol.begin(), symbol.end(), is_letter);
}

}  // namespace

void Importer::Define(Scope* scope, std::string_view name, Value value, std::string_view what) {
  if (name.empty()) {
    Error("E0405", StrCat(what, " has no name"));
  } else if (!scope->values.emplace(name, std::move(value)).second) {
    Error("E0405", StrCat(what, " '", name, "' has the name of another value"));
  }
}

void Importer::AddInitializers(Scope* scope, const Graph& graph) {
  for (const Tensor& tensor : graph.initializers) {
    AddInitializer(scope, tensor.name, MakeWeights(tensor, options_.tensors));
  }
  for (const SparseTensor& tensor : graph.sparse_initializers) {
    AddInitializer(scope, tensor.values.name, MakeDenseTensor(tensor, options_.tensors));
  }
}

void Importer::AddInitializer(Scope* scope, std::string_view name, Result<TensorPtr> tensor) {
  Value value = poison_;
  if (!tensor.ok()) {
    const bool unsupported = tensor.status().code() == StatusCode::kUnsupported;
    Error(unsupported ? "E0404" : "E0405",
          StrCat("initializer '", name, "': ", tensor.status().message()));
  } else if ((*tensor)->rank() > ops::kMaxDims) {
    Error("E0404", StrCat("initializer '", name, "' has rank ", (*tensor)->rank(), "; at most ",
                          ops::kMaxDims, " is possible"));
  } else {
    value = ir::MakeConstant(Any(*std::move(tensor)), std::string(name));
  }
  Define(scope, name, std::move(value), "initializer");
}

void Importer::AddInputs(Scope* scope) {
  std::unordered_set<std::string_view> constants;
  for (const auto& [name, value] : scope->values) constants.insert(name);
  for (const ValueInfo& info : model_.graph.inputs) {
    // Up to IR version 3 initializers were listed as inputs, too.
    if (!constants.contains(info.name)) AddInput(scope, info);
  }
}

// The type of a declared input; unknown after an error.
types::Type Importer::TensorTypeFor(const Type& type, const std::string& name) {
  const Result<DType> dtype = MakeDType(type.elem_type);
  if (!dtype.ok()) {
    Error("E0404", StrCat("input '", name, "': ", dtype.status().message()));
  } else if (type.shape == nullptr) {
    Error("E0404", StrCat("input '", name, "' has no shape: not even its rank is known"))
        .Help("export the model with the shapes of its inputs; dimensions may stay symbolic");
  } else if (type.shape->dims.size() > static_cast<size_t>(ops::kMaxDims)) {
    Error("E0404", StrCat("input '", name, "' has rank ", type.shape->dims.size(), "; at most ",
                          ops::kMaxDims, " is possible"));
  } else {
    std::vector<types::Dim> dims;
    for (size_t axis = 0; axis < type.shape->dims.size(); ++axis)
      dims.push_back(MakeDim(type, name, axis));
    return types::Type::Tensor(*dtype, std::move(dims));
  }
  return {};
}

types::Type Importer::TypeFor(const Type& type, const std::string& name) {
  switch (type.kind) {
    case Type::Kind::kTensor: return TensorTypeFor(type, name);
    case Type::Kind::kSequence:
    case Type::Kind::kOptional: {
      if (type.contents == nullptr) break;
      // A sequence declared without the shape of its items may hold tensors of any rank.
      const bool any = type.kind == Type::Kind::kSequence &&
                       type.contents->kind == Type::Kind::kTensor &&
                       type.contents->shape == nullptr;
      const types::Type contents = any ? types::Type() : TypeFor(*type.contents, name);
      if (!any && !contents.known()) return {};
      if (type.kind == Type::Kind::kOptional) return OptionalOf(contents);
      // Items need not have their extents in common, nor with other inputs.
      return types::Type::List(any ? contents : HideExtents(contents));
    }
    case Type::Kind::kMap: return MapTypeFor(type, name);
    case Type::Kind::kNone:
    case Type::Kind::kSparseTensor: break;
  }
  Error("E0404", StrCat("input '", name, "' is ", KindText(type.kind),
                        ", expected a tensor, a sequence, a map or an optional"));
  return {};
}

// Keys and values of maps are numbers and texts of the language. ONNX declares values as tensors
// without axes.
types::Type Importer::MapTypeFor(const Type& type, const std::string& name) {
  const bool is_plain = type.contents != nullptr && type.contents->kind == Type::Kind::kTensor &&
                        (type.contents->shape == nullptr || type.contents->shape->dims.empty());
  const types::Type key = MapItemType(type.elem_type);
  const types::Type value = is_plain ? MapItemType(type.contents->elem_type) : types::Type();
  if (key.known() && key.kind() != types::TypeKind::kFloat && value.known())
    return types::Type::Map(key, value);
  Error("E0404", StrCat("input '", name, "' is a map of ", DataTypeName(type.elem_type), " to ",
                        is_plain ? DataTypeName(type.contents->elem_type) : "other values",
                        ", expected keys that are int64 or string and values that are "
                        "float32, int64 or string"));
  return {};
}

void Importer::AddInput(Scope* scope, const ValueInfo& info) {
  types::Type parameter = TypeFor(info.type, std::string(info.name));
  Define(scope, info.name, builder_.AddParameter(info.name, std::move(parameter)), "input");
}

types::Dim Importer::MakeDim(const Type& type, const std::string& name, size_t axis) {
  const Dimension& dim = type.shape->dims[axis];
  if (dim.kind == Dimension::Kind::kValue && dim.value >= 0) return types::Dim(dim.value);
  if (dim.kind == Dimension::Kind::kValue && dim.value < -1) {
    Error("E0405",
          StrCat("input '", name, "': axis ", axis, " is ", dim.value, ", expected an extent"));
  }
  // -1 is how some exporters write an unknown extent.
  if (dim.kind == Dimension::Kind::kSymbol && !IsPlaceholder(dim.symbol)) {
    return types::Dim::Symbol(SymbolFor(std::string(dim.symbol)));
  }
  return types::Dim::Symbol(SymbolFor(StrCat(name, "_", axis)));
}

// Different texts get different symbols, even where their identifiers would be the same.
std::string Importer::SymbolFor(const std::string& text) {
  const auto known = symbols_.by_text.find(text);
  if (known != symbols_.by_text.end()) return known->second;
  const std::string plain = types::SymbolName(text);
  std::string name = plain;
  for (int i = 2; !symbols_.taken.insert(name).second; ++i) name = StrCat(plain, "_", i);
  symbols_.by_text.emplace(text, name);
  return name;
}

}  // namespace tern::onnx
