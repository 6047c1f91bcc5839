// SPDX-License-Identifier: Apache-2.0
// Scalar operations on values: what the interpreter's fast paths do not cover, and conversions.
#ifndef TERN_CORE_VM_SCALAR_H_
#define TERN_CORE_VM_SCALAR_H_

#include <vector>

#include "core/base/status.h"
#include "core/object/any.h"
#include "core/vm/isa.h"

namespace tern::vm {

// a op b, or op a with b ignored, for the scalar opcodes (isa.def).
Status ScalarOperation(Opcode opcode, const AnyView& a, const AnyView& b, Any* result);

// What If asks: true, a number that is not zero, a one-element tensor of such.
Status Truth(const AnyView& value, bool* result);
// What IfEqual asks of two scalars or tensors of rank 0.
Status ScalarsEqual(const AnyView& a, const AnyView& b, bool* result);

// Dimensions from a Shape, or from an int tensor of rank 1.
Status ToDims(const AnyView& value, std::vector<int64_t>* dims);
// Replaces one extent of -1 by what makes the count right.
Status InferExtent(int64_t element_count, std::vector<int64_t>* dims);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_SCALAR_H_
