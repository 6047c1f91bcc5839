// SPDX-License-Identifier: Apache-2.0
// Rules of the loop IR that reach over more than one node: names are declared where they are used,
// sizes and extents can be, constant indices lie inside their buffers. Runs on what users wrote
// and after every pass.
#ifndef TERN_CORE_LOOP_VERIFIER_H_
#define TERN_CORE_LOOP_VERIFIER_H_

#include "core/base/status.h"
#include "core/loop/source_file.h"
#include "core/text/diagnostics.h"

namespace tern::loop {

void VerifyFile(const SourceFile& file, text::Diagnostics* diagnostics);
void VerifyFunction(const LoopFunction& function, text::Diagnostics* diagnostics);
void VerifyDefinition(const te::Definition& definition, text::Diagnostics* diagnostics);

// What a pass left. Indices are not looked at: one may have become a constant where a condition
// keeps it from being used.
Status Verify(const LoopFunction& function);
// Also: only what emitters and the interpreter take is left (nodes.def, intrinsics.def): loops are
// serial or parallel, indices flat, intrinsics lowered.
Status VerifyLowered(const LoopFunction& function);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_VERIFIER_H_
