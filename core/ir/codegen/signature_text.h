// SPDX-License-Identifier: Apache-2.0
// The text of a function's signature that an executable keeps. FunctionCodegen writes it, and
// vm/signature.h reads it.
#ifndef TERN_CORE_IR_CODEGEN_SIGNATURE_TEXT_H_
#define TERN_CORE_IR_CODEGEN_SIGNATURE_TEXT_H_

#include <string>

#include "core/ir/expr.h"

namespace tern::ir {

// "(x: f32[n, 3], k: int) -> (scores: f32[n, 2], f32[n, 4])". What signatures have no word for
// (data types, maps, type variables) is "any".
std::string SignatureText(const Function& function);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_CODEGEN_SIGNATURE_TEXT_H_
