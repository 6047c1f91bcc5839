// SPDX-License-Identifier: Apache-2.0
// How many random programs and damaged files a test draws, and how large the inputs are that only
// try its patience. The shares are those of tools/cmake/tern.cmake; docs/testing.md says why fewer
// are enough where a program takes up to twenty times as long.
#ifndef TERN_TESTS_SUPPORT_ROUNDS_H_
#define TERN_TESTS_SUPPORT_ROUNDS_H_

#ifndef TERN_ROUNDS_SHARE
#define TERN_ROUNDS_SHARE 1
#define TERN_MUTATIONS_SHARE 1
#endif

namespace tern::support {

// One random program of this many is drawn: fewer with sanitizers, in Node and under an emulator.
inline constexpr int kRoundsShare = TERN_ROUNDS_SHARE;
constexpr int Rounds(int all) { return (all + kRoundsShare - 1) / kRoundsShare; }

// One damaged file of this many is drawn: fewer in Node and under an emulator, but all with
// sanitizers, which see the read out of bounds that any of them may cause. Never a multiple of
// three, so that steps of this size meet each of three kinds of damage.
inline constexpr int kMutationsShare = TERN_MUTATIONS_SHARE;
static_assert(kMutationsShare % 3 != 0);
constexpr int Mutations(int all) { return (all + kMutationsShare - 1) / kMutationsShare; }

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_ROUNDS_H_
