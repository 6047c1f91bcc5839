// SPDX-License-Identifier: Apache-2.0
// What `tern reduce` is made of: delta debugging over a list of parts, and the check that says of a
// smaller file whether the fault is still there.
#ifndef TERN_NATIVE_CLI_MINIMIZE_H_
#define TERN_NATIVE_CLI_MINIMIZE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tern::cli {

struct CheckLimits {
  uint64_t max_checks = 2000;
  uint64_t max_seconds = 600;   // of all checks
  uint64_t check_seconds = 60;  // of one
};

// Runs a command of the user's for candidates, each written to one file. Ctrl-C while it lives ends
// the checks, not the process. One at a time in a process.
class FaultCheck {
 public:
  // `{}` in the command stands for the file; without it the file comes last. The candidates are
  // written to `path`, which is removed at the end.
  FaultCheck(std::string command, std::string path, const CheckLimits& limits);
  ~FaultCheck();
  FaultCheck(const FaultCheck&) = delete;
  FaultCheck& operator=(const FaultCheck&) = delete;

  // Whether the command exits with 0 for a file of these bytes. False, without running it, where
  // they were seen before or where a limit is reached.
  bool Holds(std::string_view bytes);

  uint64_t checks() const { return checks_; }
  // Why no further check is run: "", "checks", "time", "interrupt" or "write".
  const std::string& ended() const { return ended_; }
  const Status& write_error() const { return write_error_; }

 private:
  bool IsOver();
  int RunCommand() const;

  std::string command_, path_;
  CheckLimits limits_;
  std::chrono::steady_clock::time_point start_;
  std::set<uint64_t> seen_;
  uint64_t checks_ = 0;
  std::string ended_;
  Status write_error_;
};

// Indices of a list without those parts that are not needed: `holds` is asked for ascending
// subsets, from halves down to single parts, until no single part can go. Deterministic.
std::vector<size_t> MinimizeList(size_t count,
                                 const std::function<bool(const std::vector<size_t>&)>& holds);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_MINIMIZE_H_
