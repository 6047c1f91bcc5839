// SPDX-License-Identifier: Apache-2.0
// Control groups: man 7 cgroups, kernel documentation cgroup-v2 ("memory.max") and cgroup-v1
// ("memory.limit_in_bytes").
#include "native/platform/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tern::native {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A number; UINT64_MAX for "max" and for anything else.
uint64_t ReadNumber(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  return file >> number ? number : UINT64_MAX;
}

// The least limit in a group's folder and the folders above it, up to `root`: a group cannot have
// more than the one around it.
uint64_t LeastAbove(const std::string& root, std::string group, const std::string& file) {
  uint64_t least = UINT64_MAX;
  for (;;) {
    least = std::min(least, ReadNumber(root + group + "/" + file));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

bool Lists(const std::string& controllers, const std::string& wanted) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == wanted) return true;
  }
  return false;
}

// What a limit of the shell (ulimit) leaves beside what is mapped already.
uint64_t Left(int resource, uint64_t used) {
  rlimit limit{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0) return UINT64_MAX;
  if (limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const uint64_t bytes = limit.rlim_cur;
  return bytes > used ? bytes - used : 0;
}

// Bytes that are mapped, and those of data and stack (man 5 proc, statm).
void ReadMapped(uint64_t* mapped, uint64_t* data) {
  std::ifstream statm("/proc/self/statm");
  uint64_t resident = 0, shared = 0, text = 0, library = 0;
  if (!(statm >> *mapped >> resident >> shared >> text >> library >> *data)) *mapped = *data = 0;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  *mapped *= page;
  *data *= page;
}

// Of memory; UINT64_MAX where the machine does not say.
uint64_t MachineBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page)
                               : UINT64_MAX;
}

}  // namespace

uint64_t ControlGroupLimit(const std::string& membership, const std::string& root) {
  uint64_t least = UINT64_MAX;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:group
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    while (group.ends_with('/')) group.pop_back();
    // Version 2 has one line without controllers; version 1 has one line per hierarchy.
    if (controllers.empty())
      least = std::min(least, LeastAbove(root, group, "memory.max"));
    else if (Lists(controllers, "memory"))
      least = std::min(least, LeastAbove(root + "/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

uint64_t ObtainableBytes() {
  uint64_t mapped = 0, data = 0;
  ReadMapped(&mapped, &data);
  return std::min({MachineBytes(),
                   ControlGroupLimit(ReadFile("/proc/self/cgroup"), "/sys/fs/cgroup"),
                   Left(RLIMIT_AS, mapped), Left(RLIMIT_DATA, data)});
}

uint64_t DefaultMemoryLimit() {
  const uint64_t bytes = ObtainableBytes();
  // Three quarters: the rest is for what does not go through allocators.
  return bytes == UINT64_MAX ? 0 : std::max<uint64_t>(bytes / 4 * 3, 1);
}

}  // namespace tern::native
