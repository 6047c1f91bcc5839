// SPDX-License-Identifier: Apache-2.0
// Memories for calls of loop functions: filled with values at the edges of their types, compared
// bit for bit.
#ifndef TERN_TESTS_LOOPS_MEMORIES_H_
#define TERN_TESTS_LOOPS_MEMORIES_H_

#include <random>
#include <vector>

#include "tests/loops/backends.h"

namespace tern::loop {

GuardedBuffer RandomBuffer(DType type, size_t count, std::mt19937_64* random);

// A call of the function: the size named n is n and the others are 3; a buffer named I holds
// indices from 0 to 7.
LoopCall RandomCall(const LoopFunction& function, int64_t n, std::mt19937_64* random);

// Fails the test that calls it where a memory differs, naming function, element and operands, or
// where a canary is dead. All NaNs are one: engines and processors choose their bits.
// What b, which may be made of vectors of Helium, does with them.
enum class Subnormals : uint8_t { kKept, kMayBeZeros };
void ExpectSame(const Program& program, const std::vector<LoopCall>& a,
                const std::vector<LoopCall>& b, Subnormals subnormals = Subnormals::kKept);

}  // namespace tern::loop

#endif  // TERN_TESTS_LOOPS_MEMORIES_H_
