// SPDX-License-Identifier: Apache-2.0
// What is known about two extents: shared by numbers at run time and symbolic dimensions at compile
// time.
#ifndef TERN_CORE_TYPES_DIM_RELATION_H_
#define TERN_CORE_TYPES_DIM_RELATION_H_

namespace tern::types {

// kUnknown: they may or may not be equal, only a run tells.
enum class DimRelation { kEqual, kDifferent, kUnknown };

}  // namespace tern::types

#endif  // TERN_CORE_TYPES_DIM_RELATION_H_
