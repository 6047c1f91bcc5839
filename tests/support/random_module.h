// SPDX-License-Identifier: Apache-2.0
// Random well-typed modules: scalars, tuples, trees, closures, branches, local and global recursion
// with fuel, small tensors of symbolic size, an effect now and then. The same seed gives the same
// module everywhere. main(int, float, f32[n]) ends after few steps and without an error.
#ifndef TERN_TESTS_SUPPORT_RANDOM_MODULE_H_
#define TERN_TESTS_SUPPORT_RANDOM_MODULE_H_

#include <cstdint>

#include "core/ir/module.h"

namespace tern::support {

ir::Module RandomModule(uint32_t seed);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_MODULE_H_
