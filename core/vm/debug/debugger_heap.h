// SPDX-License-Identifier: Apache-2.0
// The objects that a state reaches from its registers: how big they are, how often they are counted
// and who holds them.
#ifndef TERN_CORE_VM_DEBUG_DEBUGGER_HEAP_H_
#define TERN_CORE_VM_DEBUG_DEBUGGER_HEAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/vm/debug/debugger.h"

namespace tern::vm {

// One that holds a reference.
struct HeapHolder {
  std::string text;     // "@main %x", "object 3, field 1", "constant", "result"
  uint32_t object = 0;  // number of the holding object, 0: it is none
};

struct HeapObject {
  uint32_t number = 0;  // from 1, in the order of finding: innermost frame first
  Any value;            // as it is now; Debugger::Register shows what it was
  uint64_t bytes = 0;   // without what it refers to
  // Of the count: by whom. A past state has no counts, so there references is 0.
  int32_t references = 0;
  std::vector<HeapHolder> holders;  // of this program, in the order of finding
  int32_t by_trace = 0;             // the debugger's own
  int32_t elsewhere = 0;            // the host's, or what is not looked into
};

struct HeapListing {
  std::vector<HeapObject> objects;
  uint64_t bytes = 0;  // of all; memory that several tensors look at counts once each
};

HeapListing ListHeap(const Debugger& debugger);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEBUGGER_HEAP_H_
