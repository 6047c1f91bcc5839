// SPDX-License-Identifier: Apache-2.0
// What generate.cc writes and builder_code_test.cc runs.
#ifndef TERN_TESTS_BUILDER_CODE_CASES_H_
#define TERN_TESTS_BUILDER_CODE_CASES_H_

#include <cstdint>
#include <span>

#include "core/vm/executable.h"

namespace tern::vm {

struct GeneratedCase {
  const char* name;
  Result<ExecutablePtr> (*build)();
  std::span<const uint8_t> bytes;  // the file that it was printed from
};
std::span<const GeneratedCase> GeneratedCases();

}  // namespace tern::vm

#endif  // TERN_TESTS_BUILDER_CODE_CASES_H_
