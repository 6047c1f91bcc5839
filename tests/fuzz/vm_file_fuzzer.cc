// SPDX-License-Identifier: Apache-2.0
// File reader, verifier, printer, linker and interpreter with budgets. Mutated files get right
// checksums, so that they come past the first gate.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/vm_file.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  const size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 16 == 0) return mutated;
  std::vector<uint8_t> file(data, data + mutated);
  tern::support::Reseal(&file);
  for (size_t i = 0; i < mutated; ++i) data[i] = file[i];
  return mutated;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tern::support::Exercise({data, size});
  return 0;
}
