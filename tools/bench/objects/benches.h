// SPDX-License-Identifier: Apache-2.0
// The groups of rows of bench_objects, one source file each, and what optimisers must not see
// through.
#ifndef TERN_TOOLS_BENCH_OBJECTS_BENCHES_H_
#define TERN_TOOLS_BENCH_OBJECTS_BENCHES_H_

#include <cstdint>

#include "core/object/function.h"
#include "tools/bench/support/rows.h"

namespace tern::bench {

void CallRows(Bench* bench);       // calls_bench.cc: calls, errors, objects, copies
void ThreadRows(Bench* bench);     // the last two again, as in a process with threads: run last
void ContainerRows(Bench* bench);  // containers_bench.cc: lists, maps, bytes per element
void StringRows(Bench* bench);     // strings_bench.cc: making text, splitting words

// opaque.cc: compiled apart, so that nothing is inlined into the loops.
int64_t AddPlain(int64_t a, int64_t b);
using AddPointer = int64_t (*)(int64_t, int64_t);
AddPointer GetAdd();
FunctionPtr MakeAdd();      // (int, int) -> int
FunctionPtr MakeFailing();  // (int) -> int, which fails

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_OBJECTS_BENCHES_H_
