// SPDX-License-Identifier: Apache-2.0
// Types of values that come from several places: branches, turns of a loop, items of a sequence.
//
// In these types an extent of "?" is one that differs; WithNames gives it a name where a value of
// the type is bound. A sequence is a list whose element type holds for all items, so there "?"
// stays. The element type of an empty sequence is none, which goes with every type; it is unknown
// where the items have different ranks. An optional is none or the value itself, and its type is
// the data type Optional.
#ifndef TERN_CORE_ONNX_CONVERT_VALUE_TYPES_H_
#define TERN_CORE_ONNX_CONVERT_VALUE_TYPES_H_

#include "core/ir/builder.h"
#include "core/types/type.h"

namespace tern::onnx {

// What a value of either type is; unknown where they have nothing in common.
types::Type MergeTypes(const types::Type& a, const types::Type& b);

// Of a tensor: every "?" replaced by a name that nothing else has.
types::Type WithNames(ir::Builder& builder, const types::Type& type);

// "?" for all extents that have a symbol of the builder's own from number `first` on.
types::Type HideSymbols(const types::Type& type, int64_t first);
// "?" for all extents.
types::Type HideExtents(const types::Type& type);
// The number of the builder's next symbol.
int64_t NextSymbol(ir::Builder& builder);

types::Type OptionalOf(const types::Type& type);
bool IsOptional(const types::Type& type);
bool IsSequence(const types::Type& type);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_VALUE_TYPES_H_
