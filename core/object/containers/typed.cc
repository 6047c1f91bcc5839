// SPDX-License-Identifier: Apache-2.0
// The text of failed casts to typed containers and tuples.
#include "core/object/containers/typed.h"

#include "core/object/containers/tuple.h"

namespace tern::internal {

// The parts read "expected list<int>: item 1: expected int, got string "a"", also when nested.
Status AtItem(std::string_view container, std::string_view what, Status inner) {
  return TypeError("expected ", container, ": ", what, ": ", inner.message());
}

// A tuple is an Adt with tag 0; other tags are constructors of the language and no tuples.
Status NotATuple(std::string_view expected, size_t size, const TernAny& any) {
  const Adt* adt = AnyView(any).TryCast<Adt>();
  if (adt == nullptr || !adt->is_tuple()) return CastError(expected, any);
  if (adt->size() == size) return OkStatus();
  return TypeError("expected ", expected, ", got a tuple of ", adt->size(),
                   adt->size() == 1 ? " field" : " fields");
}

}  // namespace tern::internal
