// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/value_types.h"

#include <string>
#include <string_view>
#include <vector>

#include "core/base/strings.h"

namespace tern::onnx {
namespace {

using types::Dim;
using ValueType = types::Type;
using types::TypeKind;

// ONNX's optional is a data type of one argument in our IR.
constexpr std::string_view kOptional = "Optional";

// What both branches of an If, or all turns of a Loop, may be: extents that differ are unknown,
// element types and ranks must agree.
ValueType MergeTensors(const types::TensorType& a, const types::TensorType& b) {
  if (a.dtype != b.dtype || a.rank() != b.rank()) return ValueType();
  types::TensorType merged = a;
  for (size_t axis = 0; axis < merged.dims.size(); ++axis) {
    if (!(a.dims[axis] == b.dims[axis])) merged.dims[axis] = Dim::Any();
  }
  return ValueType::Tensor(std::move(merged));
}

// The number of "_12"; -1 for other names.
int64_t NumberOf(std::string_view symbol) {
  if (symbol.empty() || symbol[0] != '_') return -1;
  return ParseInt64(symbol.substr(1)).value_or(-1);
}

// The type with every extent replaced. Only types that ONNX has can hold tensors, the rest stays.
template <class F>
ValueType MapExtents(const ValueType& type, const F& map) {
  switch (type.kind()) {
    case TypeKind::kTensor: {
      types::TensorType tensor = type.tensor();
      for (Dim& dim : tensor.dims) dim = map(dim);
      return ValueType::Tensor(std::move(tensor));
    }
    case TypeKind::kList: return ValueType::List(MapExtents(type.arguments()[0], map));
    case TypeKind::kData:
      return ValueType::Data(type.name(), {MapExtents(type.arguments()[0], map)});
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kTuple:
    case TypeKind::kFunction:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString:
    case TypeKind::kMap:
    case TypeKind::kVariable: break;
  }
  return type;
}

}  // namespace

ValueType MergeTypes(const ValueType& a, const ValueType& b) {
  // A branch that gives no optional has the type none, until the other one says of what.
  if (a.kind() == TypeKind::kNone) return b;
  if (b.kind() == TypeKind::kNone) return a;
  if (IsOptional(a) && !IsOptional(b)) return OptionalOf(MergeTypes(a.arguments()[0], b));
  if (IsOptional(b) && !IsOptional(a)) return OptionalOf(MergeTypes(a, b.arguments()[0]));
  if (a.kind() != b.kind()) return ValueType();
  switch (a.kind()) {
    case TypeKind::kTensor: return MergeTensors(a.tensor(), b.tensor());
    case TypeKind::kList: return ValueType::List(MergeTypes(a.arguments()[0], b.arguments()[0]));
    case TypeKind::kData: return OptionalOf(MergeTypes(a.arguments()[0], b.arguments()[0]));
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kTuple:
    case TypeKind::kFunction:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString:
    case TypeKind::kMap:
    case TypeKind::kVariable: break;
  }
  return a == b ? a : ValueType();
}

// Unknown extents get fresh names, so that what is inferred from them later can be compared.
ValueType WithNames(ir::Builder& builder, const ValueType& type) {
  if (!type.is_tensor()) return type;
  return MapExtents(type, [&](const Dim& dim) { return dim.is_any() ? builder.FreshDim() : dim; });
}

// Symbols that were made inside of a subgraph mean nothing outside of it. They are numbered, so
// those from `first` on are the inner ones.
ValueType HideSymbols(const ValueType& type, int64_t first) {
  return MapExtents(type, [first](const Dim& dim) {
    std::vector<std::string> symbols;
    dim.CollectSymbols(&symbols);
    for (const std::string& symbol : symbols) {
      if (NumberOf(symbol) >= first) return Dim::Any();
    }
    return dim;
  });
}

ValueType HideExtents(const ValueType& type) {
  return MapExtents(type, [](const Dim&) { return Dim::Any(); });
}

// Names are numbered in order, so a fresh one tells where the next ones begin.
int64_t NextSymbol(ir::Builder& builder) { return NumberOf(builder.FreshDim().ToText()) + 1; }

ValueType OptionalOf(const ValueType& type) { return ValueType::Data(kOptional, {type}); }

bool IsOptional(const ValueType& type) { return type.is_data() && type.name() == kOptional; }

bool IsSequence(const ValueType& type) { return type.kind() == TypeKind::kList; }

}  // namespace tern::onnx
