// SPDX-License-Identifier: Apache-2.0
#include "native/backends/kernel_policy.h"

#include <vector>

#include "core/base/strings.h"

namespace tern::native {
namespace {

// In the order of KernelPolicy.
constexpr std::string_view kNames[] = {"auto", "operators", "interpreter", "compiled"};

}  // namespace

std::string_view KernelPolicyName(KernelPolicy policy) {
  return kNames[static_cast<size_t>(policy)];
}

std::span<const std::string_view> KernelPolicyNames() { return kNames; }

Result<KernelPolicy> ParseKernelPolicy(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<KernelPolicy>(i);
  }
  return InvalidArgument(
             "kernels by '", name, "': expected ",
             StrJoin(std::vector<std::string>(std::begin(kNames), std::end(kNames)), ", "))
      .SetErrorCode("E0003");
}

}  // namespace tern::native
