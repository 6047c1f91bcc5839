// SPDX-License-Identifier: Apache-2.0
#include "native/platform/scratch_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

namespace tern::native {
namespace {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// What is read of a mapped file to be written is in memory until `read` hears of it. And Linux
// keeps what one call writes in one block where it can, which comes as a whole when a byte of it is
// read.
constexpr size_t kMostInMemory = size_t{1} << 18;

bool WriteAt(int file, std::span<const uint8_t> bytes, size_t offset, const PageHints& read) {
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kMostInMemory);
    const ssize_t put = pwrite(file, bytes.data(), size, static_cast<off_t>(offset));
    if (put < 0 && errno != EINTR) return false;
    if (put <= 0) continue;
    read.Done(bytes.data(), static_cast<size_t>(put));
    bytes = bytes.subspan(static_cast<size_t>(put));
    offset += static_cast<size_t>(put);
  }
  return true;
}

}  // namespace

ScratchFile::~ScratchFile() {
  for (const std::span<uint8_t> piece : pieces_) munmap(piece.data(), piece.size());
  if (file_ >= 0) close(file_);
}

bool ScratchFile::Open() {
  if (file_ >= 0 || has_failed_) return file_ >= 0;
  const char* folder = getenv("TMPDIR");
  std::string path = folder == nullptr || *folder == '\0' ? "/var/tmp" : folder;
  path += "/tern-XXXXXX";
  file_ = mkstemp(path.data());
  has_failed_ = file_ < 0;
  if (file_ >= 0) unlink(path.c_str());
  return file_ >= 0;
}

const void* ScratchFile::Copy(std::span<const uint8_t> bytes, const PageHints& read) {
  if (bytes.empty() || !Open()) return nullptr;
  // A disk that is full ends the copies, not the compilation.
  if (!WriteAt(file_, bytes, end_, read)) {
    has_failed_ = true;
    return nullptr;
  }
  void* data = mmap(nullptr, bytes.size(), PROT_READ, MAP_SHARED, file_, static_cast<off_t>(end_));
  if (data == MAP_FAILED) return nullptr;
  const size_t page = PageBytes();
  end_ += (bytes.size() + page - 1) / page * page;
  pieces_.emplace_back(static_cast<uint8_t*>(data), bytes.size());
  return data;
}

void ScratchFile::DropPages(const void* data, size_t size) const {
  const auto* first = static_cast<const uint8_t*>(data);
  const std::less<const uint8_t*> before;
  for (const std::span<uint8_t> piece : pieces_) {
    if (before(first, piece.data()) || before(piece.data() + piece.size(), first + size)) continue;
    const size_t page = PageBytes(), begin = static_cast<size_t>(first - piece.data());
    const size_t low = (begin + page - 1) / page * page, high = (begin + size) / page * page;
    if (low < high) madvise(piece.data() + low, high - low, MADV_DONTNEED);
    return;
  }
}

}  // namespace tern::native
