// SPDX-License-Identifier: Apache-2.0
// What the registers of one frame held over a record: each value from the instruction that wrote it
// to the one that took it away, with the last instruction that read it. What lies between the last
// use and the end is memory that is held but dead.
#ifndef TERN_CORE_VM_DEBUG_LIFETIMES_H_
#define TERN_CORE_VM_DEBUG_LIFETIMES_H_

#include <cstdint>
#include <vector>

#include "core/vm/debug/debugger.h"

namespace tern::vm {

// Of more versions than this there are only sums, by register and time.
inline constexpr uint64_t kMostVersions = 20'000;
inline constexpr uint32_t kLifetimeColumns = 256;

// Why a register stopped to hold a value.
enum class VersionEnd : uint8_t {
  kHeld = 0,         // it still does at the end of the record
  kOverwritten = 1,  // another value came
  kKilled = 2,
  kReturned = 3,  // the frame went
};

// One value in one register.
struct RegisterVersion {
  uint32_t reg = 0;
  uint32_t number = 0;    // of the register's versions, from 1
  ValueId value = 0;      // in the trace
  uint64_t defined = 0;   // the step that wrote it; it is held from the state after that
  uint64_t ended = 0;     // the step that took it away, or the end of the record
  uint64_t last_use = 0;  // the last step that read it; `defined` where none did
  uint32_t uses = 0;
  bool was_there = false;  // before the record or the frame began: an argument
  VersionEnd end = VersionEnd::kHeld;
};

// A part of the time, where there are too many versions to list.
struct LifetimeCell {
  uint32_t reg = 0;
  uint32_t column = 0;
  uint32_t count = 0;  // versions that begin in it
  uint64_t bytes = 0;  // of the largest
};

struct Lifetimes {
  uint32_t function = 0;
  uint32_t depth = 0;  // of the frame, 0 is the outermost
  uint64_t enter = 0;  // the first state with the frame, or of the record
  uint64_t leave = 0;  // the first without it, or the end of the record
  uint32_t register_count = 0;
  uint64_t version_count = 0;
  std::vector<RegisterVersion> versions;  // ascending by `ended`; empty above kMostVersions
  std::vector<LifetimeCell> cells;        // filled above kMostVersions, else empty
  uint64_t steps_per_column = 1;
  // Bytes times the steps for which they were held, and the part of it after the last use. A value
  // in two registers counts twice.
  double byte_steps = 0;
  double dead_byte_steps = 0;
};

// Of a frame of the state that is looked at, 0 is the innermost; where that has no frames, because
// the run has returned, of the outermost one. `frame` must be less than max(1, depth()).
Lifetimes FindLifetimes(const Debugger& debugger, size_t frame);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_LIFETIMES_H_
