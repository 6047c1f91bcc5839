// SPDX-License-Identifier: Apache-2.0
// Counts every call of the C library's malloc family in this program, to prove that none is made
// where none is promised.
#ifndef TERN_TESTS_SUPPORT_ALLOCATION_COUNT_H_
#define TERN_TESTS_SUPPORT_ALLOCATION_COUNT_H_

#include <cstdint>

namespace tern {

// False where malloc cannot be replaced (sanitizers, C libraries other than glibc): counts are 0
// there, and a test of "none" proves nothing but does no harm.
bool AllocationsAreCounted();
// malloc, calloc, realloc and what calls them, since the program began.
int64_t AllocationCount();

}  // namespace tern

#endif  // TERN_TESTS_SUPPORT_ALLOCATION_COUNT_H_
