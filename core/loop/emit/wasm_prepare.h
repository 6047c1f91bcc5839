// SPDX-License-Identifier: Apache-2.0
// Lowered loops rewritten, still as loops, into what WebAssembly has instructions for: 16-bit
// floats as bits (legalize.h), conversions as chains of single steps, addresses in 32 bits. Private
// to the WebAssembly emitter.
#ifndef TERN_CORE_LOOP_EMIT_WASM_PREPARE_H_
#define TERN_CORE_LOOP_EMIT_WASM_PREPARE_H_

#include <unordered_map>

#include "core/loop/stmt.h"

namespace tern::loop {

// Afterwards conversions of vectors are between bool and any type, between integers of the same,
// half or double width, between 32-bit integers and floats, between the floats, or involve 64-bit
// integers and floats (which are done lane by lane).
Stmt PrepareForWasm(const Stmt& body);
Expr PrepareForWasm(const Expr& expr);

// The low 32 bits of an integer expression, computed in 32 bits where that gives the same:
// addresses are taken modulo 2^32.
Expr LowHalf(const Expr& index);

// How often each node below is an operand of another.
using UseCounts = std::unordered_map<const ExprNode*, int>;
void CountUses(const Expr& expr, UseCounts* counts);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_WASM_PREPARE_H_
