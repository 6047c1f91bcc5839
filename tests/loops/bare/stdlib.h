/* SPDX-License-Identifier: Apache-2.0 */
/* As stdio.h beside it. */
#ifndef TERN_TESTS_LOOPS_BARE_STDLIB_H_
#define TERN_TESTS_LOOPS_BARE_STDLIB_H_

#include <stddef.h>

void exit(int code) __attribute__((noreturn));
int posix_memalign(void** block, size_t alignment, size_t bytes);
void free(void* block); /* the memory of all calls of a function together is small: nothing */

#endif /* TERN_TESTS_LOOPS_BARE_STDLIB_H_ */
