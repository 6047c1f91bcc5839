// SPDX-License-Identifier: Apache-2.0
// A trace as bytes (.terntrace) or JSON, for the playground and for keeping.
//
// Bytes, little-endian, all numbers u32 unless said otherwise, so that a browser looks at them as
// they are:
//   "TERNTRC1"; u64 first step; steps S; events E; key frames K; words W of all key frames; end pc;
//   bytes J of the JSON
//   pc[S]; first event of each step[S + 1]; events[E][4]: frame << 2 | kind, target, before, after
//   (trace.h); key frames[W]: step - first step, frames F, registers R, F x (function, pc, first
//   register), R x value; JSON[J].
// The JSON, UTF-8: {"functions": [{"name", "first", "count", "registers": [names]}], "values": [as
// first written; number 0 is none], "contents": [{"step", "value", "now"}]}, the last for values
// that were written in place: what they hold from that step on. The binary form's JSON also has
// "digests", for each value the CRC-32C of all that it holds as serialize_binary.h writes it (8 hex
// digits, empty for values without an object), "contentDigests", the same for "contents", and, of a
// trace from step 0 on, "call": {"function", "arguments": a tuple as serialize_json.h writes it, in
// a string}, unless the arguments take more than 64 MiB or hold a closure. In the JSON form all but
// these three is one object, with "first", "end", "endPc", "pcs", "firstEvents", "events" and
// "keys" beside it.
#ifndef TERN_CORE_VM_DEBUG_TRACE_FILE_H_
#define TERN_CORE_VM_DEBUG_TRACE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/vm/debug/trace.h"
#include "core/vm/executable.h"

namespace tern::vm {

std::vector<uint8_t> SaveTrace(const Trace& trace, const Executable& executable);
std::string TraceJson(const Trace& trace, const Executable& executable);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_FILE_H_
