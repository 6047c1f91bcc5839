// SPDX-License-Identifier: Apache-2.0
// Whole graphs of values: equality, hash, JSON and bytes; and the fields of registered types.
#include "core/api/handles.h"
#include "core/base/json.h"
#include "core/object/graph/reflection.h"
#include "core/object/graph/serialize_binary.h"
#include "core/object/graph/serialize_json.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/graph/structural_hash.h"

namespace tern::api {
namespace {

// Numbers and other values without an object have no fields.
Result<const Object*> ObjectIn(const TernAny* value) {
  if (const Object* object = View(value).object()) return object;
  return internal::CastError("an object", *value);
}

// By type, so that two objects of one type have equal answers.
std::string FieldsJson(TernTypeCode code) {
  JsonWriter json;
  json.BeginArray();
  for (const FieldInfo& field : FieldsOf(code)) {
    json.BeginObject()
        .Field("name", field.name)
        .Field("type", field.type)
        .Field("doc", field.doc)
        .EndObject();
  }
  json.EndArray();
  return json.Take();
}

Result<Any> ReadField(const TernAny* value, std::string_view name) {
  // The field is a value of its own, which the caller frees.
  TERN_TRY_ASSIGN(const Object* object, ObjectIn(value));
  return GetField(*object, name);
}

}  // namespace
}  // namespace tern::api

using namespace tern::api;  // NOLINT: the functions below give those above to C

tern_status* tern_any_equal(const TernAny* a, const TernAny* b, int32_t* equal,
                            tern_buffer** difference) {
  // The first difference says more than yes or no, at the same cost.
  const std::optional<tern::Difference> found = tern::FirstDifference(View(a), View(b));
  *equal = found.has_value() ? 0 : 1;
  if (difference != nullptr)
    *difference =
        found.has_value() ? NewBuffer(tern::StrCat(found->path, ": ", found->what)) : nullptr;
  return nullptr;
}

tern_status* tern_any_hash(const TernAny* value, uint64_t* hash) {
  const tern::Result<uint64_t> made = tern::StructuralHash(View(value));
  // Functions and handles have no structure to hash.
  if (!made.ok()) return ToHandle(made.status().Clone());
  *hash = *made;
  return nullptr;
}

tern_status* tern_graph_to_json(const TernAny* value, tern_buffer** json) {
  tern::Result<std::string> text = tern::SerializeJson(View(value));
  if (!text.ok()) return ToHandle(std::move(text).status());
  *json = NewBuffer(*text);
  return nullptr;
}

tern_status* tern_graph_from_json(const char* json, size_t size, TernAny* value) {
  return Give(tern::DeserializeJson({json, size}), value);
}

tern_status* tern_graph_to_bytes(const TernAny* value, tern_buffer** bytes) {
  tern::Result<std::vector<uint8_t>> made = tern::SerializeBinary(View(value));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *bytes = NewBuffer(*std::move(made));
  return nullptr;
}

tern_status* tern_graph_from_bytes(const void* bytes, size_t size, TernAny* value) {
  return Give(tern::DeserializeBinary({static_cast<const uint8_t*>(bytes), size}), value);
}

tern_status* tern_object_fields(const TernAny* value, tern_buffer** json) {
  tern::Result<const tern::Object*> object = ObjectIn(value);
  if (!object.ok()) return ToHandle(std::move(object).status());
  *json = NewBuffer(FieldsJson((*object)->type_code()));
  return nullptr;
}

tern_status* tern_object_field(const TernAny* value, const char* name, TernAny* field) {
  return Give(ReadField(value, TextOr(name, "")), field);
}
