// SPDX-License-Identifier: Apache-2.0
// Rows of bench_loops: executed instructions per element on SVE of several lengths, one object for
// all of them, beside clang's.
#ifndef TERN_TOOLS_BENCH_LOOPS_INSTRUCTION_ROWS_H_
#define TERN_TOOLS_BENCH_LOOPS_INSTRUCTION_ROWS_H_

#include "tools/bench/support/rows.h"

namespace tern::bench {

// What a machine lacks is named on standard error.
void InstructionRows(Bench* bench);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_INSTRUCTION_ROWS_H_
