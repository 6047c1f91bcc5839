// SPDX-License-Identifier: Apache-2.0
// Strings, bytes, shapes, lists, maps, tuples and imported tensors.
#include "core/api/handles.h"
#include "core/base/utf8.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/shape.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/string.h"
#include "core/object/tensor.h"

namespace tern::api {
namespace {

// A new reference to what the caller keeps.
Any Share(const TernAny* value) { return Any(View(value)); }

// AnyView has the layout of TernAny (core/abi/abi.h), so that no copy is made.
std::span<const AnyView> Views(const TernAny* values, size_t count) {
  return {reinterpret_cast<const AnyView*>(values), count};
}

// Strings are text everywhere in the runtime; other bytes would make its messages unprintable.
Result<Any> NewString(std::string_view text) {
  const size_t invalid = FindInvalidUtf8(text);
  if (invalid == std::string_view::npos) return Any(text);
  return InvalidArgument("the text is not UTF-8 from byte ", invalid,
                         " on; make bytes of what is no text");
}

Result<Sequence*> WritableList(const TernAny* value) {
  TERN_TRY_ASSIGN(Sequence * list, View(value).As<Sequence>());
  // An array that nobody else holds may be written: nobody can see the change.
  if (!list->is_frozen() || list->unique()) return list;
  return InvalidArgument("this list is an array that others hold: write to a copy of it");
}

// As WritableList: a frozen map may be written if nobody else holds it.
Result<Table*> WritableMap(const TernAny* value) {
  TERN_TRY_ASSIGN(Table * map, View(value).As<Table>());
  if (!map->is_frozen() || map->unique()) return map;
  return InvalidArgument("others hold this map, which is copied before it is written");
}

// count says how many places there are: one more than items where one is inserted.
Result<size_t> CheckIndex(const Sequence& list, int64_t index, size_t count) {
  if (index >= 0 && static_cast<uint64_t>(index) < count) return static_cast<size_t>(index);
  return OutOfRange("index ", index, " of a list of ", list.size(),
                    list.size() == 1 ? " item" : " items");
}

Status ListSet(const TernAny* value, int64_t index, const TernAny* item) {
  TERN_TRY_ASSIGN(Sequence * list, WritableList(value));
  TERN_TRY_ASSIGN(const size_t at, CheckIndex(*list, index, list->size()));
  list->Set(at, Share(item));
  return OkStatus();
}

// The list takes a reference of its own; the caller keeps its own.
Status ListPush(const TernAny* value, const TernAny* item) {
  TERN_TRY_ASSIGN(Sequence * list, WritableList(value));
  list->PushBack(View(item));
  return OkStatus();
}

Status ListInsert(const TernAny* value, int64_t index, const TernAny* item) {
  TERN_TRY_ASSIGN(Sequence * list, WritableList(value));
  TERN_TRY_ASSIGN(const size_t at, CheckIndex(*list, index, list->size() + 1));
  list->Insert(at, Share(item));
  return OkStatus();
}

Status ListErase(const TernAny* value, int64_t index) {
  TERN_TRY_ASSIGN(Sequence * list, WritableList(value));
  TERN_TRY_ASSIGN(const size_t at, CheckIndex(*list, index, list->size()));
  list->Erase(at);
  return OkStatus();
}

Status ListClear(const TernAny* value) {
  TERN_TRY_ASSIGN(Sequence * list, WritableList(value));
  list->Clear();
  return OkStatus();
}

// Readers work on frozen lists, too.
Result<Any> ListGet(const TernAny* value, int64_t index) {
  TERN_TRY_ASSIGN(const Sequence* list, View(value).As<Sequence>());
  return list->At(index);
}

Result<Any> ListCopy(const TernAny* value) {
  TERN_TRY_ASSIGN(const Sequence* list, View(value).As<Sequence>());
  return Any(list->Copy());
}

// A key that is there already gets the new value.
Status MapSet(const TernAny* value, const TernAny* key, const TernAny* item) {
  TERN_TRY_ASSIGN(Table * map, WritableMap(value));
  map->Set(View(key), Share(item));
  return OkStatus();
}

Status MapErase(const TernAny* value, const TernAny* key, int32_t* erased) {
  TERN_TRY_ASSIGN(Table * map, WritableMap(value));
  const bool was_there = map->Erase(View(key));
  if (erased != nullptr) *erased = was_there ? 1 : 0;
  return OkStatus();
}

// A missing key is an error, unlike in MapContains.
Result<Any> MapGet(const TernAny* value, const TernAny* key) {
  TERN_TRY_ASSIGN(const Table* map, View(value).As<Table>());
  return map->At(View(key));
}

Status MapContains(const TernAny* value, const TernAny* key, int32_t* found) {
  TERN_TRY_ASSIGN(const Table* map, View(value).As<Table>());
  *found = map->Contains(View(key)) ? 1 : 0;
  return OkStatus();
}

// Keys and values differ by a member pointer only.
Result<Any> MapParts(const TernAny* value, AnyView Table::Entry::*part) {
  TERN_TRY_ASSIGN(const Table* map, View(value).As<Table>());
  const SequencePtr list = Sequence::Make();
  list->Reserve(map->size());
  for (const Table::Entry& entry : *map) list->PushBack(entry.*part);
  return Any(list);
}

// The size of a container of class T, into *size.
template <typename T>
Status Size(const TernAny* value, size_t* size) {
  TERN_TRY_ASSIGN(const T* container, View(value).As<T>());
  *size = container->size();
  return OkStatus();
}

// The text is the value's own: it lives as long as the value and is not copied.
Status StringView(const TernAny* value, const char** text, size_t* size) {
  const std::optional<std::string_view> view = internal::AnyToText(*value);
  if (!view.has_value()) return internal::CastError("string", *value);
  *text = view->data();
  if (size != nullptr) *size = view->size();
  return OkStatus();
}

// As StringView, for bytes of any contents.
Status BytesView(const TernAny* value, const void** data, size_t* size) {
  TERN_TRY_ASSIGN(const Bytes* bytes, View(value).As<Bytes>());
  *data = bytes->span().data();
  *size = bytes->size();
  return OkStatus();
}

Status ShapeView(const TernAny* value, const int64_t** extents, size_t* rank) {
  TERN_TRY_ASSIGN(const Shape* shape, View(value).As<Shape>());
  *extents = shape->dims().data();
  *rank = shape->size();
  return OkStatus();
}

Status AdtTag(const TernAny* value, int32_t* tag) {
  TERN_TRY_ASSIGN(const Adt* adt, View(value).As<Adt>());
  *tag = adt->tag();
  return OkStatus();
}

Result<Any> NewAdt(int32_t tag, std::span<const AnyView> fields) {
  // An Adt counts its fields in 32 bits.
  if (fields.size() > UINT32_MAX) return OutOfRange("an adt of ", fields.size(), " fields");
  return Any(Adt::Make(tag, fields));
}

// The exported tensor shares the memory; the consumer calls its deleter.
Status ExportTensor(const TernAny* value, TernDLManagedTensorVersioned** managed) {
  TERN_TRY_ASSIGN(const Tensor* tensor, View(value).As<Tensor>());
  TERN_TRY_ASSIGN(*managed, tensor->ToDLPack());
  return OkStatus();
}

}  // namespace
}  // namespace tern::api

