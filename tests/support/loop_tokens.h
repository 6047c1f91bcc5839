// SPDX-License-Identifier: Apache-2.0
// Loop text changed word by word, which more often than bytes gives another program.
#ifndef TERN_TESTS_SUPPORT_LOOP_TOKENS_H_
#define TERN_TESTS_SUPPORT_LOOP_TOKENS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tern::support {

// One to three words of the text are left out, doubled, exchanged or replaced, by others of the
// text or by words that loop text knows.
std::string MutateLoopText(std::string_view text, uint64_t seed);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_LOOP_TOKENS_H_
