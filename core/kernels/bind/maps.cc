// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/bind/maps.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/bind/bound_function.h"
#include "core/object/attrs.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"
#include "core/object/memory_account.h"
#include "core/object/tensor.h"
#include "core/ops/attr_fields.h"

namespace tern::kernels {
namespace {

// `of` is the element type of what is made; a width of -1 asks for the dense form.
struct MapAttrs {
  DType of = kF32;
  int64_t width = -1;
};

// About what one entry takes: its two items and two cells of the index.
constexpr uint64_t kEntryBytes = 48;
constexpr uint64_t kMapBytes = 256;

std::string ShownType(const AnyView& value) {
  const auto* tensor = value.TryCast<Tensor>();
  return tensor != nullptr ? tensor->TypeText() : PrintValue(value);
}

// The keys that ONNX has: whole numbers or texts.
Result<std::vector<Any>> KeysOf(const AnyView& value) {
  const auto* keys = value.TryCast<Tensor>();
  const bool fits = keys != nullptr && keys->rank() == 1 && keys->on_host() &&
                    keys->is_contiguous() && (keys->dtype() == kI64 || keys->dtype().is_string());
  if (!fits) return TypeError("the keys are ", ShownType(value), ", expected i64[n] or string[n]");
  std::vector<Any> result;
  for (int64_t i = 0; i < keys->element_count(); ++i) {
    result.push_back(keys->dtype().is_string() ? Any(std::string(keys->string_at(i)))
                                               : Any(keys->data_as<int64_t>()[i]));
  }
  return result;
}

// ZipMap: one map a row, from the keys to the row.
Result<Any> MapRows(const MapAttrs&, RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const std::vector<Any> keys, KeysOf(args[1]));
  const auto* x = args[0].TryCast<Tensor>();
  // Without columns there is no memory behind the rows, and any number of them.
  if (keys.empty()) return InvalidArgument("there are no keys");
  const auto columns = static_cast<int64_t>(keys.size());
  if (x == nullptr || x->dtype() != kF32 || x->rank() < 1 || x->rank() > 2 || !x->on_host() ||
      x->dim(x->rank() - 1) != columns) {
    return TypeError("x is ", ShownType(args[0]), ", expected f32[n, ", columns, "] or f32[",
                     columns, "], a column for each key");
  }
  // Work and memory are asked for before anything is made: the rows decide how many objects there
  // will be.
  TERN_TRY(context.Charge(x->element_count()));
  const int64_t rows = x->rank() == 2 ? x->dim(0) : 1;
  TERN_TRY(CheckRoom(static_cast<uint64_t>(rows) * kMapBytes +
                     static_cast<uint64_t>(x->element_count()) * kEntryBytes));
  TensorPtr copy;
  if (!x->is_contiguous()) {
    TERN_TRY_ASSIGN(copy, x->Copy());
    x = copy.get();
  }
  const float* at = x->data_as<float>();
  SequencePtr maps = Sequence::Make();
  for (int64_t row = 0; row < rows; ++row) {
    TablePtr map = Table::Make();
    map->Reserve(keys.size());
    for (const Any& key : keys) map->Set(key, Any(static_cast<double>(*at++)));
    maps->PushBack(Any(std::move(map)));
  }
  return Any(std::move(maps));
}

// What a value is as an element of y; an error where it is of another kind.
Status PutItem(const AnyView& value, int64_t at, Tensor* y) {
  if (y->dtype().is_string()) {
    TERN_TRY_ASSIGN(const std::string_view text, value.As<std::string_view>());
    y->set_string(at, text);
  } else if (y->dtype() == kI64) {
    TERN_TRY_ASSIGN(y->data_as<int64_t>()[at], value.As<int64_t>());
  } else {
    TERN_TRY_ASSIGN(const double number, value.As<double>());
    if (y->dtype() == kF64)
      y->data_as<double>()[at] = number;
    else
      y->data_as<float>()[at] = static_cast<float>(number);
  }
  return OkStatus();
}

// Absent keys are 0, or an empty text.
Result<TensorPtr> NewMapRow(const MapAttrs& attrs, RunContext& context, int64_t width) {
  TERN_TRY(context.Charge(width));
  TERN_TRY_ASSIGN(TensorPtr row, context.NewTensor(attrs.of, {1, width}));
  if (!attrs.of.is_string() && width > 0)
    std::fill_n(static_cast<uint8_t*>(row->data()), row->byte_size(), uint8_t{0});
  return row;
}

// CastMap with map_form SPARSE: the value of key k at place k, of `width` places.
Result<Any> SparseValues(const MapAttrs& attrs, RunContext& context, const Table& map) {
  TERN_TRY_ASSIGN(TensorPtr row, NewMapRow(attrs, context, attrs.width));
  for (const Table::Entry& entry : map) {
    TERN_TRY_ASSIGN(const int64_t key, entry.key.As<int64_t>());
    if (key < 0 || key >= attrs.width)
      return OutOfRange("the map has the key ", key, ", but 'max_map' is ", attrs.width);
    TERN_TRY(PutItem(entry.value, key, row.get()));
  }
  return Any(std::move(row));
}

// CastMap with map_form DENSE: the values in order of their keys. A map keeps the order of
// insertion, so it is sorted here.
Result<Any> MapValues(const MapAttrs& attrs, RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  if (attrs.width >= 0) return SparseValues(attrs, context, *map);
  TERN_TRY(CheckRoom(map->size() * sizeof(std::pair<int64_t, AnyView>)));
  std::vector<std::pair<int64_t, AnyView>> entries;
  for (const Table::Entry& entry : *map) {
    TERN_TRY_ASSIGN(const int64_t key, entry.key.As<int64_t>());
    entries.emplace_back(key, entry.value);
  }
  // Keys of a map are distinct, so that the order is one and the same on every machine.
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  TERN_TRY_ASSIGN(TensorPtr row, NewMapRow(attrs, context, static_cast<int64_t>(entries.size())));
  for (size_t i = 0; i < entries.size(); ++i)
    TERN_TRY(PutItem(entries[i].second, static_cast<int64_t>(i), row.get()));
  return Any(std::move(row));
}

// DictVectorizer: the value of each listed key.
Result<Any> MapLookUp(const MapAttrs& attrs, RunContext& context, AnyArgs args) {
  TERN_TRY_ASSIGN(const Table* map, args[0].As<Table>());
  TERN_TRY_ASSIGN(const std::vector<Any> keys, KeysOf(args[1]));
  TERN_TRY_ASSIGN(TensorPtr row, NewMapRow(attrs, context, static_cast<int64_t>(keys.size())));
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::optional<AnyView> value = map->Find(keys[i]);
    // A key that the map does not have leaves the zero, and a key that is not listed is left out.
    if (value.has_value()) TERN_TRY(PutItem(*value, static_cast<int64_t>(i), row.get()));
  }
  return Any(std::move(row));
}