using namespace tern::api;  // NOLINT: the functions below give those above to C

int64_t tern_live_objects(void) { return tern::LiveObjectCount(); }

const char* tern_any_type_name(const TernAny* value) { return tern::TypeName(*value).data(); }

tern_status* tern_string_new(const char* text, size_t size, TernAny* string) {
  return Give(NewString({text, size}), string);
}
tern_status* tern_string_view(const TernAny* string, const char** text, size_t* size) {
  return ToHandle(StringView(string, text, size));
}
tern_status* tern_bytes_new(const void* data, size_t size, TernAny* bytes) {
  const tern::ByteSpan span(static_cast<const uint8_t*>(data), size);
  return Give(tern::Any(tern::Bytes::Make(span)), bytes);
}
tern_status* tern_bytes_view(const TernAny* bytes, const void** data, size_t* size) {
  return ToHandle(BytesView(bytes, data, size));
}
tern_status* tern_shape_new(const int64_t* extents, size_t rank, TernAny* shape) {
  return Give(tern::Any(tern::Shape::Make(tern::Dims(extents, rank))), shape);
}
tern_status* tern_shape_view(const TernAny* shape, const int64_t** extents, size_t* rank) {
  return ToHandle(ShapeView(shape, extents, rank));
}

tern_status* tern_list_new(const TernAny* items, size_t count, TernAny* list) {
  return Give(tern::Any(tern::Sequence::Make(Views(items, count))), list);
}
tern_status* tern_list_size(const TernAny* list, size_t* size) {
  return ToHandle(Size<tern::Sequence>(list, size));
}
tern_status* tern_list_get(const TernAny* list, int64_t index, TernAny* item) {
  return Give(ListGet(list, index), item);
}
tern_status* tern_list_set(const TernAny* list, int64_t index, const TernAny* item) {
  return ToHandle(ListSet(list, index, item));
}
tern_status* tern_list_push(const TernAny* list, const TernAny* item) {
  return ToHandle(ListPush(list, item));
}
tern_status* tern_list_insert(const TernAny* list, int64_t index, const TernAny* item) {
  return ToHandle(ListInsert(list, index, item));
}
tern_status* tern_list_erase(const TernAny* list, int64_t index) {
  return ToHandle(ListErase(list, index));
}
tern_status* tern_list_clear(const TernAny* list) { return ToHandle(ListClear(list)); }
tern_status* tern_list_copy(const TernAny* list, TernAny* copy) {
  return Give(ListCopy(list), copy);
}

