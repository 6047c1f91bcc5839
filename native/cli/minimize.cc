// SPDX-License-Identifier: Apache-2.0
// Delta debugging after Zeller and Hildebrandt (2002), by complements alone: what is needed lies
// mostly in a few places, so that subsets by themselves rarely hold.
#include "native/cli/minimize.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "core/base/hash.h"
#include "core/base/strings.h"
#include "native/platform/mapped_file.h"

namespace tern::cli {
namespace {

volatile sig_atomic_t interrupted = 0;
struct sigaction before_checks;

// The path in single quotes of the shell.
std::string QuoteForShell(std::string_view path) {
  std::string quoted = "'";
  for (const char c : path) StrAppend(&quoted, c == '\'' ? "'\\''" : std::string(1, c));
  return quoted + "'";
}

std::string CommandFor(std::string_view command, std::string_view path) {
  const std::string quoted = QuoteForShell(path);
  std::string text;
  size_t from = 0;
  for (size_t at; (at = command.find("{}", from)) != std::string_view::npos; from = at + 2)
    StrAppend(&text, command.substr(from, at - from), quoted);
  // Without a place for it the file is the last argument.
  if (from == 0) return StrCat(command, " ", quoted);
  return StrCat(text, command.substr(from));
}

// In the child: a group of its own, so that what the shell starts ends with it.
[[noreturn]] void Execute(const char* command) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  }
  execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  // What a shell gives for a command that is not there: no fault that was looked for.
  _exit(127);
}

}  // namespace

FaultCheck::FaultCheck(std::string command, std::string path, const CheckLimits& limits)
    : command_(CommandFor(command, path)),
      path_(std::move(path)),
      limits_(limits),
      start_(std::chrono::steady_clock::now()) {
  interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, &before_checks);
}

FaultCheck::~FaultCheck() {
  sigaction(SIGINT, &before_checks, nullptr);
  unlink(path_.c_str());
}

bool FaultCheck::IsOver() {
  if (!ended_.empty()) return true;
  const auto passed = std::chrono::steady_clock::now() - start_;
  if (interrupted != 0)
    ended_ = "interrupt";
  else if (checks_ >= limits_.max_checks)
    ended_ = "checks";
  else if (passed >= std::chrono::seconds(limits_.max_seconds))
    ended_ = "time";
  return !ended_.empty();
}

// The exit code; -1 where the command was ended, by a signal or because it took too long.
int FaultCheck::RunCommand() const {
  const pid_t child = fork();
  if (child == 0) Execute(command_.c_str());
  if (child < 0) return -1;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(limits_.check_seconds);
  // Asked for often at first: most checks take some milliseconds.
  auto pause = std::chrono::microseconds(200);
  int status = 0;
  bool killed = false;
  for (;;) {
    const pid_t ended = waitpid(child, &status, killed ? 0 : WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) return -1;
    if (interrupted != 0 || std::chrono::steady_clock::now() >= limit) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);  // before it has made its group
      killed = true;
      continue;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
  return !killed && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool FaultCheck::Holds(std::string_view bytes) {
  // Chunks of different sizes leave the same rest again and again.
  if (IsOver() || !seen_.insert(HashText(bytes)).second) return false;
  write_error_ = native::WriteFile(path_, bytes);
  if (!write_error_.ok()) {
    ended_ = "write";
    return false;
  }
  ++checks_;
  return RunCommand() == 0;
}

std::vector<size_t> MinimizeList(size_t count,
                                 const std::function<bool(const std::vector<size_t>&)>& holds) {
  std::vector<size_t> kept(count);
  for (size_t i = 0; i < count; ++i) kept[i] = i;
  for (size_t chunk = std::max<size_t>(count / 2, 1); !kept.empty();) {
    bool removed = false;
    // From behind: what comes late is needed by nothing before it.
    for (size_t end = kept.size(); end > 0;) {
      const size_t begin = end > chunk ? end - chunk : 0;
      std::vector<size_t> rest(kept.begin(), kept.begin() + static_cast<ptrdiff_t>(begin));
      rest.insert(rest.end(), kept.begin() + static_cast<ptrdiff_t>(end), kept.end());
      if (holds(rest)) {
        kept = std::move(rest);
        removed = true;
      }
      end = begin;
    }
    // The round of single ones is repeated until nothing goes: what went may have kept others.
    if (chunk > 1)
      chunk = (chunk + 1) / 2;
    else if (!removed)
      break;
  }
  return kept;
}

}  // namespace tern::cli
