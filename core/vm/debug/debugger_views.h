// SPDX-License-Identifier: Apache-2.0
// Views of a whole record as JSON, each by a text that asks for it. Lists that may be long are
// columns: one array per member, all of the same length.
//
//   timeline N    {"first", "end", "stepsPerBucket", "depth": […], "allocated": […],
//                 "breakpoints": […], "bands": [[…]…]: steps by place in the code, for each
//                 bucket, "calls": {"function", "depth", "enter", "leave": […] each},
//                 "notFinite": [step…], "readAll"}; N buckets at most
//   hits          [count…] by instruction
//   lifetimes F   {"function", "depth", "enter", "leave", "registers": [{"index", "name"}],
//                 "count", "versions": {"register", "number", "defined", "ended", "lastUse",
//                 "uses", "end": "held", "overwritten", "killed" or "returned", "wasThere",
//                 "bytes", "kind", "type", "definedPc", "endedPc"}, "cells": {"register",
//                 "column", "count", "bytes"}, "stepsPerColumn", "byteSteps", "deadByteSteps"};
//                 of frame F, 0 is the innermost
//   objects KIND N  {"count", "bytes", "objects": [{"id", "kind", "type", "bytes", "created",
//                 "createdPc", "released", "live", "leaked", "references", "holders": [{"text",
//                 "id"}], "held": [count…]}]}; KIND is live, all or leaked; the largest
//                 kMostObjects. "held": the registers that held it, at most, in each of N parts of
//                 the record; no N, or 0: no "held"; kMostParts at most
//   heapdiff A B  {"added": [object…], "removed": [object…], "bytes"}, between two steps
//   shapes F      {"register", "slots": [{"symbol", "value", "step", "pc", "readers"}], "rules":
//                 [{"pc", "code", "slot", "state", "sentence"}]}
//   encoding      ["24 03 c001 0002 0000"…]: of each instruction, in hexadecimal, the opcode, the
//                 number of operands, three short forms and further words (encoding.h); needs no
//                 run
//
// Steps and pcs that are not known are null, -1 in columns.
#ifndef TERN_CORE_VM_DEBUG_DEBUGGER_VIEWS_H_
#define TERN_CORE_VM_DEBUG_DEBUGGER_VIEWS_H_

#include <string_view>

#include "core/base/json.h"
#include "core/vm/debug/debugger.h"

namespace tern::vm {

inline constexpr size_t kMostObjects = 2000;
inline constexpr uint64_t kMostParts = 256;

// E0304 where no run was begun, or where the text asks for nothing that there is.
Status WriteViewJson(const Debugger& debugger, std::string_view what, JsonWriter* json);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEBUGGER_VIEWS_H_
