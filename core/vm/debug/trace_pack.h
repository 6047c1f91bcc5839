// SPDX-License-Identifier: Apache-2.0
// The steps of a segment of a trace as bytes: how they lie while nobody looks at them.
//
// What a step says twice is left out. Its pc is told by how far it is from the one before plus one.
// Packing and unpacking follow the state from the key frame on, so a write needs no value before
// it, a return nothing but its kind, and frames are counted from the innermost. The value of a
// write is told by how far its number is from the one that it takes the place of or, in an empty
// register, from the one that was written last: numbers are given in the order of writing. Most
// steps take two to four bytes instead of eight and sixteen per event.
#ifndef TERN_CORE_VM_DEBUG_TRACE_PACK_H_
#define TERN_CORE_VM_DEBUG_TRACE_PACK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/vm/debug/trace_state.h"

namespace tern::vm {

// Steps that follow each other, and what they did: the events of step i are
// events[first_event[i] .. first_event[i + 1]), those of the last one go to the end.
struct TraceSteps {
  std::vector<uint32_t> pcs;
  std::vector<uint32_t> first_event;
  std::vector<TraceEvent> events;

  std::span<const TraceEvent> EventsOf(size_t index) const;
  uint64_t Bytes() const;
};

// Steps that begin in state `key`.
std::vector<uint8_t> PackSteps(const TraceState& key, const TraceSteps& steps);
// The inverse, for bytes that PackSteps made from the same key.
TraceSteps UnpackSteps(const TraceState& key, std::span<const uint8_t> bytes);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_PACK_H_
