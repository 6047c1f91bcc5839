// SPDX-License-Identifier: Apache-2.0
// Types of a signature that one comparison decides, so that functions of ints, floats and the like
// cost a call next to nothing to check. Everything else is left to Signature::CheckArguments,
// which also has the exceptions (an int is a float, too) and the messages.
#ifndef TERN_CORE_VM_TYPE_CODES_H_
#define TERN_CORE_VM_TYPE_CODES_H_

#include <cstdint>

#include "core/vm/signature.h"

namespace tern::vm {

inline constexpr int32_t kAnyCode = INT32_MIN;     // every value is right
inline constexpr int32_t kNoCode = INT32_MIN + 1;  // no type code says enough

// The type code whose values are all of the type, kAnyCode or kNoCode.
int32_t TypeCodeOf(const TypeInfo& type);
// The same of the result; kAnyCode where none is declared.
int32_t ResultCodeOf(const Signature& signature);
// Whether every parameter has a code.
bool HasTypeCodes(const Signature& signature);

inline bool IsOfCode(int32_t code, int32_t wanted) { return code == wanted || wanted == kAnyCode; }

}  // namespace tern::vm

#endif  // TERN_CORE_VM_TYPE_CODES_H_
