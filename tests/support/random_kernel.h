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
// How much of it is run: lowered in every way for all sizes; or in one for a few, chosen by the
// seed, for who checks so many kernels that each way and size comes about.
enum class KernelRuns : int8_t { kAll, kFew };
// Binds the text to a function of as many parameters; where its accesses were shown to be inside,
// runs it in the reference interpreter on inputs of any bits.
KernelCheck CheckKernel(std::string_view text, uint64_t seed, KernelRuns runs = KernelRuns::kAll);

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_RANDOM_KERNEL_H_
