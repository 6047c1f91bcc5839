// SPDX-License-Identifier: Apache-2.0
// Callees that the timed loops must not see into.
#include "tools/bench/objects/benches.h"

namespace tern::bench {

int64_t AddPlain(int64_t a, int64_t b) { return a + b; }
AddPointer GetAdd() { return &AddPlain; }

FunctionPtr MakeAdd() {
  return Function::FromTyped("add", [](int64_t a, int64_t b) { return a + b; });
}

FunctionPtr MakeFailing() {
  return Function::FromTyped("failing", [](int64_t a) -> Result<int64_t> {
    return OutOfRange("index ", a, " of a list of 3 items");
  });
}

}  // namespace tern::bench
