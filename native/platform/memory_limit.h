// SPDX-License-Identifier: Apache-2.0
// How much memory this process can get. The platform of the process limits runs by it, so that a
// run that needs too much gets an error, and the system does not end the process.
#ifndef TERN_NATIVE_PLATFORM_MEMORY_LIMIT_H_
#define TERN_NATIVE_PLATFORM_MEMORY_LIMIT_H_

#include <cstdint>
#include <string>

namespace tern::native {

// Bytes: the least of what the machine has, what the process's control group allows (Linux), and
// what the limits of the shell leave (RLIMIT_AS, RLIMIT_DATA). UINT64_MAX where nothing is known.
uint64_t ObtainableBytes();

// TernPlatform::memory_limit of this process: three quarters of that, because other parts of
// the process need memory too. 0 where nothing is known.
uint64_t DefaultMemoryLimit();

// The least limit of the group that `membership` (the text of /proc/self/cgroup) names and of the
// groups around it, of version 1 or 2, below `root` (/sys/fs/cgroup). UINT64_MAX: none.
uint64_t ControlGroupLimit(const std::string& membership, const std::string& root);

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_MEMORY_LIMIT_H_
