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
#include <utility>
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

  // Gives the memory of the whole pages among these bytes back, which are read again when they are
  // next looked at. Bytes that are not mapped from this file are left alone.
  void DropPages(const void* data, size_t size) const;

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

// A file that is written piece by piece, to the same rules. Without Finish nothing is changed.
class FileWriter {
 public:
  static Result<FileWriter> Open(const std::string& path);

  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) = delete;
  ~FileWriter();

  Status Write(std::span<const uint8_t> bytes);
  Status Finish();

 private:
  Status WriteBuffer();

  FileWriter(std::string path, std::string temporary, int file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}

  std::string path_;
  std::string temporary_;  // empty: it is written in place
  int file_ = -1;
  std::vector<uint8_t> buffer_;  // small pieces, which would cost a call of the system each
};

// Whether both paths lead to one regular file. False where either leads nowhere.
bool IsSameFile(const std::string& a, const std::string& b);

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_MAPPED_FILE_H_
