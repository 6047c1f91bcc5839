// SPDX-License-Identifier: Apache-2.0
// How far a compilation is, on standard error: a bar on a terminal, which goes when it is done;
// lines that a log can keep; or nothing.
#ifndef TERN_NATIVE_CLI_PROGRESS_H_
#define TERN_NATIVE_CLI_PROGRESS_H_

#include <chrono>
#include <string>
#include <string_view>

#include "core/base/progress.h"

namespace tern::cli {

// kLateBar: a bar that nobody asked for, of what takes long alone.
enum class ProgressStyle { kNone, kLateBar, kBar, kPlain };

// "auto" is a bar where standard error is a terminal.
ProgressStyle ProgressStyleOf(std::string_view name, bool quiet);

class ProgressReport {
 public:
  // name: of what is compiled.
  ProgressReport(ProgressStyle style, std::string_view name) : style_(style), name_(name) {}
  ~ProgressReport();
  ProgressReport(const ProgressReport&) = delete;
  ProgressReport& operator=(const ProgressReport&) = delete;

  // Lives as long as this does.
  Progress sink();

 private:
  void Show(std::string_view stage, double fraction);
  void ShowBar(std::string_view stage, int percent);

  ProgressStyle style_;
  std::string name_;
  std::string stage_;
  int shown_ = -1;  // percent, of the stage
  bool has_bar_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_PROGRESS_H_
