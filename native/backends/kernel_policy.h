// SPDX-License-Identifier: Apache-2.0
// Policies for the kernels of programs, by the names that the command line, the C interface and the
// package share.
#ifndef TERN_NATIVE_BACKENDS_KERNEL_POLICY_H_
#define TERN_NATIVE_BACKENDS_KERNEL_POLICY_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"

namespace tern::native {

enum class KernelPolicy : int8_t {
  kAuto,         // the fastest that pays: objects where allowed, else LLVM after some work
  kOperators,    // the functions' bytecode
  kInterpreter,  // the reference interpreter
  kCompiled,     // LLVM, at once
};
std::string_view KernelPolicyName(KernelPolicy policy);
// E0003 for any other name.
Result<KernelPolicy> ParseKernelPolicy(std::string_view name);
std::span<const std::string_view> KernelPolicyNames();

}  // namespace tern::native

#endif  // TERN_NATIVE_BACKENDS_KERNEL_POLICY_H_
