// SPDX-License-Identifier: Apache-2.0
// The fields of Error for the type table. They are not in error.h, because reflection is built on
// objects and errors come before it.
#ifndef TERN_CORE_OBJECT_GRAPH_ERROR_FIELDS_H_
#define TERN_CORE_OBJECT_GRAPH_ERROR_FIELDS_H_

#include "core/object/graph/reflection.h"

namespace tern::internal {

TypeReflection ErrorReflection();

}  // namespace tern::internal

#endif  // TERN_CORE_OBJECT_GRAPH_ERROR_FIELDS_H_
