// SPDX-License-Identifier: Apache-2.0
// The processor's name, which `tern info` prints.
#ifndef TERN_NATIVE_PLATFORM_CPU_MODEL_H_
#define TERN_NATIVE_PLATFORM_CPU_MODEL_H_

#include <string>

namespace tern::native {

// A line such as "AMD EPYC" from the system, or "unknown".
std::string CpuModelName();

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_CPU_MODEL_H_
