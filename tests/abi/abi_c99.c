/* SPDX-License-Identifier: Apache-2.0 */
/* The headers for C, read by a strict C99 compiler, and a packed function written in C. */
#include "core/abi/abi.h"
#include "core/base/platform.h"

#include <stddef.h>

/* C99 has no static assertion: an array type of negative size stops the compiler. */
#define TERN_JOIN_(a, b) a##b
#define TERN_JOIN(a, b) TERN_JOIN_(a, b)
#define TERN_ASSERT(condition) \
  typedef char TERN_JOIN(assert_on_line_, __LINE__)[(condition) ? 1 : -1]
#include "tests/abi/abi_layout.h"

int32_t tern_test_add_in_c(void* self, const TernAny* args, int32_t num_args, TernAny* result);

/* The sum of its arguments; calls that are not all ints fail with code 7 and no Error object. */
int32_t tern_test_add_in_c(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  int64_t sum = 0;
  int32_t i;
  (void)self;
  for (i = 0; i < num_args; ++i) {
    if (args[i].type_code != TERN_TYPE_INT) return 7;
    sum += args[i].v.i;
  }
  result->type_code = TERN_TYPE_INT;
  result->v.i = sum;
  return 0;
}
