// SPDX-License-Identifier: Apache-2.0
// The objects that registers held in a record: when each came and went, which were there in one of
// two states only, and what is still held by nobody that is known once a run has returned.
#ifndef TERN_CORE_VM_DEBUG_RECORDED_OBJECTS_H_
#define TERN_CORE_VM_DEBUG_RECORDED_OBJECTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/vm/debug/debugger.h"

namespace tern::vm {

// An object by its number in the trace, which stays the same for as long as it is recorded.
struct RecordedObject {
  ValueId id = 0;
  uint64_t bytes = 0;      // without what it refers to
  uint64_t created = 0;    // the step that first put it into a register
  uint64_t released = 0;   // the step after which no register held it; `kHeldYet` while one does
  bool was_there = false;  // before the first recorded step: an argument
};
inline constexpr uint64_t kHeldYet = UINT64_MAX;

// All of them, in the order in which they came.
std::vector<RecordedObject> ListRecordedObjects(const Trace& trace);

// How many registers held each of `ids`, which are numbers of objects, over the record: the most in
// any state of each of `parts` equal stretches of it. So many counts for each object, in their
// order.
std::vector<uint32_t> CountHolders(const Trace& trace, std::span<const ValueId> ids,
                                   uint32_t parts);

// What registers reach in one of two states and not in the other.
struct HeapDifference {
  std::vector<ValueId> added;    // in the second only
  std::vector<ValueId> removed;  // in the first only
  int64_t bytes = 0;             // of the second less those of the first
};
// first_step <= from, to <= end_step. Objects in containers count as what the containers hold now.
HeapDifference CompareHeaps(const Trace& trace, uint64_t from, uint64_t to);

// Objects made in a run that has returned and still referred to by something that is neither its
// result, a constant, the record, nor another object. None while a run has not returned.
std::vector<ValueId> FindLeaks(const Debugger& debugger);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_RECORDED_OBJECTS_H_
