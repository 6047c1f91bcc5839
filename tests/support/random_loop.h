// SPDX-License-Identifier: Apache-2.0
// Loop programs made up from numbers, for tests that compare strategies and backends.
#ifndef TERN_TESTS_SUPPORT_RANDOM_LOOP_H_
#define TERN_TESTS_SUPPORT_RANDOM_LOOP_H_

#include <cstdint>
#include <span>
#include <string>

namespace tern::support {

// Text of one `primfn random<n>` of integer arithmetic, whose loop over n is marked vectorized or
// vectorize_scalable. Every choice is one byte; after the last, zeros. It always parses; it may be
// one that cannot be vectorized.
std::string RandomLoopProgram(std::span<const uint8_t> choices);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_LOOP_H_
