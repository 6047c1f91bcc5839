// SPDX-License-Identifier: Apache-2.0
// What lies between numbers of 8 bits and numbers of 8 bits, without floats: operators that treat
// each element by itself become a table of 256 results, computed by those very operators, and a
// look-up in it (gather); sums and products become add_quantized and mul_quantized; and what only
// moves elements, or picks the largest, does so with bytes. All give the same bits. Scales and zero
// points must be constants of one number each. What reads the floats elsewhere keeps them.
#ifndef TERN_CORE_IR_PASSES_FUSE_QUANTIZED_ELEMENTS_H_
#define TERN_CORE_IR_PASSES_FUSE_QUANTIZED_ELEMENTS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module FuseQuantizedElements(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FUSE_QUANTIZED_ELEMENTS_H_
