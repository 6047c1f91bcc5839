// SPDX-License-Identifier: Apache-2.0
// What kernels of programs cost beside the operators that they stand for, apart from their loops.
#ifndef TERN_TOOLS_BENCH_LOOPS_KERNEL_ROWS_H_
#define TERN_TOOLS_BENCH_LOOPS_KERNEL_ROWS_H_

#include "core/base/status.h"
#include "tools/bench/support/rows.h"

namespace tern::bench {

Status KernelRows(Bench* bench);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_KERNEL_ROWS_H_
