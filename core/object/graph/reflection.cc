// SPDX-License-Identifier: Apache-2.0
// Reflection: look-up of fields by type code, along the line of ancestors.
#include "core/object/graph/reflection.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/object/graph/error_fields.h"

namespace tern {
namespace {

// Error is the one type of the library that has fields. It gets them when they are first asked for,
// because a static initialiser would link them into every program.
const TypeReflection* ReflectionOf(const TypeEntry& entry) {
  if (entry.code == TERN_TYPE_ERROR && entry.reflection() == nullptr)
    internal::RegisterReflection(TERN_TYPE_ERROR, internal::ErrorReflection());
  return entry.reflection();
}

const TypeReflection* ReflectionOf(TernTypeCode code) {
  const TypeEntry* entry = FindType(code);
  return entry == nullptr ? nullptr : ReflectionOf(*entry);
}

}  // namespace

std::vector<FieldInfo> FieldsOf(TernTypeCode code) {
  std::vector<const TypeReflection*> line;
  for (const TypeEntry* entry = FindType(code); entry != nullptr;
       entry = entry->parent > 0 ? FindType(entry->parent) : nullptr) {
    if (const TypeReflection* reflection = ReflectionOf(*entry)) line.push_back(reflection);
  }
  // Collected from the type up to the root, but fields are listed from the root down.
  std::vector<FieldInfo> fields;
  std::for_each(line.rbegin(), line.rend(), [&fields](const TypeReflection* reflection) {
    fields.insert(fields.end(), reflection->fields.begin(), reflection->fields.end());
  });
  return fields;
}

bool IsReflected(TernTypeCode code) { return ReflectionOf(code) != nullptr; }

Result<Any> GetField(const Object& object, std::string_view name) {
  if (!IsReflected(object.type_code()))
    return NotFound("type '", object.type_key(), "' has no registered fields");
  std::vector<std::string_view> names;
  for (const FieldInfo& field : FieldsOf(object.type_code())) {
    if (field.name == name) return field.get(object);
    names.push_back(field.name);
  }
  // A near name helps against typing errors, since names come from users of front ends.
  const std::string_view near = DidYouMean(name, std::span<const std::string_view>(names));
  return NotFound("type '", object.type_key(), "' has no field '", name, "'",
                  near.empty() ? "" : StrCat("; did you mean '", near, "'?"));
}

Result<ObjectPtr<Object>> MakeFromFields(TernTypeCode code, std::span<const Any> values) {
  const TypeReflection* reflection = ReflectionOf(code);
  if (reflection == nullptr || reflection->make == nullptr)
    return Unsupported("objects of type '", TypeKey(code), "' cannot be made from their fields");
  // The count includes the ancestors' fields; `make` may index the values without a check.
  const size_t count = FieldsOf(code).size();
  if (values.size() != count) return internal::WrongFieldCount(TypeKey(code), count, values.size());
  return reflection->make(values);
}

namespace internal {

bool RegisterReflection(TernTypeCode code, TypeReflection reflection) {
  // If another thread was first, our copy was never visible and is deleted.
  auto* kept = new TypeReflection(std::move(reflection));
  if (SetReflection(code, kept)) return true;
  delete kept;
  return false;
}

Status WrongFieldCount(std::string_view key, size_t expected, size_t got) {
  return InvalidArgument("type '", key, "' is made from ", expected, " fields, got ", got);
}

}  // namespace internal
}  // namespace tern
