// SPDX-License-Identifier: Apache-2.0
// A profile by what one asks of it: operators, operators with their shapes, instructions, or lines
// of the source; beside an earlier profile where there is one. The library's JSON is what it is
// made from (tern_profile_export), joined with the program's listing, which knows functions and
// sources.
#ifndef TERN_NATIVE_CLI_PROFILE_ROWS_H_
#define TERN_NATIVE_CLI_PROFILE_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/json_reader.h"
#include "core/base/result.h"

namespace tern::cli {

struct ProfileRow {
  std::string name;    // "conv2d", "@main:7 conv2d", "prog.tn:12"
  std::string shapes;  // of rows by shape, as first called
  uint64_t count = 0;
  double ns = 0;
  // As core/vm/debug/profiler.h counts them; 0 is not known.
  double operations = 0, bytes = 0;
  double allocated = 0;  // bytes
  bool shapes_vary = false;
  // Of the earlier profile; 0 calls: it had no such row.
  uint64_t base_count = 0;
  double base_ns = 0;
};

inline constexpr const char* kProfileKinds[] = {"op", "shape", "pc", "source"};

// The profile with the members "function", "name" and "source" in each instruction, so that it can
// be told by pc and source without its program. listing: what tern_program_inspect gives as JSON.
JsonValue JoinProfile(const JsonValue& profile, const JsonValue& listing);

// The rows, the longest first. E0502 for an earlier profile that lacks what `by` wants.
Result<std::vector<ProfileRow>> RowsOf(const JsonValue& profile, std::string_view by,
                                       const std::string& file);
// Puts the times of an earlier profile beside those of this one; rows that only it had are added.
// The rows whose time changed most come first.
void AddBase(const std::vector<ProfileRow>& base, std::vector<ProfileRow>* rows);

// At most `top` rows, 0 for all; a last line tells what is left out.
struct ProfileView {
  std::string_view by;
  size_t top = 0;
  bool has_base = false;
  double total_ns = 0, base_total_ns = 0;  // of the whole runs
};
std::string ProfileTable(const std::vector<ProfileRow>& rows, const ProfileView& view);
// "by", "total_ns", "rows", "left_out", into an object that is open.
void WriteProfile(const std::vector<ProfileRow>& rows, const ProfileView& view, JsonWriter* json);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_PROFILE_ROWS_H_
