// SPDX-License-Identifier: Apache-2.0
// What the type table says of the fields of Error. Apart from error.h, since reflection comes after
// it.
#ifndef TERN_CORE_OBJECT_GRAPH_ERROR_FIELDS_H_
#define TERN_CORE_OBJECT_GRAPH_ERROR_FIELDS_H_

#include "core/object/graph/reflection.h"

namespace tern::internal {

TypeReflection ErrorReflection();

}  // namespace tern::internal

#endif  // TERN_CORE_OBJECT_GRAPH_ERROR_FIELDS_H_
