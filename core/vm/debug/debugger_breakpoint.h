// SPDX-License-Identifier: Apache-2.0
// Breakpoints: where or when a debugger stops.
//
//   12            before the instruction 12 of the whole code
//   @mean         when a frame of the function begins
//   @mean:3       before the instruction 3 of the function
//   nan           after an instruction that computed a value with a NaN or an infinity
//   alloc 64 KiB  after an instruction that allocated a block of at least so many bytes
//   if EXPR       when the expression becomes true (debugger_condition.h)
//
// The first five may go on with `if EXPR`: then only when it is true in the innermost frame.
#ifndef TERN_CORE_VM_DEBUG_DEBUGGER_BREAKPOINT_H_
#define TERN_CORE_VM_DEBUG_DEBUGGER_BREAKPOINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/vm/debug/debugger_condition.h"
#include "core/vm/executable.h"

namespace tern::vm {

enum class BreakpointKind : uint8_t {
  kInstruction,
  kFunction,
  kNotFinite,
  kAllocation,
  kCondition
};

struct Breakpoint {
  uint32_t id = 0;
  BreakpointKind kind = BreakpointKind::kInstruction;
  bool enabled = true;
  uint32_t pc = 0;        // kInstruction: of the whole code
  uint32_t function = 0;  // kFunction
  uint64_t bytes = 0;     // kAllocation
  std::optional<Condition> condition;
  uint64_t ignore = 0;    // passes by so many times more
  uint64_t hits = 0;      // times it was met, those ignored included
  uint64_t failures = 0;  // of the condition: counted as not met
  std::string failure;    // the last
  bool was_true = false;  // kCondition: at the place before
};

// Everything but the id from its text; unknown functions and instructions are errors that name
// what there is.
Result<Breakpoint> ParseBreakpoint(std::string_view text, const Executable& executable);

// "@mean, instruction 3, if %2 > 3".
std::string BreakpointText(const Breakpoint& breakpoint, const Executable& executable);

// "@mean:3", "@mean" (its first instruction) or "12": an instruction of the whole code.
Result<uint32_t> ParsePlace(std::string_view text, const Executable& executable);
// "@mean:3".
std::string PlaceText(uint32_t pc, const Executable& executable);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEBUGGER_BREAKPOINT_H_
