// SPDX-License-Identifier: Apache-2.0
// The checked access to fields of an Adt, and the making of objects whose fields lie behind them
// (Adt and Closure).
#include "core/object/containers/adt.h"

#include "core/object/containers/closure.h"

namespace tern {
namespace {

// Constructed in place: the memory behind the object is uninitialised.
void OwnFields(std::span<const AnyView> from, void* to) {
  auto* fields = static_cast<Any*>(to);
  for (size_t i = 0; i < from.size(); ++i) new (fields + i) Any(from[i]);
}

// Fields are const to readers, since tuples are shared; only the destructor may end them.
void DestroyFields(std::span<const Any> fields) {
  for (const Any& field : fields) const_cast<Any&>(field).~Any();
}

}  // namespace

ObjectPtr<Adt> Adt::Make(int32_t tag, std::span<const AnyView> fields) {
  // An executable's instruction holds fewer fields than this, so only our own code could fail.
  TERN_CHECK(fields.size() <= UINT32_MAX, "too many fields");
  return MakeObjectWithExtra<Adt>(fields.size() * sizeof(Any), tag, fields);
}

Adt::Adt(int32_t tag, std::span<const AnyView> fields)
    : Object(kTypeCode, nullptr), tag_(tag), size_(static_cast<uint32_t>(fields.size())) {
  OwnFields(fields, this + 1);
}

Adt::~Adt() { DestroyFields(fields()); }

Result<Any> Adt::Field(int64_t index) const {
  if (index >= 0 && index < int64_t{size_}) return fields()[static_cast<size_t>(index)];
  const std::string what = is_tuple() ? "a tuple" : StrCat("an adt with tag ", tag_);
  return OutOfRange("field ", index, " of ", what, " of ", size_,
                    size_ == 1 ? " field" : " fields");
}

ObjectPtr<Closure> Closure::Make(uint32_t function_index, std::span<const AnyView> free_variables) {
  TERN_CHECK(free_variables.size() <= UINT32_MAX, "too many free variables");
  return MakeObjectWithExtra<Closure>(free_variables.size() * sizeof(Any), function_index,
                                      free_variables);
}

Closure::Closure(uint32_t function_index, std::span<const AnyView> free_variables)
    : Object(kTypeCode, nullptr),
      function_index_(function_index),
      size_(static_cast<uint32_t>(free_variables.size())) {
  OwnFields(free_variables, this + 1);
}

Closure::~Closure() { DestroyFields(free_variables()); }

}  // namespace tern
