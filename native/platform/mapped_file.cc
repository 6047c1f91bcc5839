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

#include <functional>
#include <utility>

#include "core/base/strings.h"

namespace tern::native {
namespace {

Status SystemError(std::string_view what, const std::string& path) {
  const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo;
  const std::string name = path != "-"       ? StrCat("'", path, "'")
                           : what == "write" ? "to standard output"
                                             : "standard input";
  return Status(code, StrCat("cannot ", what, " ", name, ": ", strerror(errno)))
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
    // The end; also of pipes and terminals.
    if (got == 0) return Status();
    if (got < 0 && errno != EINTR) return SystemError("read", path);
  }
}

Status WriteAll(int fd, const std::string& path, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    // A signal between two pieces is no failure.
    if (put < 0 && errno != EINTR) return SystemError("write", path);
    if (put > 0) bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return Status();
}

// What `path` leads to through links; empty where that is nothing.
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
    // Files that cannot be mapped are read, such as some of /proc.
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
  // A vector keeps its memory when it is moved, so bytes_ stays right.
  buffer_ = std::move(other.buffer_);
  mapped_ = std::exchange(other.mapped_, false);
  bytes_ = std::exchange(other.bytes_, {});
  return *this;
}

MappedFile::~MappedFile() { Reset(); }

void MappedFile::DropPages(const void* data, size_t size) const {
  const auto* first = static_cast<const uint8_t*>(data);
  const std::less<const uint8_t*> before;  // a total order, also of pointers to other objects
  if (!mapped_ || before(first, bytes_.data()) ||
      before(bytes_.data() + bytes_.size(), first + size))
    return;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<size_t>(first - bytes_.data());  // a mapping begins with a page
  const size_t low = (begin + page - 1) / page * page, high = (begin + size) / page * page;
  if (low < high) madvise(const_cast<uint8_t*>(bytes_.data()) + low, high - low, MADV_DONTNEED);
}

// --- writing

// Devices, pipes and sockets keep their place, and so does a link that leads to no file yet.
Result<FileWriter> FileWriter::Open(const std::string& path) {
  if (path == "-") return FileWriter(path, "", STDOUT_FILENO);
  struct stat info;
  const bool exists = lstat(path.c_str(), &info) == 0;
  const bool link = exists && S_ISLNK(info.st_mode);
  const bool leads_nowhere = link && stat(path.c_str(), &info) != 0;
  if (exists && !leads_nowhere && S_ISDIR(info.st_mode))
    return IoError("'", path, "' is a folder, not a file").SetErrorCode("E0102");
  if (leads_nowhere || (exists && !S_ISREG(info.st_mode))) {
    FileWriter writer(path, "", open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (writer.file_ < 0) return SystemError("create", path);
    return writer;
  }
  const std::string target = link ? Target(path) : path;
  const std::string temporary = StrCat(target, ".tmp", static_cast<int64_t>(getpid()));
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return SystemError("create", path);
  FileWriter writer(target, temporary, file);
  // A file that is there keeps its permissions.
  if (exists && fchmod(file, info.st_mode & 07777) != 0) return SystemError("create", path);
  return writer;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      file_(std::exchange(other.file_, -1)),
      buffer_(std::move(other.buffer_)) {}

FileWriter::~FileWriter() {
  if (file_ > 2) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status FileWriter::WriteBuffer() {
  TERN_TRY(WriteAll(file_, path_, buffer_));
  buffer_.clear();
  return Status();
}

Status FileWriter::Write(std::span<const uint8_t> bytes) {
  constexpr size_t kSmall = size_t{1} << 14, kMost = size_t{1} << 16;
  if (bytes.size() >= kSmall || buffer_.size() + bytes.size() > kMost) TERN_TRY(WriteBuffer());
  if (bytes.size() >= kSmall) return WriteAll(file_, path_, bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return Status();
}

Status FileWriter::Finish() {
  TERN_TRY(WriteBuffer());
  if (temporary_.empty()) return Status();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return SystemError("replace", path_);
  temporary_.clear();
  return Status();
}

Status WriteFile(const std::string& path, std::span<const uint8_t> bytes) {
  TERN_TRY_ASSIGN(FileWriter file, FileWriter::Open(path));
  TERN_TRY(file.Write(bytes));
  return file.Finish();
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
