// SPDX-License-Identifier: Apache-2.0
#include "core/vm/debug/object_parts.h"

#include "core/base/strings.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"

namespace tern::vm {

std::string ObjectParts::NameOf(size_t index) const {
  if (what.empty()) return StrCat(index % 2 == 0 ? "key " : "value ", index / 2);
  return StrCat(what, " ", index);
}

// Copies, because whoever walks over them may change what holds them.
ObjectParts PartsOf(const Any& value) {
  if (const Adt* adt = value.TryCast<Adt>(); adt != nullptr)
    return {"field", {adt->fields().begin(), adt->fields().end()}};
  if (const Closure* closure = value.TryCast<Closure>(); closure != nullptr) {
    const std::span<const Any> captured = closure->free_variables();
    return {"captured value", {captured.begin(), captured.end()}};
  }
  if (const Table* map = value.TryCast<Table>(); map != nullptr) {
    ObjectParts entries;
    for (const Table::Entry entry : *map) {
      entries.parts.emplace_back(entry.key);
      entries.parts.emplace_back(entry.value);
    }
    return entries;
  }
  ObjectParts found{"item", {}};
  // Items of a list are made values, but the objects in them are the list's own.
  if (const Sequence* list = value.TryCast<Sequence>(); list != nullptr) {
    for (const AnyView item : *list) found.parts.emplace_back(item);
  }
  return found;
}

}  // namespace tern::vm
