// SPDX-License-Identifier: Apache-2.0
// What a profile suggests to try, each with the figures that suggest it: tern profile --explain.
#ifndef TERN_NATIVE_CLI_PROFILE_HINTS_H_
#define TERN_NATIVE_CLI_PROFILE_HINTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"

namespace tern::cli {

struct ProfileHint {
  std::string finding;   // what is so
  std::string evidence;  // the figures
  std::string advice;    // what to try
};

// profile: the library's JSON; kernels: what tern_program_kernels gives.
struct ProfiledRun {
  const JsonValue& profile;
  const JsonValue& kernels;
  int threads = 1;     // that the run had
  int processors = 1;  // of this machine
};
// Most telling first; empty where nothing stands out.
std::vector<ProfileHint> HintsOf(const ProfiledRun& run);

std::string HintsText(const std::vector<ProfileHint>& hints);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_PROFILE_HINTS_H_
