// SPDX-License-Identifier: Apache-2.0
// The names of reasons to stop, as the C interface and the page show them.
#include "core/vm/hooks.h"

namespace tern::vm {

// Without a default, so that a new reason must get its name here.
std::string_view StopReasonName(StopReason reason) {
  switch (reason) {
    case StopReason::kReturned: return "returned";
    case StopReason::kPaused: return "paused";
    case StopReason::kBreakpoint: return "breakpoint";
    case StopReason::kCancelled: return "cancelled";
    case StopReason::kStepped: return "stepped";
    case StopReason::kCondition: return "condition";
    case StopReason::kNotFinite: return "not finite";
    case StopReason::kAllocation: return "allocation";
    case StopReason::kWatched: return "watched";
    case StopReason::kFailed: return "failed";
    case StopReason::kInstructionLimit: return "instruction limit";
    case StopReason::kByteLimit: return "byte limit";
    case StopReason::kDepthLimit: return "depth limit";
    case StopReason::kTimeLimit: return "time limit";
  }
  return "";
}

}  // namespace tern::vm