tern_status* tern_map_new(TernAny* map) { return Give(tern::Any(tern::Table::Make()), map); }
tern_status* tern_map_size(const TernAny* map, size_t* size) {
  return ToHandle(Size<tern::Table>(map, size));
}
tern_status* tern_map_contains(const TernAny* map, const TernAny* key, int32_t* found) {
  return ToHandle(MapContains(map, key, found));
}
tern_status* tern_map_get(const TernAny* map, const TernAny* key, TernAny* value) {
  return Give(MapGet(map, key), value);
}
tern_status* tern_map_set(const TernAny* map, const TernAny* key, const TernAny* value) {
  return ToHandle(MapSet(map, key, value));
}
tern_status* tern_map_erase(const TernAny* map, const TernAny* key, int32_t* erased) {
  return ToHandle(MapErase(map, key, erased));
}
tern_status* tern_map_keys(const TernAny* map, TernAny* list) {
  return Give(MapParts(map, &tern::Table::Entry::key), list);
}
tern_status* tern_map_values(const TernAny* map, TernAny* list) {
  return Give(MapParts(map, &tern::Table::Entry::value), list);
}

tern_status* tern_adt_new(int32_t tag, const TernAny* fields, size_t count, TernAny* adt) {
  return Give(NewAdt(tag, Views(fields, count)), adt);
}
tern_status* tern_adt_tag(const TernAny* adt, int32_t* tag) { return ToHandle(AdtTag(adt, tag)); }

// From here on the tensor owns what was given, and calls its deleter at its end; where it fails the
// caller still does.
tern_status* tern_tensor_from_dlpack(TernDLManagedTensorVersioned* managed, TernAny* tensor) {
  tern::Result<tern::TensorPtr> made = tern::Tensor::FromDLPack(managed);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *tensor = tern::Any(*std::move(made)).Release();
  return nullptr;
}
tern_status* tern_tensor_to_dlpack(const TernAny* tensor, TernDLManagedTensorVersioned** managed) {
  return ToHandle(ExportTensor(tensor, managed));
}
