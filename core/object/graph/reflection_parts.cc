// SPDX-License-Identifier: Apache-2.0
// The parts of every kind of object. A list or tuple lends its items; a table's entries are
// collected, because its array has holes; fields are asked of their getters.
#include "core/object/graph/reflection_parts.h"

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/graph/print.h"

namespace tern {

bool Parts::Has(TernTypeCode code) {
  // code > 0: values have no parts, and asking them for reflection would be a look-up for each
  // number in a graph.
  return code == TERN_TYPE_LIST || code == TERN_TYPE_MAP || code == TERN_TYPE_ADT ||
         code == TERN_TYPE_CLOSURE || (code > 0 && IsReflected(code));
}

Parts::Parts(const Object* object) : object_(object) {
  switch (object->type_code()) {
    case TERN_TYPE_LIST:
      sequence_ = static_cast<const Sequence*>(object);
      size_ = sequence_->size();
      return;
    case TERN_TYPE_MAP:
      for (const Table::Entry& entry : *static_cast<const Table*>(object)) {
        entries_.push_back(entry.key);
        entries_.push_back(entry.value);
      }
      size_ = entries_.size();
      return;
    case TERN_TYPE_ADT: span_ = static_cast<const Adt*>(object)->fields(); break;
    case TERN_TYPE_CLOSURE: span_ = static_cast<const Closure*>(object)->free_variables(); break;
    default:
      fields_ = FieldsOf(object->type_code());
      made_.reserve(fields_.size());
      // The getters make values that nobody else may hold, so they are kept as long as the parts.
      for (const FieldInfo& field : fields_) made_.push_back(field.get(*object));
      size_ = made_.size();
      return;
  }
  size_ = span_.size();
}

// At most one of the four sources has elements, so the tests need no kind.
AnyView Parts::operator[](size_t index) const {
  if (sequence_ != nullptr) return (*sequence_)[index];
  if (!entries_.empty()) return entries_[index];
  if (!made_.empty()) return made_[index];
  return span_[index];
}

std::string Parts::Step(size_t index) const {
  switch (object_->type_code()) {
    case TERN_TYPE_MAP:
      if (index % 2 == 0) return StrCat(".keys[", index / 2, "]");
      // The value of an entry is named by its key, the item in front of it.
      return StrCat("[", PrintValue(entries_[index - 1]), "]");
    case TERN_TYPE_LIST: break;
    case TERN_TYPE_ADT:
      if (static_cast<const Adt*>(object_)->is_tuple()) break;
      return StrCat(".fields[", index, "]");
    case TERN_TYPE_CLOSURE: return StrCat(".free[", index, "]");
    default: return StrCat(".", fields_[index].name);
  }
  return StrCat("[", index, "]");
}

}  // namespace tern
