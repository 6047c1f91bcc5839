// SPDX-License-Identifier: Apache-2.0
// Rows of bench_loops: GELU, softmax and layer normalization beside onnxruntime-web, both on one
// thread, in Node and in Chromium.
#ifndef TERN_TOOLS_BENCH_LOOPS_FUSED_ROWS_H_
#define TERN_TOOLS_BENCH_LOOPS_FUSED_ROWS_H_

#include "tools/bench/support/rows.h"

namespace tern::bench {

// What a machine lacks is named on standard error.
void FusedRows(Bench* bench);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_FUSED_ROWS_H_
