// SPDX-License-Identifier: Apache-2.0
// Kernels made up from numbers, and what must hold of any kernel that is shown to stay in bounds.
#ifndef TERN_TESTS_SUPPORT_RANDOM_KERNEL_H_
#define TERN_TESTS_SUPPORT_RANDOM_KERNEL_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tern::support {

// Text of one kernel `f`, a definition or loops, with indices of all kinds, many of them wrong.
// Every choice is one byte; after the last, zeros. It always parses.
std::string RandomKernel(std::span<const uint8_t> choices);

struct KernelCheck {
  bool bound = false;   // parsed, and its own signature is one that kernels can have
  bool proven = false;  // shown to stay in bounds
  int runs = 0;
  std::string wrong;  // of a kernel that was shown to: what it did all the same; empty: nothing
};
// Binds the text to a function of as many parameters; where its accesses were shown to be inside,
// runs it in the reference interpreter for many sizes, lowered in several ways, on inputs of any
// bits.
KernelCheck CheckKernel(std::string_view text, uint64_t seed);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_KERNEL_H_
