// SPDX-License-Identifier: Apache-2.0
// The input is a file without a name, which the program may read as late as it likes; through a
// pipe both sides could wait for each other.
#include "native/tune/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "core/base/strings.h"

extern char** environ;

namespace tern::native {
namespace {

// Closed with the object, and in programs that are started.
class OwnedFile {
 public:
  explicit OwnedFile(int file) : file_(file) {
    if (file_ >= 0) fcntl(file_, F_SETFD, FD_CLOEXEC);
  }
  OwnedFile(const OwnedFile&) = delete;
  OwnedFile& operator=(const OwnedFile&) = delete;
  ~OwnedFile() { Close(); }
  int number() const { return file_; }
  void Close() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }

 private:
  int file_;
};

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(file, text.data(), text.size());
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

std::string ReadAll(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(file, buffer, sizeof(buffer));
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

// Whether the program was started. Its streams are those two; its messages go nowhere.
bool Start(std::span<const std::string> arguments, int input, int output, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> copies(arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& copy : copies) pointers.push_back(copy.data());
  pointers.push_back(nullptr);
  const int error = posix_spawnp(child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

}  // namespace

Result<std::string> OutputOf(std::span<const std::string> arguments, std::string_view input) {
  const char* folder = getenv("TMPDIR");
  std::string path = StrCat(folder != nullptr && *folder != '\0' ? folder : "/tmp", "/tern-XXXXXX");
  const OwnedFile file(mkstemp(path.data()));
  if (file.number() >= 0) unlink(path.c_str());
  if (file.number() < 0 || !WriteAll(file.number(), input) ||
      lseek(file.number(), 0, SEEK_SET) != 0)
    return IoError("cannot write the temporary file '", path, "': ", strerror(errno))
        .AddNote("help: TMPDIR names the folder of temporary files; without it that is /tmp")
        .SetErrorCode("E0102");
  int ends[2];
  if (pipe(ends) != 0) return IoError("cannot make a pipe: ", strerror(errno));
  const OwnedFile output(ends[0]);
  OwnedFile written(ends[1]);
  pid_t child = 0;
  if (!Start(arguments, file.number(), written.number(), &child)) return std::string();
  written.Close();  // what is read ends when the program's own end is closed
  std::string text = ReadAll(output.number());
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  return text;
}

}  // namespace tern::native
