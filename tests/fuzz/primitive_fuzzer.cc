// SPDX-License-Identifier: Apache-2.0
// A call of an operator or a builtin made up from the input: refused, or run within its limits.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/base/check.h"
#include "tests/support/random_call.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tern::support;
  if (size < 2) return 0;
  const size_t number = data[0] | size_t{data[1]} << 8;
  const std::span<const uint8_t> choices(data + 2, size - 2);
  const RandomCall call = number % 8 == 0 ? MakeBuiltinCall(number / 8, choices)
                                          : MakeOperatorCall(number / 8, choices);
  if (std::getenv("TERN_SHOW_CALLS") != nullptr)
    std::fprintf(stderr, "%s\n", call.ToText().c_str());
  RunCall(call, data[1] % 4 == 0 ? CallKernels::kPlain : CallKernels::kFastest);
  return 0;
}
