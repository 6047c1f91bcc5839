// SPDX-License-Identifier: Apache-2.0
// What differs between two executables: functions, their signatures and instructions, constants,
// kernels and metadata. `tern diff` shows it of any two programs; nothing is run.
#ifndef TERN_NATIVE_CLI_PROGRAM_DIFF_H_
#define TERN_NATIVE_CLI_PROGRAM_DIFF_H_

#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "native/cli/array_diff.h"

namespace tern::cli {

struct ProgramChange {
  std::string kind;   // "function", "signature", "instruction", "constant", "kernel", "metadata"
  std::string place;  // "@main", "@main:3", "c[2]", a kernel's name, a key of the metadata
  std::string a, b;   // what each has there; empty where it has nothing
};

// In the order of the tables: functions, constants, kernels, metadata.
Result<std::vector<ProgramChange>> ComparePrograms(ByteSpan a, ByteSpan b,
                                                   const DiffTolerance& tolerance);

// Lines "- …" of a and "+ …" of b under the place.
std::string ChangesText(std::span<const ProgramChange> changes);
void WriteChanges(std::span<const ProgramChange> changes, JsonWriter* json);  // an array

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_PROGRAM_DIFF_H_
