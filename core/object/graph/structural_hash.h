// SPDX-License-Identifier: Apache-2.0
// Structural hash: values that are structurally equal (structural_equal.h) hash equally, on every
// target and in every run. For tables in memory, not for files, not against malice.
#ifndef TERN_CORE_OBJECT_GRAPH_STRUCTURAL_HASH_H_
#define TERN_CORE_OBJECT_GRAPH_STRUCTURAL_HASH_H_

#include <cstdint>

#include "core/object/any.h"

namespace tern {

// Error: a cycle, with the path that leads around it. Depth is bounded by memory alone. Safe to
// call from several threads on values that nobody changes meanwhile.
Result<uint64_t> StructuralHash(const AnyView& value);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_STRUCTURAL_HASH_H_
