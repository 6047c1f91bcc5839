// SPDX-License-Identifier: Apache-2.0
// Copies of bytes in a file without a name, mapped: memory that can be given back while it is kept,
// because it can be read again. The file ends with the object.
#ifndef TERN_NATIVE_PLATFORM_SCRATCH_FILE_H_
#define TERN_NATIVE_PLATFORM_SCRATCH_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.h"

namespace tern::native {

class ScratchFile {
 public:
  ScratchFile() = default;
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // The bytes at the beginning of a page; null where there is no file to be had. The file is made
  // in TMPDIR, or else in /var/tmp, since /tmp is memory on many machines. `read` is told of the
  // bytes piece by piece, as they have been copied.
  const void* Copy(std::span<const uint8_t> bytes, const PageHints& read = {});

  // As MappedFile::DropPages.
  void DropPages(const void* data, size_t size) const;

 private:
  bool Open();

  int file_ = -1;
  bool has_failed_ = false;
  size_t end_ = 0;
  std::vector<std::span<uint8_t>> pieces_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_SCRATCH_FILE_H_
