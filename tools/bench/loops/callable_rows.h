// SPDX-License-Identifier: Apache-2.0
// Rows of bench_loops: from the text of a kernel to its address, in a process that has not opened
// LLVM yet (cold) and in one that has compiled before (warm).
#ifndef TERN_TOOLS_BENCH_LOOPS_CALLABLE_ROWS_H_
#define TERN_TOOLS_BENCH_LOOPS_CALLABLE_ROWS_H_

#include "tools/bench/support/rows.h"

namespace tern::bench {

// Before anything else in the process uses LLVM: cold figures are taken in children of it.
void CallableRows(Bench* bench);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_CALLABLE_ROWS_H_
