// SPDX-License-Identifier: Apache-2.0
// bench_objects [--json FILE] [--filter TEXT] [--quick]
#include "tools/bench/objects/benches.h"

int main(int argc, char** argv) {
  tern::bench::Bench bench("objects", argc, argv);
  tern::bench::CallRows(&bench);
  tern::bench::ContainerRows(&bench);
  tern::bench::StringRows(&bench);
  tern::bench::ThreadRows(&bench);
  return bench.Finish();
}
