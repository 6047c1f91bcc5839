// SPDX-License-Identifier: Apache-2.0
// Random sound programs of every instruction, constant kind and table, the same for a seed on every
// target.
#ifndef TERN_TESTS_SUPPORT_RANDOM_PROGRAM_H_
#define TERN_TESTS_SUPPORT_RANDOM_PROGRAM_H_

#include <cstdint>

#include "core/vm/executable.h"

namespace tern::support {

vm::ExecutablePtr RandomProgram(uint32_t seed);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_PROGRAM_H_
