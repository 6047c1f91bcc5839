// SPDX-License-Identifier: Apache-2.0
// Values without parts, as structural equality and hash see them; structural_equal.h has the rules.
#ifndef TERN_CORE_OBJECT_GRAPH_STRUCTURAL_LEAVES_H_
#define TERN_CORE_OBJECT_GRAPH_STRUCTURAL_LEAVES_H_

#include <cstdint>

#include "core/object/any.h"

namespace tern {

// One code for all forms in which a value is held: text in place is a STRING.
TernTypeCode LeafKindOf(const AnyView& value);
// Both of one LeafKind and without parts.
bool LeavesEqual(const AnyView& a, const AnyView& b);
// Equal leaves hash equal; the kind is in it.
uint64_t HashLeaf(const AnyView& value);
// A key that tables tell apart by its address.
bool IsIdentityKey(const AnyView& key);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_STRUCTURAL_LEAVES_H_
