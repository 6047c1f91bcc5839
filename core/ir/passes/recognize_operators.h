// SPDX-License-Identifier: Apache-2.0
// Operators that exporters write as several, found again: gelu by erf and by tanh, layer_norm and
// rms_norm, in f32. One kernel computes each in two or three passes over memory, and a gelu can go
// into the epilogue of a product. Results differ in roundings. Where a member of the formula has
// another use, or a scale is not as long as the axes that are normalized, it stays as written.
#ifndef TERN_CORE_IR_PASSES_RECOGNIZE_OPERATORS_H_
#define TERN_CORE_IR_PASSES_RECOGNIZE_OPERATORS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module RecognizeOperators(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_RECOGNIZE_OPERATORS_H_
