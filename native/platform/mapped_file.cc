// SPDX-License-Identifier: Apache-2.0
// POSIX implementation of whole-file reading and atomic writing.
#include "native/platform/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "core/base/strings.h"

namespace tern::native {
namespace {

Status SystemError(std::string_view what, const std::string& path) {
  const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo;
  return Status(code, StrCat("cannot ", what, " '", path, "': ", strerror(errno)))
      .SetErrorCode(what == "open" || what == "read" || what == "inspect" ? "E0101" : "E0102");
}

// A descriptor that closes itself; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    // Standard input, output and error are not ours to close.
    if (fd_ > 2) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status ReadAll(int fd, const std::string& path, std::vector<uint8_t>* out) {
  for (;;) {
    const size_t old_size = out->size();
    // Doubles, so that the time is linear in the size.
    out->resize(old_size + (old_size < (1 << 16) ? (1 << 16) : old_size));
    const ssize_t got = read(fd, out->data() + old_size, out->size() - old_size);
    out->resize(old_size + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got == 0) return Status();
    if (got < 0 && errno != EINTR) return SystemError("read", path);
  }
}

Status WriteAll(int fd, const std::string& path, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) return SystemError("write", path);
    if (put > 0) bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return Status();
}

// Writes to devices, pipes and sockets, which cannot be replaced by a file, and through a link that
// leads to no file yet.
Status WriteInPlace(const std::string& path, std::span<const uint8_t> bytes) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() < 0) return SystemError("create", path);
  return WriteAll(file.get(), path, bytes);
}

// Writes a temporary file and renames it, so that readers see the old file or the new one, never a
// part. `path` must be no link; a file that is there keeps its permissions.
Status ReplaceFile(const std::string& path, const struct stat* old,
                   std::span<const uint8_t> bytes) {
  const std::string temporary = StrCat(path, ".tmp", static_cast<int64_t>(getpid()));
  Status status;
  {
    Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) return SystemError("create", path);
    if (old != nullptr && fchmod(file.get(), old->st_mode & 07777) != 0)
      status = SystemError("create", path);
    if (status.ok()) status = WriteAll(file.get(), path, bytes);
  }
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = SystemError("replace", path);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

// The file to which `path` leads through links; empty where there is none.
std::string Target(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  std::string target = resolved == nullptr ? "" : resolved;
  free(resolved);
  return target;
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::string& path) {
  Descriptor file(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError("open", path);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return SystemError("inspect", path);
  if (S_ISDIR(info.st_mode)) {
    return IoError("'", path, "' is a folder, not a file").SetErrorCode("E0101");
  }
  MappedFile result;
  // An empty file cannot be mapped, and pipes have no size.
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    const size_t size = static_cast<size_t>(info.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data != MAP_FAILED) {
      result.bytes_ = {static_cast<const uint8_t*>(data), size};
      result.mapped_ = true;
      return result;
    }
  }
  TERN_TRY(ReadAll(file.get(), path, &result.buffer_));
  result.bytes_ = result.buffer_;
  return result;
}

void MappedFile::Reset() {
  if (mapped_) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  bytes_ = {};
  mapped_ = false;
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  buffer_ = std::move(other.buffer_);
  mapped_ = std::exchange(other.mapped_, false);
  bytes_ = std::exchange(other.bytes_, {});
  return *this;
}

MappedFile::~MappedFile() { Reset(); }

Status WriteFile(const std::string& path, std::span<const uint8_t> bytes) {
  if (path == "-") return WriteAll(STDOUT_FILENO, path, bytes);
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return ReplaceFile(path, nullptr, bytes);
  const bool link = S_ISLNK(info.st_mode);
  // A link to nothing makes the file that it names.
  if (link && stat(path.c_str(), &info) != 0) return WriteInPlace(path, bytes);
  if (S_ISDIR(info.st_mode))
    return IoError("'", path, "' is a folder, not a file").SetErrorCode("E0102");
  if (!S_ISREG(info.st_mode)) return WriteInPlace(path, bytes);
  return ReplaceFile(link ? Target(path) : path, &info, bytes);
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino && S_ISREG(first.st_mode);
}

Status WriteFile(const std::string& path, std::string_view text) {
  return WriteFile(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace tern::native
