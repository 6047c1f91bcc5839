// SPDX-License-Identifier: Apache-2.0
// Rows of bench_loops: emitted WebAssembly under Node, beside the same loops compiled from C, and
// beside the reference interpreter; and how long a function takes from its text.
#ifndef TERN_TOOLS_BENCH_LOOPS_WEB_ROWS_H_
#define TERN_TOOLS_BENCH_LOOPS_WEB_ROWS_H_

#include "tools/bench/support/rows.h"

namespace tern::bench {

// What a machine lacks is named on standard error.
void WebRows(Bench* bench);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_WEB_ROWS_H_