using MapFunction = bind::FunctionRow<MapAttrs>;

constexpr MapFunction kMapFunctions[] = {{"map_rows", 2, 2, &MapRows},
                                         {"map_values", 1, 1, &MapValues},
                                         {"map_look_up", 2, 2, &MapLookUp}};

Result<MapAttrs> ParseMapAttrs(std::string_view name, const Attrs& attrs) {
  AttrReader reader(name, attrs);
  MapAttrs parsed;
  const std::string of = reader.String("of", "f32");
  parsed.width = reader.Int("width", -1);
  if (parsed.width < -1 || parsed.width > ops::kMostExtent) reader.Fail("width", "not an extent");
  TERN_TRY(reader.Finish());
  TERN_TRY_ASSIGN(parsed.of, DType::Parse(of));
  const DType to = parsed.of;
  if (to != kF32 && to != kF64 && to != kI64 && !to.is_string())
    return InvalidArgument(name, ": 'of' is ", of, ", expected f32, f64, i64 or string");
  return parsed;
}

Result<FunctionPtr> MakeBoundMap(std::string_view full_name, const Attrs& attrs) {
  return bind::BindFunction<MapAttrs>(kMapFunctions, &ParseMapAttrs, full_name, attrs);
}

}  // namespace

Status RegisterMapFunctions(Registry* registry) {
  return bind::RegisterFunctions<MapAttrs>(kMapFunctions, &MakeBoundMap, registry);
}

}  // namespace tern::kernels
