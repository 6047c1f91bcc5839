/* SPDX-License-Identifier: Apache-2.0 */
/* What run_calls.c needs of a C library, on a processor without a system (bare.c). */
#ifndef TERN_TESTS_LOOPS_BARE_STDIO_H_
#define TERN_TESTS_LOOPS_BARE_STDIO_H_

#include <stddef.h>

typedef struct File FILE;
extern FILE* const stderr;

FILE* fopen(const char* path, const char* mode);
size_t fread(void* into, size_t size, size_t count, FILE* file);
size_t fwrite(const void* from, size_t size, size_t count, FILE* file);
int fclose(FILE* file);
int fprintf(FILE* file, const char* format, const char* what); /* one %s */

#endif /* TERN_TESTS_LOOPS_BARE_STDIO_H_ */
