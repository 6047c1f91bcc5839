// SPDX-License-Identifier: Apache-2.0
// A whole file as bytes, for tests and tools.
#ifndef TERN_TESTS_SUPPORT_READ_FILE_H_
#define TERN_TESTS_SUPPORT_READ_FILE_H_

#include <cstdio>
#include <string>

namespace tern {

// Empty where the file cannot be read.
inline std::string ReadFile(const std::string& path) {
  std::string out;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return out;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) out.append(buffer, n);
  std::fclose(file);
  return out;
}

}  // namespace tern

#endif  // TERN_TESTS_SUPPORT_READ_FILE_H_
