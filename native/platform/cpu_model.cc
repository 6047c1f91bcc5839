// SPDX-License-Identifier: Apache-2.0
#include "native/platform/cpu_model.h"

#include <stdio.h>
#include <string.h>

namespace tern::native {

// For benchmark reports only. /proc/cpuinfo has no "model name" on AArch64, where the answer is
// "unknown".
std::string CpuModelName() {
  FILE* file = fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return "unknown";
  std::string name = "unknown";
  char line[512];
  while (fgets(line, sizeof line, file) != nullptr) {
    const char* colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == nullptr) continue;
    name.assign(colon + 2, strcspn(colon + 2, "\n"));
    break;
  }
  fclose(file);
  return name;
}

}  // namespace tern::native
