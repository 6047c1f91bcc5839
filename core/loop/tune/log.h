// SPDX-License-Identifier: Apache-2.0
// The log of a search: one JSON object per line, one line per measured choice. Lines are only ever
// added, each whole by itself, so that a search that was interrupted can continue from its log.
//
//   {"function": "add", "target": "wasm32", "program": "5f2b91c0", "choice": "interleave=4",
//    "schedule": "vectorize(C, i, interleave = 4)", "cost": 812.5, "default": 1024.0, "unit": "ns"}
//
// "default" is what the program as written cost when it was measured beside it: costs of different
// moments are compared by their ratio to it. A choice that could not be measured has "error" in
// place of the three.
#ifndef TERN_CORE_LOOP_TUNE_LOG_H_
#define TERN_CORE_LOOP_TUNE_LOG_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/text/diagnostics.h"

namespace tern::loop::tune {

inline constexpr std::string_view kBadLog = "E0529";

struct LogEntry {
  std::string function, target;
  std::string program;   // a checksum of the program, the target, the sizes, what can be chosen
  std::string choice;    // Space::ToText
  std::string schedule;  // for people
  double cost = 0, default_cost = 0;
  std::string unit = {};
  std::string error = {};  // empty where it was measured
  bool is_known = false;   // it came from a log that the search was given

  bool ok() const { return error.empty(); }
  double ratio() const { return cost / default_cost; }
};

// The entry's line, with its line break.
std::string ToLine(const LogEntry& entry);

// Mistakes in a line are reported to the diagnostics, which point into a file of this name that is
// added to `sources`. A last line without a line break was cut off while it was written: it is left
// out, and *whole_bytes is where the next line should be written.
std::vector<LogEntry> ReadLog(std::string_view file_name, std::string_view text,
                              text::SourceMap* sources, text::Diagnostics* diagnostics,
                              size_t* whole_bytes = nullptr);

}  // namespace tern::loop::tune

#endif  // TERN_CORE_LOOP_TUNE_LOG_H_
