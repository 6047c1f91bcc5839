// SPDX-License-Identifier: Apache-2.0
// Whole files as read-only memory: mapped where the file system can, read into memory where it
// cannot (pipes, standard input). Movable; the bytes live as long as the object. Not thread-safe
// while moved from.
#ifndef TERN_NATIVE_PLATFORM_MAPPED_FILE_H_
#define TERN_NATIVE_PLATFORM_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tern::native {

class MappedFile {
 public:
  // "-" reads standard input. Errors name the path and the system's reason.
  static Result<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  MappedFile() = default;
  void Reset();

  std::span<const uint8_t> bytes_;
  bool mapped_ = false;
  std::vector<uint8_t> buffer_;
};

// Writes to a temporary file beside `path` and renames it, so that a reader never sees half a file.
// A link stays, what it leads to is replaced; a file keeps its permissions; devices and pipes are
// written to as they are; "-" writes to standard output.
Status WriteFile(const std::string& path, std::span<const uint8_t> bytes);
Status WriteFile(const std::string& path, std::string_view text);

// Whether both paths lead to one regular file. False where either leads nowhere.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_MAPPED_FILE_H_
