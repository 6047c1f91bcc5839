// SPDX-License-Identifier: Apache-2.0
// How many random programs a test draws.
#ifndef TERN_TESTS_SUPPORT_ROUNDS_H_
#define TERN_TESTS_SUPPORT_ROUNDS_H_

namespace tern::support {

// All of them where a program takes microseconds; a quarter with sanitizers, in Node and under an
// emulator, where it takes twenty times as long (docs/testing.md says why that is enough).
constexpr int Rounds(int all) {
#if defined(TERN_SLOW_TESTS)
  return (all + 3) / 4;
#else
  return all;
#endif
}

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_ROUNDS_H_
