// SPDX-License-Identifier: Apache-2.0
// Types and constants of the loop IR in LLVM's spelling. All parts of the LLVM emitter use them.
#ifndef TERN_CORE_LOOP_EMIT_LLVM_TYPE_H_
#define TERN_CORE_LOOP_EMIT_LLVM_TYPE_H_

#include <string>

#include "core/loop/expr.h"

namespace tern::loop {

// The type of values: "<vscale x 4 x float>", "i1". bfloat16 is bits only (legalize.h): "i16".
std::string LlvmType(DataType type);
// The type in memory, where a bool is a byte.
std::string LlvmMemoryType(DataType type);
// The type in names of overloaded intrinsics: "nxv4f32".
std::string LlvmSuffix(DataType type);
// Pointers, one for each lane: "<vscale x 4 x ptr>", "nxv4p0".
std::string LlvmPointers(Lanes lanes);
std::string LlvmPointersSuffix(Lanes lanes);
// Scalars: "42", "true", "1.5", "0x7FF0000000000000".
std::string LlvmConstant(const IntImm& imm);
std::string LlvmConstant(const FloatImm& imm);
std::string LlvmFloat(double value);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_LLVM_TYPE_H_
