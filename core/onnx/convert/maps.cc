// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml's operators on maps, which the language has as values: functions of the registry make
// and read them, because operators take tensors only (core/kernels/bind/maps.h).
#include <utility>
#include <vector>

#include "core/object/attrs.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/learned.h"

namespace tern::onnx {
namespace {

using types::Dim;
using types::TypeKind;
using ValueType = types::Type;

// The element type of a tensor of such values; those of a map are float where they are not whole.
DType ElementsOf(const ValueType& item) {
  if (item.kind() == TypeKind::kString) return kString;
  return item.kind() == TypeKind::kInt ? kI64 : kF32;
}

ValueType ItemOf(DType dtype) { return dtype.is_string() ? ValueType::String() : ValueType::Int(); }

// Fails where the input is no map.
ValueType MapInput(NodeContext& node) {
  const ValueType type = ir::TypeOf(node.Input(0));
  if (type.kind() == TypeKind::kMap) return type;
  node.Fail("its input is ", type.ToText(), ", expected a map");
  return {};
}

}  // namespace

void ConvertZipMap(NodeContext& node) {
  const Labels labels = ReadLabels(node, "classlabels_strings", "classlabels_int64s");
  if (!node.ok()) return;
  const Value x = node.Input(0);
  const int rank = node.RankOf(x);
  if (!node.ok()) return;
  if (rank < 1 || rank > 2 || node.DTypeOf(x) != kF32) {
    return node.Fail("its input is ", ir::TypeOf(x).ToText(), ", expected f32[n, ", labels.count,
                     "] or f32[", labels.count, "]");
  }
  const int64_t columns = node.DimOf(x, rank - 1);
  if (columns >= 0 && columns != labels.count) {
    return node.Fail("it has ", labels.count, " class labels, but its input has ", columns,
                     " columns");
  }
  const ValueType map = ValueType::Map(ItemOf(node.DTypeOf(labels.values)), ValueType::Float());
  node.SetOutput(0, node.Invoke("map_rows", {x, labels.values}, ValueType::List(map)));
}

// The values in the order of their keys, or at the places that the keys are.
void ConvertCastMap(NodeContext& node) {
  const ValueType map = MapInput(node);
  const int to = node.Choice("cast_to", {"TO_FLOAT", "TO_STRING", "TO_INT64"}, 0);
  const bool is_sparse = node.Choice("map_form", {"DENSE", "SPARSE"}, 0) == 1;
  const int64_t width = node.Int("max_map", 1);
  if (!node.ok()) return;
  if (map.arguments()[0].kind() != TypeKind::kInt)
    return node.Fail("its input is ", map.ToText(), ", expected a map of int64");
  if (is_sparse && width < 1)
    return node.Fail("attribute 'max_map' is ", width, ", expected at least 1");
  constexpr DType kTypes[] = {kF32, kString, kI64};
  const DType from = ElementsOf(map.arguments()[1]), wanted = kTypes[to];
  Attrs attrs;
  attrs.SetString("of", from.ToString());
  if (is_sparse) attrs.SetInt("width", width);
  const Dim columns = is_sparse ? Dim(width) : node.builder().FreshDim();
  const Value row = node.Invoke(MakePrimitiveName("map_values", attrs), {node.Input(0)},
                                ValueType::Tensor(from, {Dim(1), columns}));
  Compose in(node);
  node.SetOutput(0, from == wanted ? row : in.Cast(row, wanted));
}

void ConvertDictVectorizer(NodeContext& node) {
  const ValueType map = MapInput(node);
  const Labels keys = ReadLabels(node, "string_vocabulary", "int64_vocabulary");
  if (!node.ok()) return;
  const ValueType key = ItemOf(node.DTypeOf(keys.values));
  if (!(map.arguments()[0] == key)) {
    return node.Fail("its input is ", map.ToText(), ", but its vocabulary has keys that are ",
                     key.ToText());
  }
  const DType dtype = ElementsOf(map.arguments()[1]);
  Attrs attrs;
  attrs.SetString("of", dtype.ToString());
  node.SetOutput(0,
                 node.Invoke(MakePrimitiveName("map_look_up", attrs), {node.Input(0), keys.values},
                             ValueType::Tensor(dtype, {Dim(1), Dim(keys.count)})));
}

}  // namespace tern::onnx
