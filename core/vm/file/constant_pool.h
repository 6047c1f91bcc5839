// SPDX-License-Identifier: Apache-2.0
// Equality and hash of constants by content, for keeping each once.
#ifndef TERN_CORE_VM_FILE_CONSTANT_POOL_H_
#define TERN_CORE_VM_FILE_CONSTANT_POOL_H_

#include "core/vm/executable.h"

namespace tern::vm {

// Bit by bit: 0.0 and -0.0 differ, a NaN equals itself.
bool SameConstant(const Constant& a, const Constant& b);
uint64_t HashConstant(const Constant& constant);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_FILE_CONSTANT_POOL_H_
