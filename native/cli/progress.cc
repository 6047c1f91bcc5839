// SPDX-License-Identifier: Apache-2.0
#include "native/cli/progress.h"

#include <unistd.h>

#include <algorithm>

#include "core/base/strings.h"
#include "native/cli/command.h"

namespace tern::cli {
namespace {

// Lines come at these steps, so that a log of a large model is no longer than one of a small one.
constexpr int kPlainStep = 25;
// A bar that is gone before it can be read only flickers.
constexpr std::chrono::milliseconds kBeforeBar(300);

}  // namespace

ProgressStyle ProgressStyleOf(std::string_view name, bool quiet) {
  if (quiet || name == "none") return ProgressStyle::kNone;
  if (name == "plain") return ProgressStyle::kPlain;
  if (name == "bar") return ProgressStyle::kBar;
  return isatty(STDERR_FILENO) == 1 ? ProgressStyle::kLateBar : ProgressStyle::kNone;
}

ProgressReport::~ProgressReport() {
  if (has_bar_) PrintError("\r\x1b[K");
}

Progress ProgressReport::sink() {
  if (style_ == ProgressStyle::kNone) return {};
  const auto forward = [](void* context, std::string_view stage, double fraction) {
    static_cast<ProgressReport*>(context)->Show(stage, fraction);
  };
  return {this, forward};
}

void ProgressReport::Show(std::string_view stage, double fraction) {
  const int percent = std::clamp(static_cast<int>(fraction * 100), 0, 100);
  const int step = style_ == ProgressStyle::kPlain ? kPlainStep : 1;
  // Reports come with every node; a line is written only where it would say something else.
  if (stage == stage_ && percent / step == shown_ / step) return;
  stage_ = stage;
  shown_ = percent;
  if (style_ != ProgressStyle::kPlain) return ShowBar(stage, percent);
  PrintError(StrCat(name_, ": ", stage, " ", percent / kPlainStep * kPlainStep, " %\n"));
}

void ProgressReport::ShowBar(std::string_view stage, int percent) {
  const bool waits = style_ == ProgressStyle::kLateBar;
  if (waits && std::chrono::steady_clock::now() - begin_ < kBeforeBar) return;
  constexpr size_t kWidth = 30;
  const size_t filled = static_cast<size_t>(percent) * kWidth / 100;
  has_bar_ = true;
  PrintError(StrCat("\r\x1b[K", stage, " [", std::string(filled, '='),
                    std::string(kWidth - filled, ' '), "] ", percent, " %"));
}

}  // namespace tern::cli
